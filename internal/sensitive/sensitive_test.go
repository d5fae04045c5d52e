// Copyright The toolscope Authors
// SPDX-License-Identifier: Apache-2.0

package sensitive_test

import (
	"testing"

	"github.com/toolscope/toolscope/internal/sensitive"
)

func TestCredential(t *testing.T) {
	for _, p := range []string{".env", "a/.ENV", ".env.local", "prod.env", ".npmrc", ".pypirc", "id_rsa", "server.key", "x/ca.pem",
		"secrets.yaml", ".git/config", "sub/.git/config", ".ssh/x", "/root/.aws/credentials", ".docker/config.json", ".env. "} {
		if sensitive.Credential(p) == "" {
			t.Errorf("%s: got nothing, want credentials", p)
		}
	}
	for _, p := range []string{"", ".", ".env.example", "id_rsa.pub", "key.go", "keys/a.go", ".git/HEAD", "config",
		"env", "credentials/doc.go"} {
		if c := sensitive.Credential(p); c != "" {
			t.Errorf("%s: got %q, want nothing", p, c)
		}
	}
}

func TestStarts(t *testing.T) {
	for _, p := range []string{".git/config", ".git/hooks/pre-commit", "a/.git/x", ".bashrc", ".vscode/tasks.json",
		".husky/x", ".GIT/config"} {
		if sensitive.Starts(p) == "" {
			t.Errorf("%s: got nothing, want a file that programs execute", p)
		}
	}
	for _, p := range []string{"main.go", ".gitignore", ".github/workflows/x.yml", "Makefile", ""} {
		if s := sensitive.Starts(p); s != "" {
			t.Errorf("%s: got %q, want nothing", p, s)
		}
	}
}

func TestCredentialNames(t *testing.T) {
	for path, want := range map[string]string{
		"a/.ssh": ".ssh", ".SSH/id": ".ssh", ".aws./x": ".aws", "home/u/.config/gcloud/x": ".config/gcloud",
		".netrc": ".netrc", ".kube": ".kube", ".gnupg/x": ".gnupg",
		"ssh": "", ".sshd": "", "gcloud/x": "", ".config/other": "", ".config/x/gcloud": "",
	} {
		if got := sensitive.Credential(path); got != want {
			t.Errorf("%s: got %q, want %q", path, got, want)
		}
	}
}
