// Copyright The toolscope Authors
// SPDX-License-Identifier: Apache-2.0

package permit

import (
	"testing"

	"github.com/toolscope/toolscope/toolkit"
)

// Under a prefix rule nothing runs but what the prefix says, and under rules that deny by default
// nothing is allowed that does anything besides.
func TestNothingHidesBehindAPrefix(t *testing.T) {
	rules := mustCompile(
		t,
		Spec{Default: Deny, Rules: []Rule{{Name: "reads", Effect: Allow, Shell: &Shell{Prefix: []string{"git status", "ls", "cat"}}}}},
	)
	commands := behindPrefix
	for _, s := range inWords {
		commands = append(commands, "ls "+s, "cat "+s, "git status "+s)
	}
	for _, command := range commands {
		if d := rules.Decide(nil, shellCall(command)); d.Effect == Allow {
			t.Errorf("%q: allowed by %s (%s)", command, d.Rule, d.Reason)
		}
	}
	for _, command := range plain {
		if d := rules.Decide(nil, shellCall(command)); d.Effect != Allow {
			t.Errorf("%q: %s by %s (%s), want allow", command, d.Effect, d.Rule, d.Reason)
		}
	}
}

// plain lines look odd and run nothing but what the prefixes say.
var plain = []string{
	"git \"\"status x", "l\\s", "l\"\"s", "'l's", "$'\\x6cs'", "$'\\u006cs'",
	"ls >(cat)",
}

// inWords run mark while the words of a command are read.
var inWords = []string{
	"$(mark)", "`mark`", "<(mark)", ">(mark)", "\"$(mark)\"", "\"`mark`\"", "${x:-$(mark)}", "${x:-`mark`}",
	"\"${x:-$(mark)}\"", "${x:=$(mark)}", "${x:+$(mark)}a", "${HOME:+$(mark)}", "${HOME/$(mark)/}",
	"${HOME//a/$(mark)}", "${HOME:$(mark)}", "${HOME#$(mark)}", "${HOME%`mark`}", "${HOME^^$(mark)}", "${a[$(mark)]}",
	"\"${a[$(mark)]}\"", "${a[`mark`]}", "$((a[$(mark)]))", "$[a[$(mark)]]", "$((x=$(mark)))",
	"$[$(mark)]", "${#a[$(mark)]}", "${!a[$(mark)]}", "~$(mark)", "{a,$(mark)}", "{a..$(mark)}", "a$(mark)b",
	"\"a\"$(mark)", "'a'`mark`", "$\"$(mark)\"", "@(a|$(mark))", "?($(mark))", "+(`mark`)",
	"!(a|$(mark))", "*($(mark))", "[$(mark)]", "$(( $(mark) ))", "$((`mark`))", "${x?$(mark)}", "${x@P$(mark)}",
	"\"${HOME:-\"$(mark)\"}\"", "\"${x:-'$(mark)'}\"", "${x:-'a'$(mark)}", "$(<$(mark))",
	"$(< <(mark))", "${x:-${y:-$(mark)}}", "\"${@:-$(mark)}\"", "${1:-$(mark)}", "${@:$(mark)}", "$(echo;mark)",
	"$( (mark) )", "$({ mark; })", "$(mark;)", "$(#c\nmark)", "$(case a in a) mark;; esac)",
	"$(if mark; then :; fi)", "\\\\$(mark)", "\"\\\\$(mark)\"", "''$(mark)", "${IFS}$(mark)", "$'a'$(mark)",
	"$'\\''$(mark)", "\"$'$(mark)'\"",
}

// behindPrefix run mark or something else, or write a file.
var behindPrefix = []string{
	"ls $(( (mark) ))x", "ls $((1)) mark", "ls $((HOME))", "cat </dev//tcp/h/1", "cat </etc/passwd", "cat .env", "cat /etc/passwd",
	"ls;mark", "git status ; mark", "cat x ;\tmark", "ls&&mark", "git status && mark", "cat x &&\tmark", "ls||mark",
	"git status || mark", "cat x ||\tmark", "ls|mark", "git status | mark", "cat x |\tmark",
	"ls|&mark", "git status |& mark", "cat x |&\tmark", "ls&mark", "git status & mark", "cat x &\tmark", "ls\nmark",
	"git status \n mark", "cat x \n\tmark", "cat < <(mark)", "cat > >(mark)", "cat <<< $(mark)",
	"cat <<<\"`mark`\"", "cat <&$(mark)", "cat >&$(mark)", "cat &>$(mark)", "cat 3<>$(mark)", "cat {fd}<$(mark)",
	"cat 2>$(mark)", "cat <<E\n$(mark)\nE", "cat <<E\n`mark`\nE", "cat <<-E\n\t$(mark)\n\tE",
	"cat <<E\n\\\\$(mark)\nE", "cat <<E\n${x:-$(mark)}\nE", "cat <<E\n$((a[$(mark)]))\nE", "cat <<\"E\"\nE\nmark",
	"cat <<'E'\nx\nE\nmark", "cat <<E\nE \nE\nmark", "cat <<-E\n\tE\nmark", "cat <<-E\n E\nE\nmark",
	"cat <<A <<B\nA\nB\nmark", "cat <<A <<B\nB\nA\nx\nB\nmark", "cat <<E;mark\nE", "cat <<E|mark\nE",
	"cat <<E&&mark\nE", "cat <<\\E\n$(x)\nE\nmark", "cat <<E\"\"\n$(x)\nE\nmark",
	"cat <<$(mark)\nx\n$(mark)\nmark", "cat <<''\nx\n\nmark", "cat <<\"\"\n\nmark", "cat <<E\r\nE\r\nmark",
	"cat <<E\nmark", "cat <<E\\\nF\nEF\nmark", "cat <<E\n$\\\n(mark)\nE", "cat <<E\n`mar\\\nk`\nE",
	"cat <<E\n\\`mark`\nE", "cat <<E\n\"$(mark)\"\nE", "cat <<E\n'$(mark)'\nE", "cat <<E #c\nE\nmark",
	"cat <<E\nE\\\n\nE\nmark", "cat $(cat <<E\n)\nE\n); mark", "cat $(cat <<E\nE)\nE\n); mark",
	"cat \"$(cat <<'E'\n\"`mark`\"\nE\n)\" ; mark", "cat <<E $(mark)\nE", "cat <<#\nx\n#\nmark",
	"cat <<E# \nx\nE#\nmark", "cat << E\nE\nmark", "cat <<\tE\nE\nmark", "cat <<E>/dev/null\nE\nmark",
	"cat <<$E\n$E\nmark", "cat <<${E}\n${E}\nmark", "cat <<`E`\n`E`\nmark", "ls \\\n; mark", "ls #\nmark",
	"ls # \\\nmark", "ls #x\\\nmark", "ls a#b;mark", "ls 'a'#;mark\nmark", "ls \"#\";mark", "ls \\#;mark",
	"ls $#;mark", "ls ${#};mark", "ls $'\\'';mark", "ls $'a\\\\';mark", "ls '\\';mark", "ls \"\\\"\";mark",
	"ls \"\\\\\";mark", "ls \"a\nb\";mark", "ls '\n';mark", "ls \"$'\";mark;\"'\"",
	"ls \"${x:-'}\";mark;\"'\"", "ls \"${x-\"'\"}\";mark #'\"", "ls \"${x#'}\";mark;'}\"", "ls ${x:-\\}};mark",
	"ls ${x:-}};mark", "ls ${x-\"}\"};mark", "ls \"${x-}\"};mark", "ls ${x/\\//};mark",
	"ls ${x//\\}/a};mark", "ls $((1));mark", "ls $(( 1 ) );mark", "ls $((1)|(mark))", "ls $((mark);(ls))",
	"ls $((mark)||(ls))", "((mark);(ls))", "ls {a,b};mark", "ls {a;mark", "ls };mark", "ls };mark}",
	"{ ls;mark;}", "{ ls\nmark\n}", "(ls;mark)", "( (mark) )", "((1));mark", "((a[$(mark)]))", "[[ -e $(mark) ]]",
	"[[ a == $(mark) ]]", "[[ a =~ $(mark) ]]", "[[ a[$(mark)] -eq 1 ]]", "[[ -v a[$(mark)] ]]",
	"[[ -v 'a[$(mark)]' ]]; ls", "x='a[$(mark)]'; ls $((x))", "[ -v 'a[$(mark)]' ]; ls", "test -v 'a[$(mark)]'",
	"[[ 'a[$(mark)]' -eq 0 ]]; ls", "if mark;then ls;fi", "if ls;then mark;fi",
	"if ls;then ls;else mark;fi", "if ls;then ls;elif mark;then ls;fi", "while mark;do ls;done",
	"until mark;do ls;break;done", "for i in $(mark);do ls;done", "for i in a;do mark;done",
	"for ((i=$(mark);i<1;i++));do ls;done", "select i in a;do mark;done <<<1", "case $(mark) in *)ls;;esac",
	"case a in $(mark))ls;;esac", "case a in a)mark;;esac", "case a in a)ls;;& b)ls;& *)mark;;esac",
	"case a in (a)mark;esac", "! mark", "time mark", "time -p mark", "time ls;mark", "coproc mark",
	"coproc ls { mark; }", "coproc x { mark; }", "function ls { mark; };ls", "ls(){ mark;};ls", "ls () ( mark );ls",
	"function ls()(mark);ls", "cat(){ mark;}\ncat", "git(){ mark;};git status", "alias ls=mark\nls",
	"shopt -s expand_aliases\nalias ls=mark\nls", "alias cat=\"mark \"; eval cat", "hash -p ./mark ls;ls",
	"hash -p \"$PWD/mark\" cat; cat", "enable -n cat", "enable -f ./x.so ls;ls", "BASH_ALIASES[ls]=mark;ls",
	"BASH_CMDS[ls]=$PWD/mark;ls", "PATH=.:$PATH;ls", "PATH=. ls", "export PATH=.;ls",
	"declare -x PATH=.;ls", "typeset PATH=.;ls", "readonly PATH=.;ls", "local PATH=.;ls", "read PATH<<<.;ls",
	"read -r PATH <f;ls", "printf -v PATH .;ls", "mapfile -t PATH<f;ls", "readarray PATH;ls",
	"for PATH in .;do ls;done", "select PATH in .;do ls;done", "getopts a PATH;ls", "let PATH=1;ls",
	"((PATH=1));ls", "unset PATH;ls", "PATH+=:.;ls", ": ${PATH:=.};ls", "ls ${PATH:=.}", "ls ${LD_PRELOAD=x}",
	"LD_PRELOAD=./x.so ls", "LD_LIBRARY_PATH=. ls", "BASH_ENV=x ls", "ENV=x ls", "GIT_SSH_COMMAND=mark git status",
	"GIT_EXTERNAL_DIFF=mark git status", "GIT_PAGER=mark git status", "GIT_DIR=/evil git status",
	"GIT_CONFIG_COUNT=1 GIT_CONFIG_KEY_0=core.fsmonitor GIT_CONFIG_VALUE_0=mark git status",
	"GIT_TRACE=/tmp/x git status", "HOME=/evil git status", "XDG_CONFIG_HOME=/evil git status",
	"PAGER=mark git status",
	"LS_COLORS=x ls", "GCONV_PATH=. ls", "LOCPATH=. ls", "MALLOC_CHECK_=1 ls", "A=$(mark) ls", "A=`mark` ls",
	"A=<(mark) ls", "A[$(mark)]=1 ls", "A=([$(mark)]=1);ls", "A=($(mark));ls", "A+=$(mark) ls",
	"LANG=$(mark) ls", "LC_ALL=`mark` ls", "LANG=C A=1 ls", "TZ=$(mark) ls", "LC_x[$(mark)]=1 ls", "IFS=s;cmd=lss;ls",
	"PS4='$(mark)';set -x;ls", "set -x;PS4='`mark`' ls", "PROMPT_COMMAND=mark ls",
	"trap mark EXIT;ls", "trap mark DEBUG;ls", "trap \"mark\" ERR;ls", "trap -- mark 0;ls", "env ls", "env mark",
	"env -S \"mark\" ls", "env -i mark", "env A=1 mark", "xargs mark", "xargs ls", "ls|xargs mark",
	"ls|xargs -I{} {}", "ls|sh", "ls|bash", "cat x|sh -s", "cat x|source /dev/stdin", ". ./x", "source x",
	"eval ls", "eval \"ls;mark\"", "exec mark", "exec ls", "exec -a ls mark", "command ls", "command mark",
	"builtin eval mark", "nohup mark", "nice mark", "timeout 1 mark", "setsid mark", "stdbuf -o0 mark", "sudo ls",
	"watch ls", "find . -exec mark ;", "sh -c ls", "sh -c mark", "bash -c \"cat x\"", "python -c 1",
	"perl -e 1", "awk 1", "sed e", "vi", "ssh h ls", "busybox ls", "busybox sh -c mark", "chroot . ls",
	"unshare ls", "script -c mark", "git -c alias.status=!mark status", "git -c core.fsmonitor=mark status",
	"git -C /evil status", "git --git-dir=/evil status", "git --exec-path=. status", "git --work-tree=/ status",
	"git -p status", "git --paginate status", "git statusx", "git status-x", "git \"status\"x",
	"git stat*", "git {status,log}", "git $x status", "git ${x}status", "git \"\" status", "git status\u200b",
	"git\u00a0status", "git\u3000status", "\uff4c\uff53", "l\u0455", "ls\u2028mark", "ls\u2029mark",
	"ls\u0085mark", "ls\u000bmark", "ls\fmark", "ls\rmark", "ls\u0000mark", "ls\u001amark", "ls\u0004mark",
	"ls\u007fmark", "./ls", "/tmp/ls", "../ls", "~/ls", "ls/../mark", "/bin/../tmp/ls",
	"/usr/bin/../../tmp/ls", "//tmp/ls", "/bin//ls/../../tmp/mark", "bin/ls", "$PWD/ls", "`echo ls`", "$(echo ls)",
	"${0} -c mark", "$0 -c mark", "$SHELL -c mark", "$BASH -c mark", "\"$BASH\" -c mark", "l${x}s",
	"l$@s", "l*s", "l[s]", "l?", "{ls,mark}", "{mark,ls}", "/bin/l{s,n}", "~+/ls", "~root/ls", "ls;mark;",
	"ls;;mark", "ls&mark&", "ls||mark||ls", "ls|ls|mark", "ls&&ls&&mark", "ls\n\nmark", "\nmark", "\tmark",
	" mark", "\\mark", "ls -la $(ls $(ls $(mark)))", "ls \"$(ls \"$(ls \"$(mark)\")\")\"", "ls `ls \\`mark\\``",
	"ls `ls \\`ls \\\\\\`mark\\\\\\`\\``", "cat <(ls <(ls <(mark)))", "ls>f", "ls >f", "ls>>f",
	"ls>|f", "ls&>f", "ls&>>f", "ls>&f", "ls 1>f", "ls 2>f", "ls 9>f", "ls {x}>f", "ls <>f", "cat<>f", "cat 0<>f",
	"ls >\"f\"", "ls >$f", "ls >~/.bashrc", "ls >/dev/sda", "ls >/dev/null/../sda", "ls >/dev/nullx",
	"ls >/dev/./../tmp/f", "ls >/dev/fd/../../tmp/f", "ls > /dev/stdout/../../../tmp/f", "ls >/dev/tcp/h/1",
	"cat </dev/tcp/h/1", "cat </dev/udp/h/1", "cat <\"/dev/tcp/h/1\"", "cat 3<>/dev/tcp/h/1",
	"cat </dev/tcp/$x/1", "cat <&3 3</dev/tcp/h/1", "ls >&2 >f", "ls 2>&1 >f", ">f", "<f", ">f ls", "2>f ls",
	">f;ls", "cat f>g|ls", "ls | cat > f", "(ls)>f", "{ ls;}>f", "{ cat;} <<E >f\nE",
	"if ls;then ls;fi>f", "while ls;do break;done>f", "for i in a;do ls;done>f", "[[ a ]]>f", "((1))>f",
	"ls > >(cat >f)", "cat >&$f", "cat >&\"${f}\"", "ls >&-f", "cat <<<a>f", "ls >&1f", "ls >& f", "ls &> f",
	"ls 2>&f", "ls >f&", "ls >*", "ls >f*", "ls >{a,b}", "cat > ${x:-f}",
}

// A rule that denies an option denies it in every spelling.
func TestOptionsInOtherSpellings(t *testing.T) {
	rules := mustCompile(t, Spec{NoBuiltin: true, Rules: []Rule{
		{
			Name: "hard", Effect: Deny,
			Shell: &Shell{Prefix: []string{"git reset --hard", "git push --force", "git push -f", "git clean -f"}},
		},
	}})
	for _, line := range []string{"git reset --hard", "git reset --har HEAD~1", "git reset -q --hard x",
		"git -C d reset --hard", "git push --force=true", "git push o --forc", "git push -uf o", "git clean -xdf",
		"env git reset --hard", "sh -c 'git reset --ha'", "\\git   reset --hard"} {
		if d := rules.Decide(nil, shellCall(line)); d.Effect != Deny {
			t.Errorf("%s: %s", line, d.Effect)
		}
	}
	for _, line := range []string{"git reset --soft", "git reset --hardly", "git push --follow-tags",
		"git push origin f", "git clean -nd", "git log --hard"} {
		if d := rules.Decide(nil, shellCall(line)); d.Effect == Deny {
			t.Errorf("%s: %s at %s", line, d.Effect, d.Rule)
		}
	}
}

// Variables that the call sets are no part of what a rule allows.
func TestCallsVariablesAreNotCovered(t *testing.T) {
	rules := mustCompile(t, Spec{Rules: []Rule{{Name: "git", Effect: Allow, Shell: &Shell{Prefix: []string{"git status"}}}}})
	for arguments, effect := range map[string]Effect{
		`{"command":"git status","env":{"LANG":"C","LC_ALL":"C"}}`: Allow, `{"command":"git status","env":{"A":"1"}}`: Ask,
		`{"command":"git status","env":{"GIT_PAGER":"x"}}`: Ask,
		`{"command":"git","args":["status","-s"]}`:         Allow, `{"command":"git","args":["push"]}`: Allow,
		`{"command":"git status","args":["x; id"]}`: Allow,
	} {
		if d := rules.Decide(nil, toolkit.Call{Name: "bash", Arguments: []byte(arguments)}); d.Effect != effect {
			t.Errorf("%s: %s by %s (%s)", arguments, d.Effect, d.Rule, d.Reason)
		}
	}
}
