// Copyright The toolscope Authors
// SPDX-License-Identifier: Apache-2.0

package shell

import (
	"fmt"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/toolscope/toolscope/internal/process"
)

// system is what confined commands read of the machine besides the directories of PATH.
// /proc as a whole is not among it: it shows a privileged user the environment of other
// processes, Landlock or not.
var system = []string{
	"/usr", "/bin", "/sbin", "/lib", "/lib32", "/lib64", "/libx32", "/etc", "/opt", "/nix/store",
	"/dev/zero", "/dev/full", "/dev/random", "/dev/urandom",
	"/proc/cpuinfo", "/proc/filesystems", "/proc/loadavg", "/proc/meminfo", "/proc/stat", "/proc/uptime", "/proc/version",
}

// command is a command line as a process.
func (o Options) command(line string, limit time.Duration) process.Command {
	return process.Command{
		Path: o.Shell, Args: o.arguments(line), Dir: o.Dir, Env: o.Env,
		Limit: limit, MaxOutput: o.MaxOutput, Walls: o.walls(),
	}
}

// arguments are those of the shell. In a PID namespace a second shell stands above the
// command's: the first process of a namespace is immune to its own signals.
func (o Options) arguments(command string) []string {
	if o.PIDNamespace {
		return []string{"-c", `"$0" -c -- "$1"; exit $?`, o.Shell, command}
	}
	return []string{"-c", "--", command}
}

func (o Options) walls() process.Walls {
	w := process.Walls{PID: o.PIDNamespace}
	if c := o.Confine; c != nil {
		w.Reach = &process.Reach{
			Read:    slices.Concat(system, o.programs(), c.Read),
			Write:   append([]string{o.Dir}, c.Write...),
			Offline: !c.Network,
		}
	}
	return w
}

// programs are the directories of PATH, as far as they are absolute.
func (o Options) programs() (dirs []string) {
	for _, e := range o.Env {
		if path, ok := strings.CutPrefix(e, "PATH="); ok {
			dirs = slices.DeleteFunc(filepath.SplitList(path), func(d string) bool { return !filepath.IsAbs(d) })
		}
	}
	return dirs
}

// checkWalls tries what the options ask of the machine.
func (o Options) checkWalls() error {
	if o.PIDNamespace {
		if err := process.Check(process.Walls{PID: true}, o.Env, o.Shell, "-c", "exit 0"); err != nil {
			return fmt.Errorf("shell: Options.PIDNamespace: got true, but this machine allows none (%w), want false", err)
		}
	}
	if o.Confine == nil {
		return nil
	}
	for i, path := range slices.Concat(o.Confine.Read, o.Confine.Write) {
		if !filepath.IsAbs(path) {
			return fmt.Errorf("shell: Options.Confine: path %d: got %q, want an absolute path", i, path)
		}
	}
	if err := process.Check(o.walls(), o.Env, o.Shell, "-c", "exit 0"); err != nil {
		return fmt.Errorf("shell: Options.Confine: got one, but this machine cannot do it (%w), want nil", err)
	}
	if !o.Confine.Network && !process.RefusesTCP() {
		return fmt.Errorf("shell: Options.Confine.Network: got false, but this kernel cannot refuse connections " +
			"(Linux 6.7 or later can), want true")
	}
	return nil
}
