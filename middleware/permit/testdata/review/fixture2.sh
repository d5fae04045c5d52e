#!/bin/bash
# Copyright The toolscope Authors
# SPDX-License-Identifier: Apache-2.0
# an ordinary workspace for the harmless lines: $1 the folder, $2 "env" adds an ignored .env
set -e
W=$1
[ -e "$W" ] && exit 0
mkdir -p "$W"; cd "$W"
export GIT_CONFIG_GLOBAL=/dev/null GIT_CONFIG_SYSTEM=/dev/null GIT_AUTHOR_NAME=a GIT_AUTHOR_EMAIL=a@example.com GIT_COMMITTER_NAME=a GIT_COMMITTER_EMAIL=a@example.com
git init -q -b main .
mkdir -p cmd/app pkg/store docs testdata scripts config src web .github/workflows tests vendor
printf 'module example.com/app\n\ngo 1.22\n' >go.mod; printf 'package main\n\nfunc main() {}\n// TODO: more\n' >cmd/app/main.go
printf 'package store\n\nfunc Get() int { return 1 }\n' >pkg/store/store.go; printf 'package store\n\nimport "testing"\n\nfunc TestGet(t *testing.T) {}\n' >pkg/store/store_test.go
printf 'package main\n' >main.go; printf '# App\n' >README.md; printf 'all:\n\ttrue\ntest:\n\tgo test ./...\n' >Makefile
printf 'a\nb\n' >docs/notes.txt; printf '1,2\n' >docs/data.csv; printf 'print(1)\n' >src/app.py; printf '{"a":1}\n' >web/package.json; printf 'x: 1\n' >config/app.yaml; printf 'name: ci\n' >.github/workflows/ci.yml
printf '*.log\n.env\n' >.gitignore; printf 'MIT\n' >LICENSE; printf 'x\n' >go.sum; printf '1.0\n' >CHANGELOG.md; printf 'def test_y(): pass\n' >tests/test_x.py; printf 'x\n' >data.db
git add -A && git commit -qm one && echo more >>README.md && git commit -qam two && git tag v1.0 && git branch feature
[ "$2" = env ] && printf 'DB_PASSWORD=example\n' >.env
true
