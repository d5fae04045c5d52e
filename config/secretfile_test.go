// Copyright The toolscope Authors
// SPDX-License-Identifier: Apache-2.0

//go:build unix

package config_test

import (
	"bytes"
	"crypto/rand"
	"log/slog"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/toolscope/toolscope/config"
)

// Files with secrets that others can read are named in the log when the file is opened, once.
func TestSecretsThatOthersCanRead(t *testing.T) {
	var out bytes.Buffer
	before := slog.Default()
	slog.SetDefault(slog.New(slog.NewTextHandler(&out, nil)))
	defer slog.SetDefault(before)
	dir := t.TempDir()
	file := filepath.Join(dir, "toolscope.yaml")
	for path, text := range map[string]string{
		file: "audit: {file: audit.jsonl, key_file: audit.key}\npolicies:\n  approve:\n    unattended: true\n" +
			"    webhook: {url: \"https://chat.example/hook\", secret_file: webhook.secret}\n",
		filepath.Join(dir, "audit.key"): rand.Text(), filepath.Join(dir, "webhook.secret"): rand.Text() + rand.Text(),
	} {
		if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	open := func() {
		opened, err := config.Open(file)
		if err != nil {
			t.Fatal(err)
		}
		if err := opened.Close(); err != nil {
			t.Error(err)
		}
	}
	if open(); out.Len() > 0 {
		t.Errorf("got %s, want no warning of files that only their owner can read", out.String())
	}
	for _, name := range []string{"audit.key", "webhook.secret"} {
		if err := os.Chmod(filepath.Join(dir, name), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	open()
	open()
	for _, name := range []string{"audit.key", "webhook.secret"} {
		if strings.Count(out.String(), filepath.Join(dir, name)) != 1 {
			t.Errorf("got %s, want %s named once", out.String(), name)
		}
	}
}
