// Copyright The toolscope Authors
// SPDX-License-Identifier: Apache-2.0

package jaeger

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
)

const (
	module = "github.com/jaegertracing/jaeger"
	tool   = module + "/cmd/jaeger"
)

// Built is the binary that [Build] made before, for this version of Jaeger and of Go;
// ok is false if there is none.
func Built(ctx context.Context) (path string, ok bool) {
	path, _, err := binary(ctx)
	if err != nil {
		return "", false
	}
	_, err = os.Stat(path)
	return path, err == nil
}

// Build returns Jaeger's binary, and builds it if there is none yet: that takes two
// to three minutes on two cores. It is kept in the user's cache directory, by version.
func Build(ctx context.Context) (string, error) {
	path, tools, err := binary(ctx)
	if err != nil {
		return "", err
	}
	if _, err := os.Stat(path); err == nil {
		return path, nil
	}
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		return "", fmt.Errorf("jaeger: %w", err)
	}
	scratch, err := os.MkdirTemp(filepath.Dir(path), "build-")
	if err != nil {
		return "", fmt.Errorf("jaeger: %w", err)
	}
	defer os.RemoveAll(scratch)
	made := filepath.Join(scratch, filepath.Base(path))
	args := []string{"go", "build", "-trimpath", "-o", made, tool}
	if nice, err := exec.LookPath("nice"); err == nil { // it is a long build on a machine that others use
		args = append([]string{nice, "-n", "10"}, args...)
	}
	cmd := exec.CommandContext(ctx, args[0], args[1:]...)
	cmd.Dir = tools
	if out, err := cmd.CombinedOutput(); err != nil {
		return "", fmt.Errorf("jaeger: building %s: %w\n%s", tool, err, out)
	}
	if err := os.Rename(made, path); err != nil { // at once, so that no test runs half of it
		return "", fmt.Errorf("jaeger: %w", err)
	}
	return path, nil
}

// binary is where the binary is kept, and the directory of the module that it is a
// tool of.
func binary(ctx context.Context) (path, tools string, err error) {
	mod, err := goCommand(ctx, "", "env", "GOMOD")
	if err != nil {
		return "", "", err
	}
	tools = filepath.Join(filepath.Dir(mod), "tools")
	if _, err := os.Stat(filepath.Join(tools, "go.mod")); err != nil {
		return "", "", fmt.Errorf("jaeger: it is built from within the e2e module: %w", err)
	}
	version, err := goCommand(ctx, tools, "list", "-m", "-f", "{{.Version}}", module)
	if err != nil {
		return "", "", err
	}
	cache, err := os.UserCacheDir()
	if err != nil {
		return "", "", fmt.Errorf("jaeger: %w", err)
	}
	name := "jaeger-" + version + "-" + runtime.Version()
	if runtime.GOOS == "windows" {
		name += ".exe"
	}
	return filepath.Join(cache, "toolscope", name), tools, nil
}

func goCommand(ctx context.Context, dir string, args ...string) (string, error) {
	cmd := exec.CommandContext(ctx, "go", args...)
	cmd.Dir = dir
	out, err := cmd.Output()
	if err != nil {
		var exit *exec.ExitError
		if errors.As(err, &exit) {
			err = fmt.Errorf("%w: %s", err, exit.Stderr)
		}
		return "", fmt.Errorf("jaeger: go %s: %w", strings.Join(args, " "), err)
	}
	return strings.TrimSpace(string(out)), nil
}
