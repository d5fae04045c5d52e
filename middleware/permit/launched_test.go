// Copyright The toolscope Authors
// SPDX-License-Identifier: Apache-2.0

package permit

import (
	"strings"
	"testing"
)

// What the built-in rules deny is not allowed in whatever way it is started: denied, or asked
// where that cannot be determined.
func TestNothingHidesBehindALauncher(t *testing.T) {
	rules := mustCompile(t, Spec{})
	for _, way := range ways {
		for _, command := range []string{"rm -rf /", "sudo id", "reboot"} {
			line := strings.ReplaceAll(way, "%", command)
			if d := rules.Decide(nil, shellCall(line)); d.Effect == Allow {
				t.Errorf("%q: allowed at %s (%s)", line, d.Door, d.Reason)
			}
		}
	}
}

// ways are ways to start the command that stands for %. Containers and other hosts of
// kubectl are not among them: what runs there is the business of rules for docker.
var ways = []string{
	"%;", "(%)", "{ %; }", "! %", "if %; then :; fi", "while %; do :; done", "for i in 1; do %; done",
	"case a in a) %;; esac", "f(){ %; }; f", "function f { %; }; f", "$(%)", "`%`", "echo \"$(%)\"",
	"echo \"`%`\"", ": ${x:-$(%)}", "cat <(%)", "cat > >(%)", "cat <<E\n$(%)\nE", "cat <<E\n$\\\n(%)\nE", "ls # \\\n%",
	"ls #\n%", "eval \"%\"", "eval '%'", "sh -c \"%\"", "sh -c '%'", "bash -lc '%'",
	"bash <<< \"%\"", "bash <<E\n%\nE", "echo \"%\" | sh", "echo % | bash", "printf \"%\" | sh", "env %",
	"env -S \"%\"", "env -S'%'", "env -vS \"%\"", "env --split-string=\"%\"", "nohup %", "nice -n 5 %",
	"ionice -c3 %", "timeout 5 %", "timeout -k 1 -s KILL 5 %", "setsid -f %", "stdbuf -oL %", "time %", "time -p %",
	"/usr/bin/time -f x %", "command %", "command -p %", "builtin command %", "exec %",
	"exec -a x %", "exec -cl %", "xargs % <f", "echo / | xargs -n1 %", "find . -exec % \\;",
	"find . -execdir % \\;", "find . -ok % \\;", "find . -exec sh -c \"%\" \\;", "trap \"%\" EXIT", "trap '%' 0",
	"trap -- '%' DEBUG", "alias x=\"%\"", "coproc %", "coproc X { %; }", "[[ $(%) ]]", "(( a[$(%)] ))",
	"[[ -v a[$(%)] ]]", "echo $((a[$(%)]))", "x=$(%)", "x=($(%))", "declare x=$(%)", "export x=`%`",
	"local x=$(%)", "readonly x=$(%)", "x[$(%)]=1", "PS4='$(%)'; set -x; :", "PROMPT_COMMAND='%' bash -i",
	"BASH_ENV=<(echo %) bash -c :", "ssh h %", "ssh h \"%\"", "watch %", "watch -n1 \"%\"", "watch -x %",
	"parallel % ::: a", "parallel \"%\" ::: a", "script -c \"%\"", "script -qc \"%\" /dev/null", "flock /tmp/l %",
	"flock /tmp/l -c \"%\"", "unshare -r %", "chroot / %", "nsenter -t 1 -m %", "strace %",
	"strace -f -e trace=x %", "ltrace %", "setarch x86_64 %", "linux64 %", "busybox sh -c \"%\"", "busybox %",
	"toybox %", "su -c \"%\"", "runuser -u a -- %", "doas %", "pkexec %", "systemd-run %",
	"systemd-run --user -t %", "at now <<< \"%\"", "batch <<< \"%\"", "crontab <<< \"* * * * * %\"",
	"tmux new \"%\"", "screen -dm %", "expect -c \"spawn %\"", "vim -c \":!%\"", "ed <<< \"!%\"",
	"awk 'BEGIN{system(\"%\")}'", "perl -e 'system(\"%\")'", "python3 -c 'import os;os.system(\"%\")'", "ruby -e '`%`'",
	"node -e '1'; %", "git -c alias.x='!%' x", "git config alias.x \"!%\"", "git bisect run %",
	"git submodule foreach \"%\"", "git rebase -x \"%\"", "git filter-branch --tree-filter \"%\"",
	"make -f - <<< \"a:;%\"", "tar --to-command=\"%\" -xf a",
	"tar cf a b --checkpoint=1 --checkpoint-action=exec=\"%\"", "tar -I \"%\" -cf a b", "zip a b -T -TT \"%\"",
	"rsync -e \"%\" a b:", "scp -o ProxyCommand=\"%\" a b:", "ssh -o ProxyCommand=\"%\" h",
	"ssh -oLocalCommand=\"%\" h", "nc -e \"%\" h 1", "ncat -c \"%\" h", "socat EXEC:\"%\" -",
	"nix-shell --run \"%\"", "npm exec -c \"%\"", "npx -c \"%\"", "pnpm exec %", "yarn exec %", "bundle exec %",
	"poetry run %", "uv run %", "pipenv run %", "conda run %", "direnv exec . %", "mise exec -- %", "asdf exec %",
	"entr -s \"%\" <f", "ls|entr %", "inotifywait; %", "fd -x %", "fd . -x %", "fdfind --exec %",
	"rg --pre \"%\" a", "sort --compress-program=\"%\" f", "split --filter=\"%\" f", "sed \"1e %\" f",
	"sed -n \"e %\" f", "sed \"s/a/%/e\" f", "gawk -e 'BEGIN{system(\"%\")}'", "mapfile -C \"%\" -c 1 x <f",
	"readarray -C \"%\" x <f", "complete -C \"%\" x", "compgen -C \"%\"", "bind -x '\"a\":%'", "fc -s; %",
	"history -s \"%\"; fc -e - ", "dash -c \"%\"", "zsh -c \"%\"", "ksh -c \"%\"", "fish -c \"%\"",
	"pwsh -c \"%\"", "rbash -c \"%\"", "csh -c \"%\"", "tcsh -c \"%\"", "xonsh -c \"%\"", "nu -c \"%\"",
	"elvish -c \"%\"", "oksh -c \"%\"", "yash -c \"%\"", "mksh -c \"%\"", "sash -c \"%\"", "ash -c \"%\"",
	"hush -c \"%\"", "bash -O extglob -c \"%\"", "bash +O extglob -c \"%\"", "bash --rcfile x -c \"%\"",
	"bash -o pipefail -c \"%\"", "bash -c -- \"%\"", "bash -ec \"%\"", "bash -c\"%\"", "bash -xc '%' x",
	"cat f | while read x; do %; done", "gdb -ex \"!%\"", "sqlite3 a \".shell %\"", "psql -c \"\\! %\"",
	"mysql -e \"\\! %\"", "man -P \"%\" a", "less \"+!%\" f", "more \"+!%\" f", "cpulimit -l 5 -- %",
	"prlimit --nproc=1 %", "taskset 1 %", "chrt 1 %", "numactl -N 0 %", "choom -n 1 -- %", "setpriv --reuid 0 %",
	"capsh -- -c \"%\"", "firejail %", "bwrap --bind / / %", "proot %", "fakeroot %", "sg g -c \"%\"",
	"newgrp g; %", "start-stop-daemon --start --exec %", "daemonize %", "dbus-launch %", "xvfb-run %", "ld.so %",
	"/lib64/ld-linux-x86-64.so.2 /bin/%", "/lib/ld-musl-x86_64.so.1 /bin/%", "rlwrap %", "unbuffer %",
	"hyperfine \"%\"", "perf stat %", "valgrind %", "catchsegv %", "gtimeout 5 %", "gnice %", "genv %", "gxargs %",
	"caffeinate %", "open; %", "osascript -e 'do shell script \"%\"'", "launchctl submit -l a -- %",
	"s6-setuidgid u %", "chpst -u u %", "setuidgid u %", "softlimit %", "envdir d %", "envuidgid u %", "gosu u %",
	"su-exec u %", "tini -- %", "dumb-init %", "with-contenv %", "execlineb -c \"%\"", "multitee; %",
	"ts; %", "chronic %", "ifne %", "sponge; %", "errno; %", "vipe; %", "pee \"%\"", "lckdo l %", "isutf8; %",
	"run0 %", "sshpass -p x %", "sshpass -p x ssh h %", "mosh h %", "torsocks %", "proxychains %",
	"tsocks %", "eatmydata %", "nocache %", "trickle %", "cgexec -g a %", "schedtool -e %", "systemd-inhibit %",
	"systemd-cat %", "systemd-nspawn %", "machinectl shell a %", "lxc-attach %",
	"vagrant ssh -c \"%\"", "ansible all -a \"%\"", "salt-call cmd.run \"%\"", "pdsh -w h %", "pssh %",
	"clush -w h %", "dsh %", "mpirun %", "srun %", "qsub -- %", "bsub %", "screen -X stuff \"%\"",
	"tmux send-keys \"%\"", "xdotool type \"%\"", "xterm -e %", "gnome-terminal -- %", "kitty %", "foot %",
	"wezterm start %", "x-terminal-emulator -e %", "dtach -n s %", "abduco -n s %", "reptyr; %", "rtmux; %",
	"unset x; %", "set -- %; \"$@\"", "set -- %; $*", "set -- %; ${@}", "a=(%); \"${a[@]}\"", "IFS=,; a=\"%\"; $a",
	"x=\"%\"; $x", "x=\"%\"; eval $x", "x=\"%\"; eval \"$x\"", "x=\"%\"; bash -c \"$x\"",
	"x=\"%\"; ${x}", "printf -v x \"%\"; $x", "read x <<< \"%\"; $x", ". <(echo %)", "source <(echo %)",
	"source /dev/stdin <<< \"%\"", ". /dev/fd/0 <<< \"%\"", "bash <(echo %)", "bash /dev/fd/3 3<<< \"%\"",
	"exec bash -c \"%\"", "exec 3< <(%)", "cat f >&$(%)", "{fd}>$(%)", "ls $'\\n'; %", "ls \\\n;%", "ls \\\\\n%",
	"ls '\n';%", "ls \"\n\";%", "ls\n\n\n%", "ls &%", "ls |& %", "ls ||%", "ls;:;%", ";%", "&&%",
	"% #", "% &", "% | cat", "% > /dev/null", "> /dev/null %", "2>&1 %", "<f %", "A=1 %", "A=$(x) %", "A[0]=1 %",
	"\t%", " %", "\\\n%", "#\n%", "# a \\\n%", "#\\\n%", "ls;#\\\n%", "ls&#\\\n%", "(#\\\n%\n)",
	"$(#\\\n%\n)", "`#\\\n%\n`", "{ #\\\n%\n}", "if #\\\n%\nthen :; fi", "case a in #\\\na) %;; esac",
	"for i in 1 #\\\ndo %; done", "ls <<E #\\\nE\n%", "ls |#\\\n%", "ls &&#\\\n%", "[[ a ]] #\\\n%",
	"((1)) #\\\n%", "x=1 #\\\n%", "f() #\\\n{ %; }; f", "a=( #\\\n$(%) )", "ls \"#\\\n\"; %", "ls '#\\\n%\n'; %", "ls $'#\\\n'; %",
}
