// Copyright The toolscope Authors
// SPDX-License-Identifier: Apache-2.0

package main

import (
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/toolscope/toolscope/stats"
)

// Errors in the command line name the option, the value, what is wanted, and the nearest name.
func TestUsageErrorsSuggestNames(t *testing.T) {
	t.Setenv("TOOLSCOPE_URL", "")
	for _, c := range []struct{ args, want string }{
		{"statz --watch", `toolscope: got command "statz", want one of demo, stats, `},
		{"statz", "(did you mean stats?)\nRun 'toolscope --help' for the options.\n"},
		{
			"stats --windw 5m",
			"toolscope stats: unknown option --windw (did you mean --window?)\nRun 'toolscope stats --help' for the " +
				"options.\n",
		},
		{"stats -window 5m", "toolscope stats: unknown option -window (did you mean --window?)"},
		{
			"stats --window 16m",
			"--window: got \"16m\", want one of " + strings.Join(
				stats.WindowNames(), ", ",
			) + " (did you mean 1m or 15m?)",
		},
		{"stats --sort nmae", "(did you mean name?)"},
		{"stats --every", "--every: got no value, want a time with its unit, such as 30s or 5m"},
		{"stats --every 5", `--every: got "5", want a time with its unit, such as 30s or 5m`},
		{"top --width wide", `--width: got "wide", want a whole number`},
		{"demo --seed -1", `--seed: got "-1", want a whole number, 0 or more`},
		{"demo --once=maybe", `--once: got "maybe", want true or false`},
		{"export --to html --outcome refusd x", "(did you mean refused?)"},
		{"tools file_raed", "(did you mean file_read?)"},
		{"approvals aprove x", "(did you mean approve?)"},
		{"mcp --accept-tool -- x", "(did you mean --accept-tools?)"},
		{"mcp --bar -- x", "unknown option --bar\n"},
		{"help statz", "(did you mean stats?)"},
	} {
		code, stdout, stderr := invoke(strings.Fields(c.args)[0], "", strings.Fields(c.args)[1:]...)
		if code != exitUsage || stdout != "" || !strings.Contains(stderr, c.want) {
			t.Errorf("%s: got %d, %q, %q, want %d and %q", c.args, code, stdout, stderr, exitUsage, c.want)
		}
	}
}

// Helps name the windows that there are.
func TestHelpNamesTheWindows(t *testing.T) {
	for _, command := range []string{"stats", "top"} {
		_, help, _ := invoke(command, "", "--help")
		if want := strings.Join(stats.WindowNames(), ", "); !strings.Contains(
			strings.Join(strings.Fields(help), " "),
			want,
		) {
			t.Errorf("%s --help: got %s, want %q in it", command, help, want)
		}
	}
}

// Each command has a help with its options, exit codes, and lines that fit.
func TestHelps(t *testing.T) {
	_, all, _ := invoke("help", "")
	for line := range strings.Lines(all) {
		words := strings.Fields(line)
		if !strings.HasPrefix(line, "  ") || len(words) == 0 || strings.HasPrefix(words[0], "-") {
			continue
		}
		code, help, stderr := invoke(words[0], "", "--help")
		if code != exitOK || stderr != "" || !strings.Contains(help, "\nUsage: toolscope "+words[0]) {
			t.Errorf("%s --help: got %d, %q, %q", words[0], code, help, stderr)
		}
		if !strings.Contains(help, "Exit code: ") && words[0] != "version" && words[0] != "completion" {
			t.Errorf("%s --help: got no exit codes in\n%s", words[0], help)
		}
		for line := range strings.Lines(help) {
			if n := len([]rune(strings.TrimSuffix(line, "\n"))); n > 100 {
				t.Errorf("%s --help: got a line of %d characters: %s", words[0], n, line)
			}
		}
	}
}

// The scripts that complete options are accepted by their shells.
func TestCompletion(t *testing.T) {
	for _, shell := range []string{"bash", "zsh", "fish"} {
		code, script, stderr := invoke("completion", "", shell)
		if code != exitOK || stderr != "" || !strings.Contains(script, "__complete") {
			t.Errorf("%s: got %d, %q and a script of %d bytes", shell, code, stderr, len(script))
		}
		if _, err := exec.LookPath(shell); err != nil {
			continue
		}
		check := exec.Command(shell, "-n")
		check.Stdin = strings.NewReader(script)
		if out, err := check.CombinedOutput(); err != nil || len(out) > 0 {
			t.Errorf("%s -n: got %v, %s", shell, err, out)
		}
	}
	for args, want := range map[string]string{
		"st": "stats\t", "stats --wi": "--window\t", "stats --window ": "15m\n", "approvals ": "reject\n", "export --to h": "html\n",
	} {
		words := strings.Split(args, " ")
		if _, out, _ := invoke("__complete", "", words...); !strings.Contains(out, want) {
			t.Errorf("%q: got completions %q, want %q", args, out, want)
		}
	}
}

// The manual has a page for each command that the formatter accepts.
func TestManual(t *testing.T) {
	code, page, stderr := invoke("man", "")
	if code != exitOK || stderr != "" || !strings.Contains(page, `.TH "TOOLSCOPE" "1"`) ||
		!strings.Contains(page, "toolscope-stats(1)") {
		t.Fatalf("got %d, %q, %s", code, stderr, page)
	}
	dir := t.TempDir()
	if code, _, stderr := invoke("man", "", dir); code != exitOK {
		t.Fatalf("got %d, %s", code, stderr)
	}
	pages, err := filepath.Glob(filepath.Join(dir, "toolscope*.1"))
	if err != nil || len(pages) < 18 {
		t.Errorf("got %q and %v, want a page for each command", pages, err)
	}
	if code, _, stderr := invoke("man", "", filepath.Join(dir, "none")); code != exitError || stderr == "" {
		t.Errorf("a directory that is missing: got %d, %q", code, stderr)
	}
	if _, err := exec.LookPath("groff"); err != nil {
		t.Skip("no groff")
	}
	for _, name := range pages {
		if out, err := exec.Command(
			"groff", "-man", "-Kutf8", "-Tutf8", "-ww", "-Wbreak", "-z", name,
		).CombinedOutput(); err != nil ||
			len(out) > 0 {
			t.Errorf("%s: got %v, %s", filepath.Base(name), err, out)
		}
	}
}
