// Copyright The toolscope Authors
// SPDX-License-Identifier: Apache-2.0

package e2e

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"os"
	"os/exec"
	"path/filepath"
	"sync"
	"testing"
	"time"
)

// npmPackages is the node_modules folder with what npm/package-lock.json names. It lies in
// the user's cache, under the lock's hash, and is made once. Where TOOLSCOPE_E2E is not
// 1 its absence skips the test.
func npmPackages(t *testing.T) string {
	t.Helper()
	program(t, "node")
	folder, err := installPackages()
	if err != nil {
		t.Fatal(err)
	}
	if folder == "" {
		t.Skip("the npm packages are not installed on this machine; TOOLSCOPE_E2E=1 installs them")
	}
	return folder
}

var installPackages = sync.OnceValues(func() (string, error) {
	lock, err := os.ReadFile(filepath.Join("npm", "package-lock.json"))
	if err != nil {
		return "", err
	}
	cache, err := os.UserCacheDir()
	if err != nil {
		return "", err
	}
	hash := sha256.Sum256(lock)
	folder := filepath.Join(cache, "toolscope-e2e", "npm-"+hex.EncodeToString(hash[:8]))
	modules, done := filepath.Join(folder, "node_modules"), filepath.Join(folder, "installed")
	if _, err := os.Stat(done); err == nil {
		return modules, nil
	}
	if os.Getenv("TOOLSCOPE_E2E") != "1" {
		return "", nil
	}
	if err := os.CopyFS(folder, os.DirFS("npm")); err != nil && !os.IsExist(err) {
		return "", err
	}
	ctx, cancel := context.WithTimeout(context.Background(), 5*time.Minute)
	defer cancel()
	cmd := exec.CommandContext(ctx, "npm", "ci", "--ignore-scripts", "--no-audit", "--no-fund", "--loglevel=error")
	cmd.Dir, cmd.Stdout, cmd.Stderr = folder, os.Stderr, os.Stderr
	if err := cmd.Run(); err != nil {
		return "", err
	}
	return modules, os.WriteFile(done, nil, 0o600)
})
