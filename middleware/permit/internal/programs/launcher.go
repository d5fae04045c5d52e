// Copyright The toolscope Authors
// SPDX-License-Identifier: Apache-2.0

package programs

import (
	"slices"
	"strings"

	"github.com/toolscope/toolscope/middleware/permit/internal/shell"
)

// launchers are programs with a first word after which they start the command that
// follows.
var launchers = map[string]string{
	"bundle": "exec", "bundler": "exec", "composer": "exec", "npm": "exec x", "poetry": "run", "pipenv": "run",
	"pdm": "run", "rye": "run", "uv": "run", "conda": "run", "mamba": "run", "hatch": "run",
	"pnpm": "exec dlx", "yarn": "exec dlx", "mise": "exec x", "asdf": "exec", "direnv": "exec", "vagrant": "ssh",
	"machinectl": "shell", "lxc": "exec",
}

// launcherOptions are the options that may stand between a launcher's word and the command.
var launcherOptions = map[string]*shell.Syntax{
	"uv": {Flags: "qvn", Values: "p", Long: []string{"frozen", "locked", "no-sync", "isolated", "active", "exact", "dev",
		"no-dev", "only-dev", "all-extras", "all-groups", "no-default-groups", "all-packages", "no-project", "no-config",
		"no-env-file", "offline", "quiet", "verbose", "no-cache",
		"group=", "no-group=", "only-group=", "extra=", "no-extra=", "with=", "python=", "directory=", "project=", "package="}},
	"conda": {Flags: "v", Values: "np", Long: []string{"name=", "prefix=", "no-capture-output", "live-stream", "verbose"}},
	"mamba": {Flags: "v", Values: "np", Long: []string{"name=", "prefix=", "no-capture-output", "live-stream", "verbose"}},
	"npm": {
		Flags: "ys", Values: "pw",
		Long: []string{"yes", "no", "package=", "workspace=", "workspaces", "silent", "offline", "prefer-offline"},
	},
	"pnpm": {Flags: "r", Long: []string{"recursive", "silent", "parallel", "package="}},
}

func init() {
	for _, name := range []string{"chronic", "ifne", "eatmydata", "nocache", "tini", "dumb-init", "tsocks",
		"with-contenv", "aoss", "padsp", "ccache", "distcc", "sccache", "grc", "vglrun", "optirun", "primusrun",
		"prime-run", "gamemoderun", "mangohud", "wine", "wine64", "box64", "box86", "catatonit", "pidproxy"} {
		wrappers[name] = &wrapper{}
	}
	wrappers["cross-env"] = &wrapper{assigns: true}
	for _, name := range []string{"timeout", "nice", "nohup", "stdbuf"} {
		wrappers["g"+name] = wrappers[name] // GNU's, where others have the name
	}
	for _, name := range []string{
		"genv", "gxargs", "gfind", "numactl", "proot", "sg", "daemonize", "dbus-launch", "launchctl",
		"s6-setuidgid", "chpst", "setuidgid", "softlimit", "envdir", "envuidgid", "execlineb", "pee", "lckdo",
		"run0", "trickle", "cgexec", "schedtool", "systemd-inhibit", "systemd-cat", "systemd-nspawn", "lxc-attach",
		"salt-call", "salt", "pdsh", "pssh", "clush", "dsh", "mpirun", "mpiexec", "srun", "sbatch", "qsub", "bsub",
		"kitty", "foot", "wezterm", "x-terminal-emulator", "xdotool", "oksh", "sash", "hush",
		"multitime", "logsave", "setlock", "genie", "tmate", "cdist", "tsp", "task-spooler", "runcon", "aa-exec",
		"cset", "uclampset", "coresched", "pexec", "rush", "checkinstall", "proot-distro", "jexec", "doppler",
		"infisical", "chamber", "aws-vault", "envconsul", "dotenv", "dotenvx", "env-cmd", "concurrently",
		"pdb", "pdb3", "ipdb",
	} {
		hidden[name] = starter
	}
	hidden["slsh"] = &hides{options: "-e"}
	hidden["perlbug"] = &hides{options: "-e"}
	hidden["rg"] = &hides{options: "--pre --hostname-bin"}
	hidden["nix-shell"] = &hides{options: "--run --command --pure -p -E"}
}

// launch lists the command that stands behind one of the launcher's words. Options before
// that command may take values, so that its begin cannot be determined.
func (r inspector) launch(at string, c *shell.Command, in shell.Input) {
	sure := true
	for i, w := range c.Words[1:] {
		if !w.Known || strings.HasPrefix(w.Text, "-") {
			sure = false
			continue
		}
		if !slices.Contains(strings.Fields(at), w.Text) {
			if sure {
				return // a command of the launcher's own
			}
			continue
		}
		rest := c.Words[i+2:]
		if s := launcherOptions[c.Name]; s != nil {
			var known bool
			_, rest, known = s.Scan(rest)
			sure = sure && known
		}
		switch {
		case len(rest) == 0:
		case rest[0].Text == "--":
			rest = rest[1:]
		case !rest[0].Known || strings.HasPrefix(rest[0].Text, "-"):
			sure = false
			rest = rest[1:]
		case c.Name == "direnv": // the directory comes first
			rest = rest[1:]
		}
		if remote := c.Name == "vagrant" || c.Name == "machinectl" || c.Name == "lxc"; remote || !sure {
			r.Doubt(shell.DoubtOption, c.Name+" "+w.Text+" starts a command in a way that is not followed")
		}
		r.StartCommand(c, rest, nil, in)
		return
	}
}
