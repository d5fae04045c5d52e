// Copyright The toolscope Authors
// SPDX-License-Identifier: Apache-2.0

package main

import (
	"bytes"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
)

// output runs a command in a folder, "" being the present one, and returns what it prints.
func output(dir, name string, args ...string) (string, error) {
	return outputEnv(dir, nil, name, args...)
}

// outputEnv is output with further variables of the environment.
func outputEnv(dir string, env []string, name string, args ...string) (string, error) {
	var out, problems bytes.Buffer
	cmd := exec.Command(name, args...)
	cmd.Dir, cmd.Stdout, cmd.Stderr = dir, &out, &problems
	cmd.Env = append(os.Environ(), env...)
	if err := cmd.Run(); err != nil {
		return "", fmt.Errorf("%s %s: %w\n%s%s", name, strings.Join(args, " "), err, out.Bytes(), problems.Bytes())
	}
	return out.String(), nil
}

// A sandbox is an environment in which the modules of the working tree can be had in the
// list's version, and all others as usual.
type sandbox struct {
	list  *list
	dir   string // a new folder for temporary files
	cache string // the go command's module cache; "" if the sandbox has one of its own
	env   []string
}

// sandbox packs the modules. They are in the go command's own module cache until the sandbox is
// closed, so that the modules of others, which have the paths that they always have there, need not
// be compiled again.
//
// With ownCache the sandbox has a module cache of its own, filled from that of the go command, where
// another run may have other content for the same version. Paths are trimmed.
func (l *list) sandbox(ownCache bool) (*sandbox, error) {
	dir, err := os.MkdirTemp("", "toolscope-release-")
	if err != nil {
		return nil, err
	}
	s := &sandbox{list: l, dir: dir}
	if err := l.pack(filepath.Join(dir, "proxy")); err != nil {
		return nil, err
	}
	vars, err := output(dir, "go", "env", "GOPROXY", "GOMODCACHE")
	if err != nil {
		return nil, err
	}
	proxy, cache, _ := strings.Cut(strings.TrimSpace(vars), "\n")
	s.env = []string{"GOWORK=off", "GONOSUMDB=" + prefix}
	packed := fileURL(filepath.Join(dir, "proxy"))
	if ownCache {
		s.env = append(s.env, "GOFLAGS=-mod=mod -trimpath -modcacherw", "GOMODCACHE="+filepath.Join(dir, "modules"),
			"GOPROXY="+packed+","+fileURL(filepath.Join(cache, "cache", "download"))+","+proxy)
		return s, nil
	}
	s.cache = cache
	if err := s.forget(); err != nil { // what a run that was killed has left
		return nil, err
	}
	// The go command indexes a module's folder once, by its path: here its content changes.
	s.env = append(s.env, "GODEBUG=goindex=0", "GOFLAGS=-mod=mod", "GOPROXY="+packed+","+proxy)
	return s, nil
}

// close deletes the sandbox's files.
func (s *sandbox) close() {
	if s.cache != "" {
		_ = s.forget()
	}
	_ = os.RemoveAll(s.dir)
}

// forget deletes the repository's modules in the list's version from the module cache.
func (s *sandbox) forget() error {
	for _, m := range s.list.modules {
		found, err := filepath.Glob(filepath.Join(
			s.cache, "cache", "download", filepath.FromSlash(m.path()), "@v", s.list.version+".*",
		))
		if err != nil {
			return err
		}
		for _, dir := range append(found, filepath.Join(s.cache, filepath.FromSlash(m.path())+"@"+s.list.version)) {
			if err := remove(dir); err != nil {
				return err
			}
		}
	}
	return nil
}

func (s *sandbox) run(dir, name string, args ...string) (string, error) {
	return outputEnv(dir, s.env, name, args...)
}

func fileURL(path string) string {
	path = filepath.ToSlash(path)
	if !strings.HasPrefix(path, "/") { // C:/…
		path = "/" + path
	}
	return "file://" + path
}

// remove deletes a folder of the module cache, where files are read-only.
func remove(dir string) error {
	_ = filepath.WalkDir(dir, func(path string, d os.DirEntry, err error) error {
		if err == nil && d.IsDir() {
			return os.Chmod(path, 0o755)
		}
		return nil
	})
	return os.RemoveAll(dir)
}
