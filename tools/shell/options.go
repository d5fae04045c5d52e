// Copyright The toolscope Authors
// SPDX-License-Identifier: Apache-2.0

package shell

import (
	"cmp"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"time"
)

// The defaults of [Options].
const (
	defaultTimeout   = 30 * time.Second
	defaultMaxOutput = 64 << 10
)

// Options say how commands run. The zero value works.
type Options struct {
	// Dir is the directory in which commands start; "" is the process's own at the time
	// of [New]. It confines nothing.
	Dir string
	// Timeout is the longest a command may run; 0 is 30 seconds. A deadline
	// of the caller's context that comes first wins.
	Timeout time.Duration
	// MaxOutput is how many bytes of stdout, and as many of stderr, are kept, half of
	// them from the beginning and half from the end; 0 is 64 KiB.
	MaxOutput int
	// Env are further variables, each "NAME=value", beside PATH, HOME and LANG,
	// which are the process's own. They replace variables of the same name.
	Env []string
	// Shell is the shell's path or its name in PATH; it is run as `Shell -c -- command`.
	// "" is bash, else sh.
	Shell string
	// PIDNamespace runs each command in a PID namespace of its own, with which all its
	// processes end, whatever they do. Linux only; a user that is not root also gets a
	// user namespace, where files of other users seem to have no owner. [New] fails where
	// the machine does not allow it. The default finds processes that left the group by
	// a mark in their environment, on Linux, and not otherwise.
	PIDNamespace bool
	// Confine keeps commands to some directories, whatever their user may; nil, the
	// default, confines nothing. [New] fails where the machine cannot do it.
	Confine *Confinement
}

// A Confinement is what commands reach of the machine: the system's programs and
// libraries (/usr, /bin, /lib, /etc, /opt and the like, and the directories of PATH, but of
// /proc a few files only, so that ps does not work) to read, [Options.Dir] to write, and what is
// named here. It is enforced by the kernel
// (Landlock, Linux 5.13 or later) for a command and all its descendants, which also
// get no new privileges: sudo does not work. The zero value adds nothing.
type Confinement struct {
	// Read are further directories and files that may be read. The default is none, not
	// even HOME.
	Read []string
	// Write are further directories and files that may be written, /tmp perhaps. The
	// default is none.
	Write []string
	// Network allows TCP connections. The default, false, needs Linux 6.7 or later; UDP and
	// sockets of the machine itself are not refused by it.
	Network bool
}

// complete checks the options and puts in the defaults.
func (o Options) complete() (Options, error) {
	wrong := func(field string, got any, want string) (Options, error) {
		return o, fmt.Errorf("shell: Options.%s: got %v, want %s", field, got, want)
	}
	if o.Timeout < 0 {
		return wrong("Timeout", o.Timeout, "a duration above 0, or 0 for 30s")
	}
	if o.MaxOutput < 0 {
		return wrong("MaxOutput", o.MaxOutput, "a number of bytes above 0, or 0 for 64 KiB")
	}
	dir, err := filepath.Abs(o.Dir)
	if err != nil {
		return o, fmt.Errorf("shell: Options.Dir: %w", err)
	}
	if info, err := os.Stat(dir); err != nil {
		return o, fmt.Errorf("shell: Options.Dir: %w", err)
	} else if !info.IsDir() {
		return wrong("Dir", "a file", "a directory")
	}
	env := baseEnv()
	for i, e := range o.Env {
		name, _, ok := strings.Cut(e, "=")
		if !ok || name == "" || strings.ContainsRune(e, 0) {
			return wrong(fmt.Sprintf("Env[%d]", i), "an entry of another form", `"NAME=value" without NUL`)
		}
		env = append(env, e)
	}
	shell, err := findShell(o.Shell)
	if err != nil {
		return o, err
	}
	o.Dir, o.Env, o.Shell = dir, env, shell
	if err := o.checkWalls(); err != nil {
		return o, err
	}
	o.Timeout = cmp.Or(o.Timeout, defaultTimeout)
	o.MaxOutput = cmp.Or(o.MaxOutput, defaultMaxOutput)
	return o, nil
}

// baseEnv is what a command needs of the process's environment, and no more:
// the rest often holds credentials.
func baseEnv() []string {
	var env []string
	for _, v := range []struct{ name, fallback string }{
		{"PATH", "/usr/local/bin:/usr/bin:/bin"}, {"HOME", ""}, {"LANG", ""},
	} {
		value := os.Getenv(v.name)
		value = cmp.Or(value, v.fallback)
		if value != "" {
			env = append(env, v.name+"="+value)
		}
	}
	return env
}

func findShell(name string) (string, error) {
	names := []string{"bash", "sh"}
	if name != "" {
		names = []string{name}
	}
	for _, n := range names {
		if path, err := exec.LookPath(n); err == nil {
			return filepath.Abs(path)
		}
	}
	return "", fmt.Errorf("shell: Options.Shell: found no %s, want the path of a shell", strings.Join(names, " and no "))
}
