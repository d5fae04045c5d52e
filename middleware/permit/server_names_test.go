// Copyright The toolscope Authors
// SPDX-License-Identifier: Apache-2.0

package permit

import "testing"

// Shells are recognised behind the name of the server that a manager puts in front of them, and in any case.
func TestShellsOfServersAreShells(t *testing.T) {
	rules, err := Compile(Spec{})
	if err != nil {
		t.Fatal(err)
	}
	for _, name := range []string{"shell_run", "files__shell_run", "mcp__srv__bash", "srv.shell_run", "srv/bash", "srv:sh", "BASH",
		"Shell", "pwsh"} {
		if argument, ok := rules.ShellArgument(name); !ok || argument != "COMMAND" {
			t.Errorf("%s: got %q, %t, want a shell with the argument command, folded", name, argument, ok)
		}
	}
	for _, name := range []string{"publish", "files__read", "bash_history", "execute"} {
		if _, ok := rules.ShellArgument(name); ok {
			t.Errorf("%s is taken for a shell", name)
		}
	}
	named, err := Compile(Spec{Shells: map[string]string{"run": "line"}})
	if err != nil {
		t.Fatal(err)
	}
	if _, ok := named.ShellArgument("srv__run"); ok {
		t.Error("names given by the application match more than they say")
	}
}

// Programs that a profile allows run no script files of the workspace, which the model may have written, and
// python's modules no files outside it.
func TestProfilesRunNoScripts(t *testing.T) {
	dir := t.TempDir()
	t.Chdir(dir)
	rules := mustCompile(t, Spec{Default: Deny, Workspace: []string{dir}, Rules: []Rule{
		{Name: "t", Effect: Allow, Shell: &Shell{Profiles: map[string]string{"sed": "read", "awk": "read", "python": "test",
			"jq": "read", "sqlite3": "query"}}},
	}})
	for _, line := range []string{"sed -n -f ev.sed a.txt", "sed --file=ev.sed a", "sed -fev.sed a", "awk -f ev.awk a",
		"awk --file=ev.awk a",
		"python -m json.tool a.txt x", "python -m compileall .", "python -m pytest /tmp/evil_test.py",
		"python -m unittest discover -s /etc",
		"python -m pytest -c /tmp/x", "python -m pytest --junitxml=/etc/x", "python run.py ../x", "python -m pytest .env",
		`jq -n 'import "x" as $d {search:"/etc"}; $d'`, `jq -n 'include "evil" {search:"/tmp"}; x'`, "jq -n env", "jq -n '$ENV.TOKEN'",
		"sqlite3 file:%2fetc%2fx 'select 1'", "sqlite3 'file:.%65nv' 'select 1'", "sqlite3 'FILE:..%2fx.db?mode=rwc' 'select 1'"} {
		if d := rules.Decide(nil, shellCall(line)); d.Effect == Allow {
			t.Errorf("%q: allowed by %s", line, d.Rule)
		}
	}
	for _, line := range []string{"sed -n 1,5p a.txt", "awk '{print $1}' a.txt", "python -m pytest tests",
		"python -m unittest", "python run.py",
		"jq .name a.json", "sqlite3 a.db 'select 1'"} {
		if d := rules.Decide(nil, shellCall(line)); d.Effect != Allow {
			t.Errorf("%q: %v: %s", line, d.Effect, d.Reason)
		}
	}
}
