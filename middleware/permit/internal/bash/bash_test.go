// Copyright The toolscope Authors
// SPDX-License-Identifier: Apache-2.0

package bash

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/toolscope/toolscope/middleware/permit/internal/outputs"
)

// What a line starts, and what is doubted of it.
func TestParse(t *testing.T) {
	for _, c := range []struct{ line, programs, doubts string }{
		// where a command can be
		{"git status", "git", ""},
		{"a; b\nc & d && e || f | g |& h", "a b c d e f g h", ""},
		{"(a; (b)); { c; }", "a b c", ""},
		{"if a; then b; elif c; then d; else e; fi", "a b c d e", ""},
		{"while a; do b; done; until c; do d; done", "a b c d", ""},
		{"for x in $(a); do b; done; for ((;;)); do c; done; select y in 1; do d; done", "a b c d", ""},
		{"case $(a) in $(b)) c;; *) d;& esac", "a b c d", ""},
		{"! a; time b; coproc c", "a time b c", "syntax"},
		{`a "${x:-'$(b)'}"`, "a", "syntax"},
		{`a ${x:-<(b)}`, "a", "syntax"},
		{"f() { a; }; function g { b; }", "a b", "name"},
		{"a $(b `c` \"$(d)\") <(e) >(f)", "a b c d e f", ""},
		{"a \"${x:-$(b)}\" ${y//$(c)/$(d)} ${z:$((1)):2}", "a b c d", ""},
		{"a=$(b) c; d=`e`; arr=($(f)); export g=$(h)", "c b e f export h", ""},
		{"a <<E\n$(b) `c` \\$(d)\nE", "b c a", ""},
		{"a <<'E'\n$(b)\nE", "a", ""},
		{"a <<E; b\n$(c)\nE\na <<E & b\n`c`\nE", "c a b c a b", ""},
		{"a `b \\`c\\``", "a b c", "syntax"},
		{"a <<< $(b) > $(c) 2>&1", "b c a", ""},
		{"[[ -f $(a) && x == $(b) ]]", "a b", ""},
		{"echo $((1 + 2)) $[3]", "echo", ""},
		{"((x = 1)); let y=2", "let", ""},
		{"", "", ""},
		{"# a comment; rm x", "", ""},

		// how a name can be written
		{`\rm x; 'rm' x; "rm" x; r"m" x; r\m x; $'\x72\155' x`, "rm rm rm rm rm rm", ""},
		{"/bin/rm x; ../rm x", "rm rm", ""},
		{`$'\x{70'9; $'\xg'x; $'\u'x; $'p\c0'`, "p9 x x p\x10", "command"},
		{"$X; ${X}y; \"$X\"", "y", "command"},
		{"x=rm; $x -rf y", "rm", "command"},
		{"rm${IFS}-rf${IFS}y", "rm", "command"},
		{"{rm,-rf,y}", "rm", "command"},
		{"/bin/r? y; /bin/[r]m y", "r? [r]m", "command"},
		{"$EMPTY rm y", "rm", "command"},
		{"$(a) b", "b a", "command"},
		{"~root/bin/x; ~/bin/y", "x y", "command"},
		{"\"\" x", "", "command"},

		// wrappers
		{"env a; env -i X=1 a; env -u X -C d a; env - a", "env a env a env a env a", ""},
		{"env -S 'a b' c; env -S 'a $X'", "env a env a", "code"},
		{"env PATH=. a; env LD_PRELOAD=x a", "env a env a", "variable"},
		{"env --no-such-option a", "env a", "option"},
		{"xargs a; xargs -0 -n 1 -I{} a {}; xargs", "xargs a xargs a xargs", ""},
		{"xargs -I% % x; echo a | xargs env", "xargs % echo xargs env", "command option"},
		{"sudo a; sudo -u u -E -- a; doas a; sudo -l", "sudo a sudo a doas a sudo", ""},
		{"sudo -i; sudo -s; su", "sudo sudo su", "code option"},
		{"su - u -c 'a; b'; su -c a; runuser -l u -c a", "su a b su a runuser a", ""},
		{
			"nohup a; nice -n 5 a; nice -5 a; timeout -k 1 5 a; stdbuf -oL a; setsid a; ionice -c 3 a",
			"nohup a nice a nice a timeout a stdbuf a setsid a ionice a", "",
		},
		{"command a; command -v a; builtin a; exec a; exec -a x a; exec 3>f", "command a command builtin a exec a exec a exec", ""},
		{"/usr/bin/time -v a; flock f a; flock f -c 'a; b'; chroot / a", "time a flock a flock a b chroot a", ""},
		{"ssh h 'a; b' c; ssh -p 22 u@h a", "ssh a b ssh a", ""},
		{"ssh -o ProxyCommand=x h a; ssh h", "ssh a ssh", "option code"},
		{"watch -n 1 'a | b'; watch -x a", "watch a b watch a", ""},
		{"/lib64/ld-linux-x86-64.so.2 /bin/rm x; ld.so a", "ld-linux-x86-64.so.2 rm ld.so a", ""},
		{"busybox rm x; busybox sh -c 'a'", "busybox rm busybox sh a", ""},
		{"env $X a; timeout $X a", "env a timeout a", "option command"},

		// code
		{"sh -c 'a; b'; bash -xec a; dash -c \"a 'b'\"", "sh a b bash a dash a", ""},
		{"sh -c \"$X\"; bash -c $(a)", "sh bash a", "code option"},
		{"sh -c 'sh -c \"sh -c a\"'", "sh sh sh a", ""},
		{"bash x.sh; sh ./y", "bash sh", ""},
		{"bash $X; a | bash; bash -s; bash < f; bash <(a)", "bash a bash bash bash bash a", "code option"},
		{"bash <<'E'\na; b\nE", "bash a b", ""},
		{"bash <<< 'a; b'; echo a | sh", "bash a b echo sh a", "code"},
		{"bash -c '$0' a; bash -c '\"$@\"' x a", "bash bash", "command"},
		{"bash -i; bash --rcfile x; bash -O extglob -c a", "bash bash bash a", "code name"},
		{"zsh -c 'a b'; zsh -c 'a *(e:b:)'; fish -c 'a (b)'", "zsh a zsh a fish a b", "foreign syntax"},
		{"eval a b; eval 'a; b'; eval $X", "eval a eval a b eval", "code"},
		{"source x; . x", "source .", "code"},
		{"trap a EXIT; trap - INT; trap '' INT; trap \"$X\" INT", "trap a trap trap trap", "code"},
		{"alias a='b c'; alias", "alias b alias", "name"},
		{
			"python3 -c 'x'; perl -e x; perl -pe x; ruby -e x; node -e x; node --eval=x; php -r x",
			"python3 perl perl ruby node node php", "foreign",
		},
		{"python3 x.py; python3 -m y; python3 -V; perl x.pl; node x.js; ruby x.rb", "python3 python3 python3 perl node ruby", ""},
		{"python3; a | python3 -; perl", "python3 a python3 perl", "foreign"},
		{"python3.11 -c x; python2.7 -c x", "python3.11 python2.7", "foreign"},

		// programs that start others
		{"find . -name x -exec a {} ; find . -exec b {} +", "find a find b", ""},
		{`find . -exec a {} \; -execdir b {} + -ok sh -c 'c' \;`, "find a b sh c", ""},
		{`find . -exec sh -c 'a {}' \;; find $X`, "find sh a find", "code option"},
		{"find . -exec {} x \\;", "find {}", "command"},
		{"fd x -x a b; fd -e go --exec-batch a", "fd a fd a", ""},
		{"parallel a ::: b; parallel ::: a b", "parallel a parallel a b", "code"},
		{"awk '{print $2}' f; awk '$1 > 5 || x' f; awk -F: -f x.awk f", "awk awk awk", ""},
		{`awk 'BEGIN{system("a")}'; awk '{print | "a"}'; awk '{"a" | getline}'; awk '{print > "f"}'; awk "$X"`,
			"awk awk awk awk awk", "foreign option"},
		{"sed 's/a/b/g' f; sed -n '1,5p;$d' f; sed -i.bak -E '/x/!s|[a-z]+|y|2' f; sed -e 's/a/b/' -e 'y/a/b/'", "sed sed sed sed", ""},
		{
			"sed 's/a/b/e' f; sed '1e a' f; sed 'w f'; sed 's/a/b/w f'; sed \"$X\"; sed '1!G;h;$!d;e'",
			"sed sed sed sed sed sed", "foreign option",
		},
		{"git -c alias.x='!a' x; git -c core.pager=a log; git --exec-path=. x", "git git git", "option"},
		{
			"git -c user.name=x commit; git -C d status; git log --oneline; git config user.name x; git config --get alias.x",
			"git git git git git", "",
		},
		{
			"git clone ext::sh; git rebase -x a; git rebase --exe=a; git grep -Oa x; git submodule foreach a; git bisect " +
				"run a; git config alias.x '!a'",
			"git git git git git git git", "option",
		},
		{"tar --checkpoint-action=exec=a x; tar xf f --to-comm=a; tar cIf a f; tar cf f *", "tar tar tar tar", "option"},
		{
			"tar czf x.tgz dir; rsync -av a b; zip -r x d; sort -u f; vim f; make all; go test ./...",
			"tar rsync zip sort vim make go", "",
		},
		{
			"rsync -e a x y; vim -c x f; vim +x f; less +x f; man -P a x; make SHELL=a; make --eval=x; go test -exec a; " +
				"sort --compress-prog=a; split --filter=a",
			"rsync vim vim less man make make go sort split", "option",
		},

		// what changes what a name means
		{"PATH=x a; LD_PRELOAD=x a; GIT_SSH_COMMAND=x a; BASH_ENV=x a; IFS=x; PS4=x; PROMPT_COMMAND=x", "a a a a", "variable"},
		{
			"export PATH=x; declare LD_X=1; for PATH in x; do a; done; read PATH; printf -v PATH x; : ${PATH:=x}; ((PATH=1))",
			"export declare a read printf :", "variable arithmetic",
		},
		{"unset PATH; unset x", "unset unset", "variable"},
		{"LANG=C a; X=1; Y=2 b", "a b", ""},
		{
			"shopt -s extglob; shopt -s nullglob; set -euo pipefail; set -k; enable -f x y; hash -p x y",
			"shopt shopt set set enable hash", "name",
		},

		// texts that bash evaluates again
		{"x='a[$(id)]'; echo $((x))", "echo", "arithmetic"},
		{"read x; echo $((x + 1)); [[ $x -eq 1 ]]", "read echo", "arithmetic"},
		{"x=5; echo $((x + 1)); for i in 1 2; do echo $((i)); done; [[ $# -eq 1 ]]", "echo echo", ""},
		{"echo ${!x}; echo ${x@P}; f=$((${1}+1))", "echo echo", "arithmetic code"},
		{"echo ${x@Q} ${!x@} ${!x[@]} ${#x}", "echo", ""},
		{
			"printf -v 'a[$(id)]' x; test -v 'a[$(id)]'; unset 'a[$(id)]'; declare -i x='a[$(id)]'; [ -v $x ]",
			"printf test unset declare [", "arithmetic",
		},
		{"echo @(a|$(id))", "echo", "syntax"},

		// files
		{"cat < /dev/tcp/h/80; exec 3<>/dev/udp/h/1", "cat exec", "network"},

		// what cannot be parsed
		{"a '", "a", "syntax"},
		{"a ;; rm x", "a rm", "syntax"},
		{"a | | b", "a b", "syntax"},
		{"a $(b", "a b", "syntax"},
		{"a \x00b", "a", "character"},
		{"a \u202e b; c\u200b; \u00a0d", "a c\u200b \u00a0d", "character"},
		{"a\r\nb", "a b", "character"},
		{"a \x1b[2J; \xff", "a \xff", "character syntax"},
	} {
		line := Parse(c.line)
		if got := strings.Join(line.Programs(), " "); got != c.programs {
			t.Errorf("%q: programs %q, want %q", c.line, got, c.programs)
		}
		var kinds []string
		for _, d := range line.Doubts {
			if !slices.Contains(kinds, string(d.Kind)) {
				kinds = append(kinds, string(d.Kind))
			}
		}
		want := strings.Fields(c.doubts)
		slices.Sort(kinds)
		slices.Sort(want)
		if !slices.Equal(kinds, want) {
			t.Errorf("%q: doubts %v, want kinds %v", c.line, line.Doubts, want)
		}
	}
}

func TestWords(t *testing.T) {
	line := Parse(`A=1 /usr/bin/git  log -n "$N" 'a b' *.go x{1,2} ~/f & cat < in > out 2>> err`)
	git := line.Commands[0]
	if got := fmt.Sprintln(git.Name, git.Background, git.Assigns[0].Name); got != "git true A\n" {
		t.Errorf("got %s", got)
	}
	var words []string
	for _, w := range git.Words {
		words = append(words, fmt.Sprintf("%s:%t", w.Text, w.Known))
	}
	if got, want := strings.Join(words, " "),
		"/usr/bin/git:true log:true -n:true :false a b:true *.go:false x{1,2}:false ~/f:true"; got != want {
		t.Errorf("words %s, want %s", got, want)
	}
	if got := fmt.Sprint(line.Redirects); got != "[{{in true false false false} true false} {{out true false false "+
		"false} false true} {{err true false false false} false true}]" {
		t.Errorf("redirects %s", got)
	}
	if line.Commands[1].Background || line.Commands[1].Via != "" {
		t.Error("cat is neither in the background nor started by another")
	}
	if via := Parse("xargs sh -c 'ls'").Commands[2].Via; via != "sh" {
		t.Errorf("ls is started by %q, want sh", via)
	}
}

func TestWrites(t *testing.T) {
	for line, want := range map[string]string{
		"a > f 2>&1 &> g <> h >| i >> j < k":         "f g h i j",
		"a > /dev/null 2> /dev/stderr":               "",
		"cp a b /etc/c; mv d e; ln -s f g; tee -a h": "/etc/c d e g h",
		"dd if=a of=/dev/sda; touch b; mkdir -p c/d": "/dev/sda b c/d",
		"chmod 777 a b; chown u:g c":                 "a b c",
		"curl -o a u; wget -Ob u; curl -sSf u":       "a b",
		"sed -i s/a/b/ f g; sed s/a/b/ h":            "f g",
		"cp -t /etc a b; tar xf a -C /opt":           "/etc b /opt",
	} {
		var got []string
		for _, w := range outputs.Writes(Parse(line)) {
			got = append(got, w.Text)
		}
		if strings.Join(got, " ") != want {
			t.Errorf("%q: writes %q, want %q", line, got, want)
		}
	}
}
