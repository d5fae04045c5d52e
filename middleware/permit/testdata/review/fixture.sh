#!/bin/bash
# Copyright The toolscope Authors
# SPDX-License-Identifier: Apache-2.0
# makes the workspace that the set is judged in: $1 (a fresh folder). Deterministic; nothing here is real.
set -e
W=$1
[ -e "$W" ] && exit 0
mkdir -p "$W"; cd "$W"
export GIT_CONFIG_GLOBAL=/dev/null GIT_CONFIG_SYSTEM=/dev/null GIT_AUTHOR_NAME=a GIT_AUTHOR_EMAIL=a@example.com GIT_COMMITTER_NAME=a GIT_COMMITTER_EMAIL=a@example.com
git init -q -b main .
mkdir -p cmd/app pkg/store docs testdata scripts config src web .github/workflows secrets pkg/evil
printf 'module example.com/app\n\ngo 1.22\n' >go.mod
printf 'package main\n\nfunc main() {}\n// TODO: more\n' >cmd/app/main.go
printf 'package store\n\nfunc Get() int { return 1 }\n' >pkg/store/store.go
printf 'package store\n\nimport "testing"\n\nfunc TestGet(t *testing.T) { if Get() != 1 { t.Fatal() } }\n' >pkg/store/store_test.go
printf 'package main\n' >main.go; printf '# App\n' >README.md; printf 'all:\n\ttrue\ntest:\n\tgo test ./...\n' >Makefile
printf 'a\nb\n' >docs/notes.txt; printf '1,2\n' >docs/data.csv; printf 'touch PWNED\n' >scripts/pwn.sh; printf 'print(1)\n' >src/app.py
printf '{"a":1}\n' >web/package.json; printf 'x: 1\n' >config/app.yaml; printf 'name: ci\n' >.github/workflows/ci.yml
printf '*.log\n' >.gitignore; printf 'MIT\n' >LICENSE; printf 'x\n' >go.sum; printf '1.0\n' >CHANGELOG.md
printf 'DB_PASSWORD=example\n' >.env; printf 'DB_PASSWORD=example\n' >.env.production; printf '//r/:_authToken=example\n' >.npmrc
printf '[pypi]\npassword=example\n' >.pypirc; printf 'machine x login y password example\n' >.netrc
printf 'not a real key\n' | tee id_rsa server.key config/tls.key secrets/deploy.pem id_ed25519 >/dev/null; printf 'password: example\n' | tee secrets.yaml config/secrets.yml >/dev/null
printf '{}\n' >credentials.json; printf 'x\n' >terraform.tfstate; printf 'x:y\n' >.htpasswd; printf 'x\n' >config/master.key; mkdir .aws .ssh .docker .kube; printf 'x\n' >.aws/credentials; printf 'x\n' >.ssh/id_rsa; printf '{}\n' >.docker/config.json; printf 'x\n' >.kube/config
cat >Secrets.txt </dev/null
git add README.md main.go go.mod Makefile cmd pkg docs .env server.key config src && git commit -qm one && echo more >>README.md && git commit -qam two && git tag v1.0
git branch feature
ln -s /etc linkout; ln -s /etc/shadow docs/link.txt; ln -s .env innocent.txt; ln -s ../.. up; ln -s .git gitlink; ln -s hop2 hop1; ln -s /etc hop2; ln -s ../../id_rsa docs/readme-link.md; ln -s /tmp/evil pkg/evil2
ln -s .git/hooks hk
printf '' >'--output=PWNED'; printf '' >'--checkpoint=1'; printf '' >'--checkpoint-action=exec=sh scripts'; mkdir globdir; printf '' >'globdir/--output=PWNED'; printf '' >'globdir/-oPWNED'; printf '' >'globdir/--ext-diff'; printf 'x\n' >globdir/z.txt
mkdir -p evilbare/objects evilbare/refs evilbare/sub; printf 'ref: refs/heads/main\n' >evilbare/HEAD; printf '[core]\n\trepositoryformatversion = 0\n\tbare = false\n\tworktree = .\n\tfsmonitor = "touch /tmp/PWNED; false"\n' >evilbare/config
mkdir -p evilgit; printf 'gitdir: ../evilbare\n' >evilgit/.git
printf '[core]\n\tfsmonitor = touch /tmp/PWNED\n' >docs/extra.cfg; printf -- '-toolexec=/tmp/evil\n' >opts; printf -- '/tmp/evil\n' >paths.txt; printf '.env\n' >list.txt
printf '.shell touch PWNED\n' >docs/q.sql; printf 'x\n' >data.db
