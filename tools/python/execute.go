// Copyright The toolscope Authors
// SPDX-License-Identifier: Apache-2.0

package python

import (
	"context"
	_ "embed"
	"encoding/json"
	"os"
	"time"

	"github.com/toolscope/toolscope/internal/process"
)

// guard is the script that stands between the interpreter and a program.
//
//go:embed guard.py
var guard string

// job is what the guard gets.
type job struct {
	Code      string           `json:"code"`
	Guarded   bool             `json:"guarded"`
	Modules   []string         `json:"modules"`
	Forbidden []string         `json:"forbidden"`
	Limits    map[string]int64 `json:"limits"`
}

// execute runs a program in a new directory, which is removed afterwards.
func (t *runner) execute(ctx context.Context, code string, limit time.Duration) (*process.Ended, error) {
	dir, err := os.MkdirTemp("", "toolscope-python-")
	if err != nil {
		return nil, process.NotStarted(ctx, "Python", err)
	}
	defer os.RemoveAll(dir)
	told, err := json.Marshal(job{code, t.rules.guarded, t.rules.modules, t.rules.forbidden, t.limits(limit)})
	if err != nil {
		return nil, process.NotStarted(ctx, "Python", err)
	}
	writable := ""
	if !t.rules.guarded {
		writable = dir
	}
	ended, err := process.Command{
		Path: t.python.Path, Args: t.arguments(), Dir: dir, Env: environment(dir), Input: told, Report: true,
		Limit: limit, MaxOutput: t.options.MaxOutput, Walls: t.python.around(writable),
	}.Run(ctx)
	if err != nil {
		return nil, process.NotStarted(ctx, "Python", err)
	}
	return ended, nil
}

// arguments keep the interpreter from the environment, from writing bytecode, and,
// unless the host allowed more modules than Python's own, from installed packages.
func (t *runner) arguments() []string {
	args := []string{"-I", "-B", "-X", "utf8"}
	if t.rules.guarded && len(t.options.ExtraModules[t.options.Level]) == 0 {
		args = append(args, "-S")
	}
	return append(args, "-c", guard)
}

// limits are those that the guard sets for itself, by the names of setrlimit(2).
func (t *runner) limits(limit time.Duration) map[string]int64 {
	limits := map[string]int64{
		"AS": t.options.MaxMemory, "CPU": int64(limit/time.Second) + 2, "CORE": 0, "NOFILE": 64, "FSIZE": 0, "NPROC": 0,
	}
	if !t.rules.guarded {
		limits["NOFILE"], limits["FSIZE"] = 256, 64<<20
		delete(limits, "NPROC")
	}
	return limits
}
