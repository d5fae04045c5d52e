// Copyright The toolscope Authors
// SPDX-License-Identifier: Apache-2.0

//go:build !windows

package bash

import (
	"context"
	"fmt"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"
)

// traced runs command lines in a scratch directory where every program is a script
// that writes down its name, or one that starts such scripts.
type traced struct {
	bash, dir, bin string
	runs           int
}

func newTraced(t testing.TB) *traced {
	bash, err := exec.LookPath("bash")
	if err != nil {
		if os.Getenv("TOOLSCOPE_E2E") == "1" {
			t.Fatal("no bash")
		}
		t.Skip("no bash")
	}
	dir := t.TempDir()
	if os.Geteuid() == 0 { // another user runs the lines: the directories above let it through
		for _, d := range []string{dir, filepath.Dir(dir)} {
			if err := os.Chmod(d, 0o755); err != nil {
				t.Fatal(err)
			}
		}
	}
	x := &traced{bash: bash, dir: dir, bin: filepath.Join(dir, "bin")}
	if err := os.Mkdir(x.bin, 0o755); err != nil {
		t.Fatal(err)
	}
	// What a killed line leaves behind writes to a directory that is not read any more.
	script := "#!" + bash + "\nprintf '%s\\n' \"${0##*/}\" >> .trace\n"
	for _, p := range strings.Split("p0 p1 p2 p3 p4 p5 p6 p7 p8 p9", " ") {
		if err := os.WriteFile(filepath.Join(x.bin, p), []byte(script), 0o755); err != nil {
			t.Fatal(err)
		}
	}
	for _, p := range strings.Split("sh bash env nice nohup timeout xargs find", " ") {
		if real, err := exec.LookPath(p); err == nil {
			if err := os.Symlink(real, filepath.Join(x.bin, p)); err != nil {
				t.Fatal(err)
			}
		}
	}
	return x
}

// run runs a line and returns the programs that ran. They have a second.
func (x *traced) run(t testing.TB, line string) []string {
	x.runs++
	work := filepath.Join(x.dir, fmt.Sprint("run", x.runs))
	if err := os.Mkdir(work, 0o755); err != nil {
		t.Fatal(err)
	}
	defer os.RemoveAll(work)
	if os.Geteuid() == 0 {
		if err := os.Chown(work, otherUser, otherUser); err != nil {
			t.Fatal(err)
		}
	}
	ctx, cancel := context.WithTimeout(context.Background(), time.Second)
	defer cancel()
	limits := "ulimit -t 2 -f 64 -n 64 -c 0; exec \"$0\" --norc --noprofile -c \"$1\""
	cmd := exec.CommandContext(ctx, x.bash, "-c", limits, x.bash, line)
	cmd.Dir = work
	cmd.Env = []string{"PATH=" + x.bin, "HOME=" + work, "LC_ALL=C.UTF-8"}
	ownGroup(cmd)
	cmd.WaitDelay = 100 * time.Millisecond
	_ = cmd.Run() // what it says of errors does not matter
	endGroup(cmd)
	text, err := os.ReadFile(filepath.Join(work, ".trace"))
	if err != nil {
		return nil
	}
	return strings.Fields(string(text))
}

// check runs a line that is understood, as the gate prints it: no program may run that was not listed. It
// reports whether anything ran.
func (x *traced) check(t testing.TB, line string) bool {
	parsed := Parse(line)
	if !parsed.Understood() || strings.ContainsAny(line, "/~") {
		return false
	}
	canonical, ok := Canonical(line, parsed)
	if !ok {
		return false
	}
	judged := parsed.Programs()
	ran := x.run(t, canonical)
	for _, p := range ran {
		if !slices.Contains(judged, p) {
			t.Errorf("bash ran %s, which was not judged, of\n%s\nprinted as\n%s\njudged: %q\nran: %q", p, line, canonical, judged, ran)
			return true
		}
	}
	return len(ran) > 0
}

// Lines whose commands hide, run for real.
func TestAgainstBash(t *testing.T) {
	x := newTraced(t)
	ran := 0
	seeds := rand.New(rand.NewPCG(1, 2))
	for range 300 {
		choices := make([]byte, 120)
		for i := range choices {
			choices[i] = byte(seeds.Uint32())
		}
		if x.check(t, (&generator{choices: choices}).line()) {
			ran++
		}
		if t.Failed() {
			return
		}
	}
	if ran < 30 {
		t.Errorf("only %d of 300 lines ran anything: the test tests little", ran)
	}
}

// Whatever bash runs of a line without doubts was listed.
func FuzzAgainstBash(f *testing.F) {
	x := newTraced(f)
	seeds := rand.New(rand.NewPCG(3, 4))
	for range 40 {
		choices := make([]byte, 200)
		for i := range choices {
			choices[i] = byte(seeds.Uint32())
		}
		f.Add(choices)
	}
	f.Fuzz(func(t *testing.T, choices []byte) {
		if len(choices) > 1000 {
			return
		}
		x.check(t, (&generator{choices: choices}).line())
	})
}
