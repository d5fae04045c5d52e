// Copyright The toolscope Authors
// SPDX-License-Identifier: Apache-2.0

//go:build unix

package redis_test

import (
	"bytes"
	"context"
	"crypto/tls"
	"encoding/base64"
	"log/slog"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/toolscope/toolscope"
	"github.com/toolscope/toolscope/config"
	"github.com/toolscope/toolscope/middleware"
	"github.com/toolscope/toolscope/store/redis"
	"github.com/toolscope/toolscope/toolkit"
)

// TestFilesShareState opens a file twice, as two processes do.
func TestFilesShareState(t *testing.T) {
	s := startServer(t)
	dir := t.TempDir()
	secretFile := filepath.Join(dir, "secret")
	if err := os.WriteFile(secretFile, []byte(base64.StdEncoding.EncodeToString(secret())+"\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	t.Setenv("TEST_REDIS_URL", "redis://"+s.addr)
	text := "redis: {url_env: TEST_REDIS_URL, secret_file: secret, timeout: 5s,\n" +
		"  share: [approvals, breaker, budgets, cache, duplicates, loops, rates]}\n" +
		"policies:\n  budget: {session: {calls: 3}}\n  limit: {rate: {global: {calls: 100, window: 1m}}}\n" +
		"  breaker: {}\n  cache: {}\n  dedupe: {history: 1m}\n  loop: {}\n  approve: {remote: true}\n"
	handler := func() toolkit.Handler {
		file, err := config.OpenText(filepath.Join(dir, "toolscope.yaml"), []byte(text), redis.Section())
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { file.Close() })
		return middleware.Wrap(func(context.Context, toolkit.Call) (toolkit.Result, error) { return toolkit.Result{}, nil },
			file.Options(toolscope.Options{}).Settings.Policies...)
	}
	one, two := handler(), handler()
	ctx := toolkit.WithSession(t.Context(), toolkit.Session{ID: "s"})
	for i, want := range []bool{true, true, true, false, false} {
		_, err := []toolkit.Handler{one, two}[i%2](ctx, toolkit.Call{Name: "tool"})
		if (err == nil) != want {
			t.Errorf("call %d: got %v, want it granted: %t", i, err, want)
		}
	}
}

// A secret that others can read is named in the log, and the store is used.
func TestSecretThatOthersCanRead(t *testing.T) {
	s := startServer(t)
	var out bytes.Buffer
	before := slog.Default()
	slog.SetDefault(slog.New(slog.NewTextHandler(&out, nil)))
	defer slog.SetDefault(before)
	dir := t.TempDir()
	for name, mode := range map[string]os.FileMode{"open": 0o640, "closed": 0o600} {
		path := filepath.Join(dir, name)
		if err := os.WriteFile(path, []byte(base64.StdEncoding.EncodeToString(secret())), 0o600); err != nil {
			t.Fatal(err)
		}
		if err := os.Chmod(path, mode); err != nil {
			t.Fatal(err)
		}
	}
	t.Setenv("TEST_REDIS_URL", "redis://"+s.addr)
	text := "redis: {url_env: TEST_REDIS_URL, secret_file: open, other_secret_file: closed, share: [cache]}\n" +
		"policies: {cache: {}}\n"
	file, err := config.OpenText(filepath.Join(dir, "toolscope.yaml"), []byte(text), redis.Section())
	if err != nil {
		t.Fatal(err)
	}
	defer file.Close()
	if got := out.String(); strings.Count(got, "level=WARN") != 1 || !strings.Contains(got, filepath.Join(dir, "open")) {
		t.Errorf("got %q, want a warning of the one file", got)
	}
}

// TestSectionsThatAreWrong names the field, and never a password.
func TestSectionsThatAreWrong(t *testing.T) {
	t.Setenv("TEST_SECRET", strings.Repeat("x", 32))
	t.Setenv("TEST_SHORT", "short")
	t.Setenv("TEST_URL", "http://user:hidden@host:1")
	for section, want := range map[string]string{
		"{}":                             "share: got nothing",
		"{share: [budgets, everything]}": "share[1]",
		"{share: [budgets, budgets]}":    "share[1]",
		"{share: [budgets]}":             "secret_env",
		"{share: [budgets], secret_env: TEST_NONE}":                                                     "not set",
		"{share: [budgets], secret_env: TEST_SECRET}":                                                   "redis: url: got nothing",
		"{share: [budgets], secret_env: TEST_SHORT, url: redis://host}":                                 "got 5 bytes",
		"{share: [budgets], secret_env: TEST_SECRET, url_env: TEST_URL}":                                "want redis://",
		"{share: [budgets], secret_env: TEST_SECRET, url: 'rediss://host?skip_verify=true'}":            `redis: url: got the parameter "skip_verify"`,
		"{share: [budgets], secret_env: TEST_SECRET, url: 'redis://host?skip_verify=true'}":             `redis: url: got the parameter "skip_verify"`,
		"{share: [budgets], secret_env: TEST_SECRET, url_env: TEST_NONE}":                               `url_env: got "TEST_NONE", which is not set`,
		"{share: [rates, budgets], secret_env: TEST_SECRET, url: 'redis://127.0.0.1:1'}":                "redis.share: got budgets without a policy that has them, want a section policies.budget",
		"{share: [budgets], secret_env: TEST_SECRET, url: 'redis://user:hidden@host'}":                  "user or password",
		"{share: [budgets], secret_env: TEST_SECRET, url: redis://host, ca_file: /none}":                "ca_file",
		"{share: [budgets], secret_env: TEST_SECRET, url: redis://host, server_name: x}":                "rediss://",
		"{share: [budgets], secret_env: TEST_SECRET, url: redis://host, unknown: 1}":                    "unknown",
		"{share: [budgets], secret_env: TEST_SECRET, other_secret_env: TEST_SECRET, url: redis://host}": "same secret",
	} {
		_, err := config.OpenText("f.yaml", []byte("redis: "+section+"\npolicies: {limit: {}}\n"), redis.Section())
		if err == nil || !strings.Contains(err.Error(), want) || strings.Contains(err.Error(), "hidden") {
			t.Errorf("%s: got %v, want an error with %q", section, err, want)
		}
	}
	if _, err := config.OpenText("f.yaml", []byte("redis: {}\n")); err == nil || !strings.Contains(err.Error(), "store/redis") {
		t.Errorf("got %v, want an error that names the package of the section", err)
	}
}

// TestCertificatesAreChecked: a store that would take any certificate is not opened.
func TestCertificatesAreChecked(t *testing.T) {
	for _, o := range []redis.Options{
		{URL: "rediss://127.0.0.1:1", TLS: &tls.Config{InsecureSkipVerify: true}},
		{URL: "rediss://127.0.0.1:1?skip_verify=true"},
		{URL: "rediss://127.0.0.1:1?skip_verify=true", TLS: &tls.Config{}},
	} {
		o.Secrets = [][]byte{secret()}
		if store, err := redis.Open(o); err == nil {
			store.Close()
			t.Errorf("%s, %v: got a store, want an error", o.URL, o.TLS != nil)
		}
	}
}

// TestAnACLUserNeedsLittle uses a store as the user that docs/fleet.md recommends.
func TestAnACLUserNeedsLittle(t *testing.T) {
	s := startServer(t)
	page, err := os.ReadFile("../../docs/fleet.md")
	if err != nil {
		t.Fatal(err)
	}
	_, rule, _ := strings.Cut(string(page), "ACL SETUSER toolscope on >PASSWORD ")
	rule, _, _ = strings.Cut(rule, "\n")
	command := []any{"ACL", "SETUSER", "toolscope", "on", ">right"}
	for _, word := range strings.Fields(rule) {
		command = append(command, word)
	}
	if err := s.admin(t).Do(t.Context(), command...).Err(); err != nil {
		t.Fatal(err)
	}
	fresh := func(t *testing.T) *redis.Store {
		s.flush(t)
		return open(t, s, func(o *redis.Options) { o.URL = "redis://toolscope:right@" + s.addr })
	}
	if p := fresh(t).Problems(); len(p) != 0 {
		t.Errorf("got the problems %q, want none", p)
	}
	allContracts(t, fresh)
}
