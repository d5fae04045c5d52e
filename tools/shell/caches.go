// Copyright The toolscope Authors
// SPDX-License-Identifier: Apache-2.0

package shell

import (
	"cmp"
	"os"
	"path/filepath"

	"github.com/toolscope/toolscope/internal/process"
)

// A cache is what the tools of a language keep outside the workspace. Paths are relative to the home directory. No
// directory that holds credentials is among them (~/.cargo and ~/.npmrc are not).
type cache struct {
	variables []variable
	read      []string // programs and libraries
	write     []string
}

// variable says where a cache is. Modules are what is loaded from a network, and written with one only.
type variable struct {
	name, fallback string
	modules        bool
}

var caches = map[string]cache{
	"go": {
		variables: []variable{{"GOCACHE", "~cache/go-build", false}, {"GOMODCACHE", "~gopath/pkg/mod", true}},
		read:      []string{"sdk", "go/bin"},
	},
	"node": {
		variables: []variable{{"npm_config_cache", ".npm", false}, {"YARN_CACHE_FOLDER", "~cache/yarn", false}},
		read:      []string{".nvm/versions", ".volta/tools", ".local/share/pnpm", ".local/share/fnm", ".asdf/installs", ".bun"},
		write:     []string{".npm/_logs"},
	},
	"rust": {
		read: []string{".rustup", ".cargo/bin", ".cargo/registry", ".cargo/git", ".cargo/config.toml", ".asdf/installs"},
	},
	"python": {
		read: []string{".local/lib", ".local/bin", ".local/share/uv", ".local/share/virtualenvs", ".pyenv/versions", ".pyenv/shims",
			".cache/pypoetry/virtualenvs", ".asdf/installs", "miniconda3", "anaconda3"},
		write: []string{".cache/pytest"},
	},
}

// open lets the caches be used, and returns the environment that says where they are.
func (c cache) open(reach *process.Reach, home string, network bool, env []string) []string {
	at := func(path string) string { return filepath.Join(home, path) }
	for _, path := range c.read {
		reach.Read = append(reach.Read, at(path))
	}
	for _, path := range c.write {
		_ = os.MkdirAll(at(path), 0o777)
		reach.Write = append(reach.Write, at(path))
	}
	for _, v := range c.variables {
		path := cmp.Or(os.Getenv(v.name), cachePath(v.fallback, home))
		if path == "" || path == "off" {
			continue
		}
		if reach.Read = append(reach.Read, path); !v.modules || network {
			_ = os.MkdirAll(path, 0o777)
			reach.Write = append(reach.Write, path)
		}
		env = append(env, v.name+"="+path)
	}
	return env
}

// cachePath is a fallback below the user's directory of caches, below GOPATH, or below home.
func cachePath(fallback, home string) string {
	for mark, dir := range map[string]func() string{
		"~cache/":  func() string { dir, _ := os.UserCacheDir(); return dir },
		"~gopath/": func() string { return cmp.Or(os.Getenv("GOPATH"), filepath.Join(home, "go")) },
	} {
		if len(fallback) > len(mark) && fallback[:len(mark)] == mark {
			return filepath.Join(dir(), fallback[len(mark):])
		}
	}
	return filepath.Join(home, fallback)
}
