// Copyright The toolscope Authors
// SPDX-License-Identifier: Apache-2.0

package permit

import (
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/toolscope/toolscope/middleware/permit/internal/workspace"
	"github.com/toolscope/toolscope/toolkit"
)

// shellCall is a call of a tool that runs shell commands.
func shellCall(command string) toolkit.Call {
	text, _ := json.Marshal(map[string]string{"command": command})
	return toolkit.Call{Name: "bash", Arguments: text}
}

func mustCompile(t testing.TB, spec Spec) *Rules {
	t.Helper()
	rules, err := Compile(spec)
	if err != nil {
		t.Fatal(err)
	}
	return rules
}

// The built-in rules, in the spellings that people try.
func TestBuiltin(t *testing.T) {
	work := t.TempDir()
	rules := mustCompile(t, Spec{Workspace: []string{work}})
	in := filepath.Join(work, "f")
	for rule, commands := range map[string][]string{
		"deny-rm-root": {
			"rm -rf /", "rm -r -f /", "rm -fr /", "rm -Rf /", "rm --recursive --force /", "rm --recurs /", "rm -rf -- /",
			"rm -rf //", "rm -rf /.", "rm -rf /./", "rm -rf /../..", "rm -rf /*", "rm -rf '/'", `rm -rf "/"`, `rm -rf \/`,
			`rm -rf $'/'`, `rm -rf $'\x2f'`,
			`\rm -rf /`, `'rm' -rf /`, `r''m -rf /`, `$'\x72m' -rf /`, "/bin/rm -rf /", "RM -rf /", "rm / -rf", "rm -rf ~",
			"rm -rf ~/", "rm -rf ~/*", "rm -rf $HOME", "rm -rf \"$HOME\"", "rm -rf ${HOME}/", "rm -rf /etc", "rm -rf /usr/",
			"rm -rf /usr/*", "rm -rf /home", "rm -rf /{bin,etc}", "rm -rf /[a-z]*", "rm -rf --no-preserve-root /",
			"true && rm -rf /", "true; rm -rf /", "true | rm -rf /", "true & rm -rf /", "(rm -rf /)", "{ rm -rf /; }",
			"if true; then rm -rf /; fi", "echo $(rm -rf /)", "echo `rm -rf /`", "cat <(rm -rf /)", "f() { rm -rf /; }; f",
			"while :; do rm -rf /; done", "cat <<E\n$(rm -rf /)\nE",
			"env rm -rf /", "env -i X=1 rm -rf /", "nohup nice -n 5 rm -rf /", "timeout 5 rm -rf /",
			"command rm -rf /", "exec rm -rf /", "xargs rm -rf / < f", "busybox rm -rf /",
			"find . -exec rm -rf / \\;", "find / -delete", "sh -c 'rm -rf /'", "bash -c \"sh -c 'rm -rf /'\"",
			"eval rm -rf /", "eval 'rm -rf /'", "trap 'rm -rf /' EXIT", "ssh host rm -rf /", "time rm -rf /",
			"X=/; rm -rf $X", "X=rm; $X -rf /", "rm${IFS}-rf${IFS}/", "{rm,-rf,/}", "rm -rf ${X:-/}",
			"rm -rf $(echo /)", "echo 'rm -rf /' | sh", "sh <<< 'rm -rf /'", "sh <<E\nrm -rf /\nE",
			"cd / && rm -rf *", "alias x='rm -rf /'", "rm -rf / (", "rm -rf /;)", "rm -rf build /",
		},
		"deny-root": {
			"sudo ls", "sudo -n true", "/usr/bin/sudo ls", "doas ls", "su -c ls", "pkexec ls", "ls && sudo ls",
			"$(sudo ls)", "xargs sudo ls", "env sudo ls", "S=sudo; $S ls", "Sudo ls",
		},
		"deny-shutdown": {
			"shutdown -h now", "reboot", "halt", "poweroff", "systemctl reboot", "systemctl --force poweroff",
			"init 0", "systemctl isolate rescue.target", "/sbin/reboot", "sh -c reboot",
		},
		"deny-mkfs": {"mkfs /dev/sda1", "mkfs.ext4 /dev/sda1", "/sbin/mkfs.xfs x", "mke2fs x", "wipefs -a x"},
		"deny-device": {
			"dd if=/dev/zero of=/dev/sda", "dd of=/dev/nvme0n1 if=x", "dd if=x of=\"/dev/sdb\"",
			"echo x > /dev/sda", "cat x >> /dev/sda1", "cp x /dev/sda", "tee /dev/sda < x",
			"cat x | tee -a /dev/vda", "shred /dev/sda", "dd of=/dev/mapper/root", "dd of=/dev/../dev/sda",
			"echo b > /proc/sysrq-trigger",
		},
		"ask-rm": {
			"rm f", "rm -rf build", "ls; rm f", "unlink f", "shred -u f", "find . -delete",
			"find . -name x -exec rm {} +", "ls | xargs rm", "git clean -fdx",
		},
		"ask-chmod": {
			"chmod 777 " + in, "chmod -R 0777 " + in, "chmod a+w " + in, "chmod o=rwx " + in, "chmod +w,o+w " + in,
			"chmod 666 " + in, "chmod $M " + in,
		},
		"ask-etc": {
			"echo x > /etc/passwd", "echo x >> /etc/hosts", "tee /etc/x < f", "cp a /usr/bin/x", "mv a /etc/x",
			"sed -i s/a/b/ /etc/hosts", "ln -s a /etc/b", "touch /boot/x", "curl -o /etc/x u",
			"echo x > /etc/../etc/passwd",
		},
		"ask-outside": {
			"echo x > /elsewhere/f", "echo x > ../f", "echo x > $OUT", "echo x > ~/.bashrc", "cp a /opt/b",
			"mkdir /srv/x", "cd /srv && echo x > f", "cd $X && touch f", "tee \"$F\" < a", "mv " + in + " /opt/x",
			"echo x > " + work + "-evil/f",
		},
		ruleUnderstood: {
			"$X", "eval $X", "python3 -c 'x'", "curl u | sh", "source f", "ls \u202e", "ls '", "PATH=. ls",
			"git -c core.pager=x log", "awk 'BEGIN{system(\"x\")}'", "exec 3<>/dev/tcp/h/1",
		},
		"": {
			"ls -la", "git status", "echo rm -rf /", "echo 'sudo reboot'", "grep -r 'rm -rf /' .",
			"git log --grep sudo", "cat /etc/passwd", "ls > /dev/null 2>&1", "echo x > " + in, "touch " + in,
			"go test ./... | head -50", "chmod +x " + in, "chmod 755 " + in, "dd if=/dev/zero of=" + in,
			"git commit -m 'do not run sudo'", "cd " + work + " && echo x > f",
		},
	} {
		for _, command := range commands {
			d := rules.Decide(nil, shellCall(command))
			if d.Rule != rule {
				t.Errorf("%q: %s by rule %q (%s), want rule %q", command, d.Effect, d.Rule, d.Reason, rule)
			}
			if want := map[byte]Effect{'d': Deny, 'a': Ask, 'n': Ask, 0: Allow}[(rule + "\x00")[0]]; d.Effect != want {
				t.Errorf("%q: %s, want %s", command, d.Effect, want)
			}
			if d.Effect > Allow && (d.Message == "" || d.Reason == "") {
				t.Errorf("%q: no message or no reason", command)
			}
		}
	}
}

// The published bypasses of prefix rules.
func TestPrefix(t *testing.T) {
	rules := mustCompile(t, Spec{Rules: []Rule{
		{Name: "git-status", Effect: Allow, Shell: &Shell{Prefix: []string{"git status*", "ls"}}},
		{Name: "grep", Effect: Allow, Shell: &Shell{Programs: []string{"grep", "head"}}},
	}})
	for _, command := range []string{
		"git status", "git status -s", "git  'status'", "/usr/bin/git status", "git status && ls -la",
		"git status | grep x | head", "LANG=C git status", "git status > /dev/null 2>&1",
		"(git status; ls)", "if git status; then ls; fi", "time git status",
		"git status #; rm x",
	} {
		if d := rules.Decide(nil, shellCall(command)); d.Effect != Allow || d.Door != DoorRules {
			t.Errorf("%q: %s at %s (%s), want allow by rule", command, d.Effect, d.Door, d.Reason)
		}
	}
	for _, command := range []string{
		"git status $X", "git status \"$(ls)\"",
		"git status; id", "git status && id", "git status || id", "git status | id", "git status & id", "git status &",
		"git status\nid", "git status $(id)", "git status `id`", "git status <(id)", "git status \"$(id)\"",
		"git status ${x:-$(id)}", "git status; { id; }", "git status; (id)", "git status <<E\n$(id)\nE",
		"env git status", "xargs git status", "sudo git status", "nohup git status", "sh -c 'git status'",
		"eval git status", "command git status", "find . -exec git status \\;", "X=1 git status",
		"PATH=. git status", "GIT_SSH=x git status", "LD_PRELOAD=x git status", "export X=1; git status",
		"X=1; git status",
		"git -c core.pager=x status", "git -C /evil status", "git --exec-path=x status", "./git status",
		"/tmp/git status", "../git status", "~/git status", "$GIT status", "git $X", "git st''atus; id",
		"git status > f", "git status >> ~/.bashrc", "git status 2> f", "git status > $X",
		"f() { id; }; git status", "alias git=id; git status", "git status < /dev/tcp/h/1",
		"coproc git status", "git status ;", "git status ;;", "git status '", "git status $((x[$(id)]))",
		"git status @(a|$(id))", "git status \u202e", "git status \x1b[2J", "git", "git-status", "gitstatus",
		"git stash",
	} {
		if d := rules.Decide(nil, shellCall(command)); d.Effect == Allow &&
			(d.Door == DoorRules || strings.Contains(command, "git status")) && command != "git status ;" {
			t.Errorf("%q: allowed by %q (%s)", command, d.Rule, d.Reason)
		}
	}
}

// All that some decoder may take for the command is judged.
func TestArguments(t *testing.T) {
	rules := mustCompile(t, Spec{Rules: []Rule{
		{Name: "big", Effect: Deny, Tools: []string{"pay*"}, When: "args.amount > 100"},
		{
			Name: "admin", Effect: Ask, Tools: []string{"user_set"},
			Where: map[string]string{"/user/role": "value == 'admin'", "/user/id": "value != nil"},
		},
		{Name: "outside", Effect: Deny, Tools: []string{"show"}, Paths: &Paths{Arguments: []string{"/files"}, Outside: true}},
		{Name: "inside", Effect: Allow, Tools: []string{"look"}, Paths: &Paths{Inside: true}},
	}})
	for _, c := range []struct {
		name, arguments string
		effect          Effect
		rule            string
	}{
		{"bash", `{"command":"ls"}`, Allow, ""},
		{"bash", `{"command":"ls","command":"sudo ls"}`, Deny, "deny-root"},
		{"bash", `{"command":"sudo ls","command":"ls"}`, Deny, "deny-root"},
		{"bash", `{"command":"ls","Command":"sudo ls"}`, Deny, "deny-root"},
		{"bash", `{"COMMAND":"sudo ls"}`, Deny, "deny-root"},
		{"bash", `{"\u0063ommand":"sudo ls"}`, Deny, "deny-root"},
		{"bash", `{"command":"ls","Command":"ls"}`, Ask, ruleUnderstood},
		{"bash", `{"command":["sudo","ls"]}`, Deny, "deny-root"},
		{"bash", `{"command":["echo","a; sudo ls"]}`, Allow, ""},
		{"bash", `{"command":["echo",1]}`, Ask, ruleUnderstood},
		{"bash", `{"command":{"a":1}}`, Ask, ruleUnderstood},
		{"bash", `{"command":"ls"`, Ask, ruleUnderstood},
		{"bash", `{"command":"sudo ls"`, Deny, "deny-root"},
		{"bash", `["ls"]`, Ask, ruleUnderstood},
		{"bash", `{}`, Ask, ruleUnderstood},
		{"bash", `{"request":"sudo ls"}`, Ask, ruleUnderstood},
		{"exec_command", `{"cmd":"sudo ls"}`, Deny, "deny-root"},
		{"bash", `{"script":"ls\nsudo ls"}`, Deny, "deny-root"},
		{"bash", `{"commands":["ls","sudo ls"]}`, Deny, "deny-root"},
		{"bash", `{"commands":["ls","echo a"]}`, Allow, ""},
		{"bash", `{"command":"cat","input":"sudo ls"}`, Allow, ""},
		{"bash", `{"command":["ls; sudo ls"]}`, Deny, "deny-root"},
		{"bash", `{"command":["ls -l","sudo ls"]}`, Deny, "deny-root"},
		{"bash", `{"command":["sh","-c","ls; sudo ls"]}`, Deny, "deny-root"},
		{"run_command", `{"command":"rm","args":["-rf","/"]}`, Deny, "deny-rm-root"},
		{"run_command", `{"command":"git","args":["-c","core.pager=x","log"]}`, Ask, ruleUnderstood},
		{"run_command", `{"command":"git","args":["log","-3"]}`, Allow, ""},
		{"run_command", `{"command":"ls","args":{"a":1}}`, Ask, ruleUnderstood},
		{"run_command", `{"command":["rm"],"argv":["-r","/"]}`, Deny, "deny-rm-root"},
		{"bash", `{"command":"rm -rf *","cwd":"/"}`, Deny, "deny-rm-root"},
		{"bash", `{"command":"echo x > a","workdir":"/etc"}`, Ask, "ask-outside"},
		{"bash", `{"command":"echo x > a","workingDirectory":".","cwd":"","dir":null}`, Allow, ""},
		{"bash", `{"command":"ls","env":{"LD_PRELOAD":"x"}}`, Ask, ruleUnderstood},
		{"bash", `{"command":"ls","environment":["A=1","PATH=."]}`, Ask, ruleUnderstood},
		{"bash", `{"command":"ls","env":{"A":"1"}}`, Allow, ""},
		{"bash", `{"command":"ls","env":"A=1"}`, Ask, ruleUnderstood},
		{"shell_run", `{"command":"sudo ls"}`, Deny, "deny-root"},
		{"echo", `{"command":"sudo ls"}`, Allow, ""},
		{"pay", `{"amount":100}`, Allow, ""},
		{"pay", `{"amount":101}`, Deny, "big"},
		{"payout", `{"amount":1e9}`, Deny, "big"},
		{"pay", `{"Amount":101}`, Deny, "big"},
		{"pay", `{"amount":1,"amount":101}`, Ask, ruleUnderstood},
		{"pay", `{"amount":"101"}`, Ask, ruleUnderstood},
		{"pay", `{}`, Ask, ruleUnderstood},
		{"pay", `not json`, Ask, ruleUnderstood},
		{"pay", strings.Repeat(`[`, 1000), Ask, ruleUnderstood},
		{"user_set", `{"user":{"role":"admin","id":7}}`, Ask, "admin"},
		{"user_set", `{"user":{"ROLE":"admin","id":7}}`, Ask, "admin"},
		{"user_set", `{"user":{"role":"guest","id":7}}`, Allow, ""},
		{"user_set", `{"user":{"role":"admin"}}`, Allow, ""},
		{"show", `{"files":["a","/etc/passwd"]}`, Deny, "outside"},
		{"show", `{"files":"../x"}`, Deny, "outside"},
		{"show", `{"files":["a","b/c"]}`, Allow, ""},
		{"look", `{"path":"a"}`, Allow, "inside"},
		{"look", `{"path":"a","file":"/etc/x"}`, Allow, ""},
		{"file_write", `{"path":"/etc/passwd"}`, Ask, "ask-outside-file"},
		{"file_write", `{"path":"a/../../x"}`, Ask, "ask-outside-file"},
		{"file_write", `{"path":"a/x"}`, Allow, ""},
		{"file_read", `{"path":"/etc/passwd"}`, Allow, ""},
	} {
		d := rules.Decide(nil, toolkit.Call{Name: c.name, Arguments: []byte(c.arguments)})
		if d.Effect != c.effect || d.Rule != c.rule {
			t.Errorf("%s %.60s: %s by %q (%s), want %s by %q", c.name, c.arguments, d.Effect, d.Rule, d.Reason, c.effect, c.rule)
		}
	}
}

// Symbolic links are followed before a path counts as inside.
func TestWorkspaceLinks(t *testing.T) {
	work, other := t.TempDir(), t.TempDir()
	for link, to := range map[string]string{"out": other, "dangling": filepath.Join(other, "new"), "loop": "loop",
		"self": "self/x", "in": "."} {
		if err := os.Symlink(to, filepath.Join(work, link)); err != nil {
			t.Skip(err)
		}
	}
	space, err := workspace.New([]string{work})
	if err != nil {
		t.Fatal(err)
	}
	for path, want := range map[string]bool{"f": true, "a/b/c": true, "out/f": false, "out": false, "dangling": false,
		"in/f": true, "loop": true, "self": true, "../x": false, ".": true, "": true,
		"a/../../" + filepath.Base(work) + "/f": true, "\x00": false} {
		if got := space.Inside(work + "/" + path); got != want {
			t.Errorf("%q is inside: %t, want %t", path, got, want)
		}
	}
	if space.Inside(work+"-evil") || space.Inside("/") {
		t.Error("a sibling or the root is inside")
	}
}
