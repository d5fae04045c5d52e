// Copyright The toolscope Authors
// SPDX-License-Identifier: Apache-2.0

package python

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"strings"
	"time"

	"github.com/toolscope/toolscope/internal/process"
)

// probeTime is how long the interpreter may take to say what it is.
const probeTime = 10 * time.Second

const probe = `import sys, json
print(json.dumps({"path": sys.executable, "version": list(sys.version_info[:3]),
  "dirs": [sys.prefix, sys.exec_prefix, sys.base_prefix, sys.base_exec_prefix] + sys.path}))`

// interpreter is a Python of this machine, and the walls there are for it.
type interpreter struct {
	Path    string
	Version [3]int
	Dirs    []string // where it and its modules are

	walls   process.Walls
	missing []string // the walls that there are not, and why
}

// library is what an interpreter reads besides its own directories.
var library = []string{
	"/usr/lib", "/usr/lib64", "/usr/local/lib", "/lib", "/lib64", "/nix/store", "/etc/ld.so.cache", "/etc/localtime",
	"/usr/share/zoneinfo", "/dev/urandom",
}

// Available tells what keeps [New] from having a Python that can be used: none that
// Options.Python names, or one that is too old; nil if nothing does.
func Available(o Options) error {
	o, _, err := o.complete()
	if err != nil {
		return err
	}
	if _, err := ask(o.Python); err != nil {
		return fmt.Errorf("python: %w", err)
	}
	return nil
}

// find finds the interpreter of that name and builds its walls.
func find(name string) (*interpreter, error) {
	i, err := ask(name)
	if err != nil {
		return nil, err
	}
	i.build()
	return i, nil
}

// ask asks the interpreter of that name what it is. The error is for the model.
func ask(name string) (*interpreter, error) {
	if err := process.Supported(); err != nil {
		return nil, err
	}
	path, err := exec.LookPath(name)
	if err != nil {
		return nil, fmt.Errorf("there is no %s on this machine", name)
	}
	var env []string
	for _, v := range []string{"PATH", "HOME"} { // a shim of a version manager wants both
		env = append(env, v+"="+os.Getenv(v))
	}
	ended, err := process.Command{Path: path, Args: []string{"-I", "-S", "-c", probe}, Env: env, Limit: probeTime,
		MaxOutput: 64 << 10}.Run(context.Background())
	if err != nil {
		return nil, fmt.Errorf("%s does not start: %w", name, err)
	}
	i := new(interpreter)
	if err := json.Unmarshal([]byte(ended.Stdout.Text()), i); err != nil || i.Path == "" {
		return nil, fmt.Errorf("%s is no Python 3 that works: it ended by %v", name, ended.State)
	}
	if v := i.Version; v[0] != 3 || v[1] < 8 {
		return nil, fmt.Errorf("%s is Python %d.%d, and 3.8 or later is needed", name, v[0], v[1])
	}
	return i, nil
}

// build tries which walls this machine has: all at once, and one by one if that fails.
func (i *interpreter) build() {
	reach := &process.Reach{Read: i.reads(), Offline: true}
	if all := (process.Walls{Reach: reach, PID: true, Network: true}); i.try(all) == nil {
		i.walls = all
		return
	}
	for _, wall := range []struct {
		name string
		add  func(*process.Walls)
	}{
		{"Landlock", func(w *process.Walls) { w.Reach = reach }},
		{"a PID namespace", func(w *process.Walls) { w.PID = true }},
		{"a network namespace", func(w *process.Walls) { w.Network = true }},
	} {
		more := i.walls
		wall.add(&more)
		if err := i.try(more); err != nil {
			i.missing = append(i.missing, fmt.Sprintf("%s (%v)", wall.name, err))
			continue
		}
		i.walls = more
	}
}

func (i *interpreter) try(w process.Walls) error {
	return process.Check(w, environment(os.TempDir()), i.Path, "-I", "-S", "-c", "import json, ast, hashlib")
}

func (i *interpreter) reads() []string {
	read := []string{i.Path}
	for _, dir := range append(i.Dirs, library...) {
		if dir != "" && dir != "/" && dir != "/usr" { // of these the parts that are listed
			read = append(read, dir)
		}
	}
	return read
}

// around gives the walls for a program that may write in dir; "" is nowhere.
func (i *interpreter) around(dir string) process.Walls {
	w := i.walls
	if w.Reach != nil && dir != "" {
		reach := *w.Reach
		reach.Write = []string{dir}
		w.Reach = &reach
	}
	return w
}

// complete fails if a wall is missing.
func (i *interpreter) complete() error {
	if len(i.missing) > 0 {
		return errors.New("this machine lacks " + strings.Join(i.missing, " and "))
	}
	return nil
}

// described says for the model which Python it is and what keeps it in.
func (i *interpreter) described() string {
	text := fmt.Sprintf("Python %d.%d.%d", i.Version[0], i.Version[1], i.Version[2])
	switch {
	case i.walls.Network || i.walls.Reach != nil && process.RefusesTCP():
		text += ", without network"
	default:
		text += ", which this machine cannot keep from the network"
	}
	if i.walls.Reach == nil {
		text += " and from the files of its user"
	}
	return text
}

// environment is a program's: nothing of the application's.
func environment(dir string) []string {
	return []string{"PATH=/usr/local/bin:/usr/bin:/bin", "LANG=C.UTF-8", "HOME=" + dir, "TMPDIR=" + dir,
		"OMP_NUM_THREADS=1", "OPENBLAS_NUM_THREADS=1"}
}
