// Copyright The toolscope Authors
// SPDX-License-Identifier: Apache-2.0

package programs

import (
	"strings"

	"github.com/toolscope/toolscope/middleware/permit/internal/shell"
)

// hides are the ways by which a program that is no wrapper starts another.
type hides struct {
	// options are those that start a program: "--rsh" (also cut short), "-e" (a letter,
	// in any cluster), a word as it is; "+*" is any argument with that beginning.
	options string
	// texts start a program wherever they stand in an argument.
	texts  []string
	always bool // it does so whatever the arguments
	strict bool // arguments that may turn into such an option are doubted
}

var (
	editor   = &hides{options: "-c +* --cmd -S -s -u -l"}
	starter  = &hides{always: true}
	compiler = &hides{options: "-wrapper -specs* -fplugin* -B*"}
)

// hidden lists programs by what their manuals say of options that start another.
// Containers are not listed: what runs in one is the business of a rule for docker.
var hidden = map[string]*hides{
	// archives and copies
	"cpio":  {options: "--rsh-command", strict: true},
	"rsync": {options: "-e --rsh --rsync-path", strict: true},
	"scp":   {options: "-S -o -D -F", strict: true},
	"sftp":  {options: "-S -o -D -F -s -b", strict: true},
	"zip":   {options: "-T --unzip-command", strict: true},

	// editors and pagers
	"vim": editor, "vi": editor, "nvim": editor, "view": editor, "vimdiff": editor, "gvim": editor, "rvim": editor, "rview": editor,
	"ex": starter, "ed": starter, "red": starter, "joe": starter,
	"emacs":       {options: "--eval --execute -f --funcall -l --load --script --batch"},
	"emacsclient": {options: "-e --eval"},
	"nano":        {options: "-s --speller"},
	"less":        {options: "+*"},
	"more":        {options: "+*"},
	"man":         {options: "-P --pager -H --html -C --config-file"},

	// debuggers and tracers
	"gdb": starter, "lldb": starter, "perf": starter, "bpftrace": starter, "stap": starter, "dtrace": starter, "crash": starter,

	// databases
	"psql":    {texts: []string{"\\", "program '", "PROGRAM '", "program $", "PROGRAM $"}},
	"mysql":   {options: "--pager", texts: []string{"\\!", "system "}},
	"mariadb": {options: "--pager", texts: []string{"\\!", "system "}},
	"sqlplus": starter,

	// networks
	"ssh-keygen": {options: "-D -w"},
	"ssh-agent":  starter, "autossh": starter, "mosh": starter, "lftp": starter, "ftp": starter,
	"nc":         {options: "-e -c"},
	"netcat":     {options: "-e -c"},
	"ncat":       {options: "-e -c --exec --sh-exec --lua-exec"},
	"socat":      {texts: []string{"EXEC:", "SYSTEM:", "SHELL:", "exec:", "system:", "shell:", "Exec:", "System:", "Shell:"}},
	"nmap":       {options: "--script --interactive --datadir"},
	"sshfs":      {texts: []string{"_command", "-command"}},
	"iptables":   {options: "--modprobe -M"},
	"ip6tables":  {options: "--modprobe -M"},
	"service":    {texts: []string{"../"}},
	"tcpdump":    {options: "-z"},
	"ip":         {options: "exec -b -batch"},
	"curl":       {options: "-K --config"},
	"wget":       {options: "--use-askpass --config", texts: []string{"askpass"}},
	"yt-dlp":     {options: "--exec --config-locations"},
	"youtube-dl": {options: "--exec --config-location"},
	"openssl":    {options: "-engine -provider -provider-path"},

	// terminals and schedulers
	"tmux": {
		options: "new new-session neww new-window run run-shell splitw split-window send send-keys if if-shell " +
			"pipep pipe-pane respawnp respawn-pane popup display-popup source source-file -c",
	},
	"screen": {options: "-X -d -m"},
	"xterm":  {options: "-e"}, "alacritty": {options: "-e"}, "konsole": {options: "-e"}, "gnome-terminal": {options: "-e -x --"},
	"at": starter, "batch": starter, "crontab": starter, "dtach": starter, "abduco": starter, "run-parts": starter,
	"hyperfine": starter, "watchexec": starter, "nodemon": starter, "choom": starter, "capsh": starter,
	"bwrap": starter,

	// building
	"cargo": {options: "--config"},
	"gcc":   compiler, "g++": compiler, "cc": compiler, "c++": compiler, "clang": {options: "-fplugin* -Xclang"},
	"cmake": {options: "-E -P", texts: []string{"_COMPILER=", "_LAUNCHER=", "MAKE_PROGRAM="}},
	"rake":  {options: "-e -E -p -r -f"},
	"npm":   {options: "-c --call --script-shell --node-options script-shell node-options explore"},
	"npx":   {options: "-c --call"},
	"nix":   {options: "-c --command"},
	"pip":   {options: "--global-option --install-option"},
	"latex": {options: "-shell-escape"}, "pdflatex": {options: "-shell-escape"}, "xelatex": {options: "-shell-escape"},
	"pandoc":  {options: "-F --filter -L --lua-filter --pdf-engine"},
	"install": {options: "--strip-program"},

	"java":   {options: "-agentpath* -agentlib* -javaagent* -XX:OnOutOfMemoryError* -XX:OnError* -XX:Flags*"},
	"gradle": {options: "-I --init-script"},
	"pytest": {options: "--pdbcls"},
	"fzf":    {options: "--preview --bind --listen"},
	"ack":    {options: "--output"},
	"mlr":    {options: "--prepipe --prepipex", texts: []string{"system(", "exec(", "| \""}},
	"scrot":  {options: "-e --exec"},

	// packages and versions
	"apt":     {options: "-o --option -c --config-file"},
	"apt-get": {options: "-o --option -c --config-file"},
	"dpkg":    {options: "--pre-invoke* --post-invoke*"},
	"rpm":     {options: "-E --eval --pipe --define -D", texts: []string{"%(", "%{lua"}},
	"gh":      {options: "alias extension extensions ext"},
	"svn":     {options: "--editor-cmd --diff-cmd --diff3-cmd --merge-cmd --config-option --config-dir"},
	"hg":      {options: "--config --ssh --remotecmd"},
	"ansible": starter,
	"dc":      {options: "-e -f"},
	"mail":    {options: "-E* --exec"},
}

// looksFor doubts the arguments by which the program starts another.
func (r inspector) looksFor(h *hides, c *shell.Command) {
	if h.always {
		r.Doubt(shell.DoubtOption, c.Name+" starts other programs")
		return
	}
	for _, w := range c.Words[1:] {
		if w.Loose && h.strict {
			r.Doubt(shell.DoubtOption, "an argument of "+c.Name+" that may be an option")
			return
		}
		if h.in(w.Text) {
			r.Doubt(shell.DoubtOption, c.Name+" "+shell.Clip(w.Text)+" starts a program")
			return
		}
	}
}

// in reports whether the argument starts a program.
func (h *hides) in(arg string) bool {
	for o := range strings.FieldsSeq(h.options) {
		if prefix, ok := strings.CutSuffix(o, "*"); ok && strings.HasPrefix(arg, prefix) {
			return true
		}
		if len(o) > 2 && o[0] == '-' && o[1] != '-' { // a word behind one dash
			if name, _, _ := strings.Cut(arg, "="); name == o || name == "-"+o {
				return true
			}
		} else if shell.IsOption(arg, o) {
			return true
		}
	}
	for _, t := range h.texts {
		if strings.Contains(arg, t) {
			return true
		}
	}
	return false
}
