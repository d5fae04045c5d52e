// Copyright The toolscope Authors
// SPDX-License-Identifier: Apache-2.0

package bash

import (
	"slices"
	"strings"
	"testing"

	"github.com/toolscope/toolscope/middleware/permit/internal/outputs"
	"github.com/toolscope/toolscope/middleware/permit/internal/programs"
)

// What the arguments of a program no table knows say by themselves: each word that means running,
// in each form of an option, and what takes it back.
func TestArgumentsThatTell(t *testing.T) {
	for word := range programs.Running {
		title := strings.ToUpper(word[:1]) + word[1:]
		for _, option := range []string{"--" + word, "--post-" + word, "--my_" + word, "--" + word + "-file", "-" + word,
			"--pre" + title, "-Da." + word} {
			for _, line := range []string{"zz " + option + "=/x/y a", "zz " + option + " y", "zz a " + option + " 'y z'"} {
				if Parse(line).Understood() {
					t.Errorf("%s: understood", line)
				}
			}
			for _, line := range []string{"zz " + option, "zz " + option + "=auto", "zz " + option + " --other",
				"zz " + option + "=5m", "echo " + option + " y", "docker run " + option + " y"} {
				if d := Parse(line).Doubts; len(d) > 0 {
					t.Errorf("%s: %v", line, d)
				}
			}
		}
		for w := range programs.Tame {
			for _, line := range []string{"zz --" + w + "-" + word + "=/x/y", "zz --" + word + "-" + w + " y"} {
				if d := Parse(line).Doubts; len(d) > 0 {
					t.Errorf("%s: %v", line, d)
				}
			}
		}
	}
	for word := range programs.Loading {
		if line := "zz --" + word + "=./x"; Parse(line).Understood() {
			t.Errorf("%s: understood", line)
		}
		if line := "zz --" + word + "=name"; !Parse(line).Understood() {
			t.Errorf("%s: %v", line, Parse(line).Doubts)
		}
	}
	for _, dir := range []string{"/bin/", "/usr/bin/", "/usr/local/bin/"} {
		for _, shell := range []string{"sh", "bash", "dash", "zsh", "python3", "perl", "env", "bash5.2"} {
			for _, form := range []string{"zz %", "zz -x %", "zz -x%", "zz --y=%", "zz a %", "zz '% -p'", "zz '% #'"} {
				if line := strings.ReplaceAll(form, "%", dir+shell); Parse(line).Understood() {
					t.Errorf("%s: understood", line)
				}
			}
			if line := "ls -l " + dir + shell + "; file " + dir + shell + "; grep -n " + dir + shell + " f"; !Parse(line).Understood() {
				t.Errorf("%s: %v", line, Parse(line).Doubts)
			}
		}
	}
	for line, understood := range map[string]bool{
		"zz 'sh -c id'": false, "zz 'python3 -c x'": false, "zz '|id'": false, "zz -o '| id'": false,
		"zz '|/x/y'": false, "zz exec y": false, "zz --on-done=/x/y": false, "zz --on-done 'x y'": false,
		"zz sh": true, "zz 'sh is a shell'": true, "zz '|'": true, "zz '||'": true, "zz exec": true,
		"zz execute y": true, "zz run exec": true, "zz --on-done=log": true, "zz completion --shell bash": true,
		"kubectl exec p -- ls": true,
		"npm exec -- a b":      true, "gh pr create --body 'run it'": true, "zz --executor=local": true,
		"zz --scripted x": true, "zz /srv/sh": true, "cut -d '|' -f 2 f": true,
		"psql --command 'select 1'": true, "mysql --execute='select 1'": true, "sqlite3 -csv f 'select 1'": true,
		"sqlite3 -cmd '.mode csv' f": false,
		"psql --command '\\! id'":    false, "psql -o '|id'": false, "sqlite3 -cmd '.shell id' f": false,
		"rpm -qf /bin/sh": true, "rpm --eval '%(id)'": false,
	} {
		if l := Parse(line); l.Understood() != understood {
			t.Errorf("%s: doubts %v, want understood %t", line, l.Doubts, understood)
		}
	}
	if got := Parse("npm exec -- a b; composer exec c; cross-env X=1 d; ccache e f").Programs(); !slices.Equal(got,
		strings.Fields("npm a composer c cross-env d ccache e")) {
		t.Errorf("programs %q", got)
	}
}

// Options of a launcher stand before the command that it starts.
func TestLaunchersOptions(t *testing.T) {
	for line, want := range map[string]string{
		"uv run --frozen --group dev a b": "uv a", "uv run -p 3.12 --with x -- a": "uv a",
		"conda run -n env a": "conda a", "conda run --name=env a": "conda a", "npm exec --package=x -- a": "npm a",
		"npm exec -y -p x a": "npm a", "pnpm -r exec a": "", "uv run --env-file x a": "",
		"uv --directory x run a": "",
		"uv run --with $X a":     "", "conda run -n $X a": "", "npm exec -c 'a b'": "", "uv sync --frozen": "uv",
	} {
		l := Parse(line)
		if got := strings.Join(l.Programs(), " "); l.Understood() != (want != "") || want != "" && got != want {
			t.Errorf("%s: programs %q, doubts %v, want %q", line, got, l.Doubts, want)
		}
	}
}

// Variables of dangerous families that only tune, and their neighbours.
func TestTuningVariables(t *testing.T) {
	for line, understood := range map[string]bool{
		"GOOS=linux GOARCH=arm64 CGO_ENABLED=0 go build": true, "export GO111MODULE=on": true,
		"PYTHONUNBUFFERED=1 NODE_ENV=test a": true, "while IFS= read -r x; do a; done": true,
		"GOOGLE_CLOUD_PROJECT=x a": true, "DOCKER_BUILDKIT=1 docker build .": true,
		"GOFLAGS=-toolexec=x go build": false, "GOCACHEPROG=x go build": false, "GOROOT=. go build": false,
		"GOAUTH=x go get": false, "CGO_CFLAGS=x go build": false, "NODE_OPTIONS=x a": false,
		"PYTHONPATH=. a": false, "PYTHONSTARTUP=x a": false,
		"IFS=x a": false, "IFS=/; read x": false, "IFS=/ PATH=. read x": false, "DOCKER_HOST=x docker ps": false,
		"CARGO_BUILD_RUSTC=x cargo build": false,
	} {
		if l := Parse(line); l.Understood() != understood {
			t.Errorf("%s: doubts %v, want understood %t", line, l.Doubts, understood)
		}
	}
}

// A file that is named after a program is not that program.
func TestScriptsAreNotTheirNames(t *testing.T) {
	for _, name := range []string{"env.sh", "find.py", "script.bash", "time.js", "xargs.rb"} {
		if got := Parse("tools/" + name + " a").Programs(); !slices.Equal(got, []string{name}) {
			t.Errorf("%s: programs %q", name, got)
		}
	}
	for line, want := range map[string]string{"vim.tiny -c x f": "option", "nc.openbsd -e x h": "option",
		"python3.11 -c x": "foreign"} {
		if d := Parse(line).Doubts; len(d) == 0 || string(d[0].Kind) != want {
			t.Errorf("%s: %v, want %s", line, d, want)
		}
	}
}

// Options that say which files programs write.
func TestOutputs(t *testing.T) {
	for line, want := range map[string]string{
		"sort -uo f g; sort --outp=h i":                                  "f h",
		"curl -sSLo f u; curl -O u; curl -HAccept:o -D g u; curl -o - u": "f . g", "wget -qO- u; wget -o l u": "l",
		"base64 -d --output f g; openssl enc -in a -out f; tree -o f": "f f f", "uniq a b; xxd -r c d": "b d",
		"zz --output=out/x --log-file l.txt": "out/x l.txt",
		"kubectl get p --output json; aws x --output=table; docker build --output type=local,dest=x .; kubectl get " +
			"--output 'jsonpath={.a.b}'": "",
		"sed -i -es/a/b/ f; sed -i --expression=s/a/b/ g; sed -ni -e p -e q h; sed --in-place s/a/b/ i j": "f g h i j",
		"sed -e s/a/b/ f": "",
		"chmod --reference=a b c; chown --ref=a d; ln -s /etc/passwd; yq -i .a=1 f":                        "b c d . .a=1 f",
		"a > >(b); tee >(c) f; a 2> >(d)":                                                                  "f",
		"git archive -o f HEAD; git format-patch -o d HEAD; git bundle create g HEAD; git diff --output=h": "f d g h",
		"go build -o f; go test -outputdir=x; gcc -of a.c":                                                 "f f x",
		"history -w f; psql -o f; gpg -o f -d g":                                                           "f f f",
		"find . -o -name a; grep -o a/b f; ls -o d":                                                        "",
	} {
		var got []string
		for _, w := range outputs.Writes(Parse(line)) {
			if !slices.Contains(got, w.Text) || w.Text == "f" {
				got = append(got, w.Text)
			}
		}
		slices.Sort(got)
		wanted := strings.Fields(want)
		slices.Sort(wanted)
		if !slices.Equal(got, wanted) {
			t.Errorf("%q: writes %q, want %q", line, got, wanted)
		}
	}
}
