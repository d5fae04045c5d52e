// Copyright The toolscope Authors
// SPDX-License-Identifier: Apache-2.0

package main

import (
	"crypto/sha256"
	"debug/buildinfo"
	"fmt"
	"io"
	"os"
	"path"
	"path/filepath"
	"runtime"
	"strings"
	"time"
)

const commandDir = "cmd/toolscope"

// A target is a system for which there is a binary.
type target struct{ os, arch string }

func (t target) String() string { return t.os + "_" + t.arch }

// program is the name of the binary.
func (t target) program() string {
	if t.os == "windows" {
		return "toolscope.exe"
	}
	return "toolscope"
}

var targets = []target{
	{"linux", "amd64"}, {"linux", "arm64"}, {"darwin", "amd64"}, {"darwin", "arm64"}, {"windows", "amd64"}, {"windows", "arm64"},
}

// A distribution is what is published of a version besides its tags. All of it follows from the tagged
// commit and the Go version: two runs write the same bytes.
type distribution struct {
	version string
	time    time.Time // of the commit
	dir     string    // dist/VERSION
	source  *list     // a clone of the tagged commit
	files   []string  // written so far, without dir
}

// dist writes dist/VERSION of a version that is tagged: archives of the command with a bill of
// materials for each system, the definition of a container image, a Homebrew formula, and checksums.
func (l *list) dist(version string, systems []target) (*distribution, error) {
	tag := member{dir: commandDir}.tag(version)
	seconds, err := output(l.root, "git", "log", "-1", "--format=%ct", tag)
	if err != nil {
		return nil, fmt.Errorf("tag %s: want one: go run ./internal/release release %s makes it: %w", tag, version, err)
	}
	var unix int64
	if _, err := fmt.Sscan(seconds, &unix); err != nil {
		return nil, err
	}
	clone, err := os.MkdirTemp("", "toolscope-dist-")
	if err != nil {
		return nil, err
	}
	defer os.RemoveAll(clone)
	if _, err := output("", "git", "-c", "advice.detachedHead=false", "clone", "-q", "--branch", tag, l.root, clone); err != nil {
		return nil, err
	}
	source, err := readList(clone)
	if err != nil {
		return nil, err
	}
	if source.version != version {
		return nil, fmt.Errorf("tag %s: %s has version %s, want %s", tag, listFile, source.version, version)
	}
	d := &distribution{
		version: version, time: time.Unix(unix, 0).UTC(), dir: filepath.Join(l.root, "dist", version), source: source,
	}
	if err := os.RemoveAll(d.dir); err != nil {
		return nil, err
	}
	if err := os.MkdirAll(d.dir, 0o755); err != nil {
		return nil, err
	}
	if err := d.addSystems(systems); err != nil {
		return nil, err
	}
	return d, d.addDefinitions()
}

func (d *distribution) addSystems(systems []target) error {
	s, err := d.source.sandbox(true)
	if err != nil {
		return err
	}
	defer s.close()
	for _, t := range systems {
		if err := d.addSystem(s, t); err != nil {
			return fmt.Errorf("%s: %w", t, err)
		}
	}
	return nil
}

// addSystem builds the command for a system and adds its archive and its bill of materials.
func (d *distribution) addSystem(s *sandbox, t target) error {
	binary, err := d.build(s, t)
	if err != nil {
		return err
	}
	info, err := buildinfo.ReadFile(binary)
	if err != nil {
		return err
	}
	if err := d.check(info); err != nil {
		return err
	}
	if t == (target{runtime.GOOS, runtime.GOARCH}) {
		got, err := output("", binary, "version")
		if err != nil || !strings.HasPrefix(got, "toolscope "+d.version+" (commit ") {
			return fmt.Errorf("toolscope version: got %q and error %v, want %s and its commit", got, err, d.version)
		}
		fmt.Print(got)
	}
	content := []archived{{t.program(), binary, 0o755}}
	for _, name := range []string{"LICENSE", "README.md", "CHANGELOG.md"} {
		content = append(content, archived{name, filepath.Join(d.source.root, name), 0o644})
	}
	if err := d.create(d.archive(t), func(w io.Writer) error { return writeArchive(w, t, content, d.time) }); err != nil {
		return err
	}
	return d.create("toolscope_"+d.version+"_"+t.String()+".cdx.json", func(w io.Writer) error {
		return writeBill(w, info, d.time)
	})
}

// archive is the name of a system's archive.
func (d *distribution) archive(t target) string {
	if t.os == "windows" {
		return "toolscope_" + d.version + "_" + t.String() + ".zip"
	}
	return "toolscope_" + d.version + "_" + t.String() + ".tar.gz"
}

// build builds the command in the clone, so that the go command records version, commit and time, and
// from the sandbox's proxy, so that it records the versions of all modules. Their checksums go
// into a copy of go.sum: the clone stays without changes, which the go command would record as well.
func (d *distribution) build(s *sandbox, t target) (binary string, err error) {
	dir := filepath.Join(d.source.root, filepath.FromSlash(commandDir))
	for _, name := range []string{"go.mod", "go.sum"} {
		text, err := os.ReadFile(filepath.Join(dir, name))
		if err != nil {
			return "", err
		}
		if err := os.WriteFile(filepath.Join(s.dir, name), text, 0o644); err != nil {
			return "", err
		}
	}
	binary = filepath.Join(s.dir, t.String(), t.program())
	environment := append(s.env[:len(s.env):len(s.env)],
		"CGO_ENABLED=0", "GOOS="+t.os, "GOARCH="+t.arch, "GOAMD64=v1", "GOARM64=v8.0", "GOEXPERIMENT=", "GOFIPS140=off")
	_, err = outputEnv(dir, environment, "go", "build", "-modfile="+filepath.Join(s.dir, "go.mod"), "-buildvcs=true",
		"-ldflags=-s -w", "-o", binary, ".")
	return binary, err
}

// check reports what a binary says of itself that a released one must not say.
func (d *distribution) check(info *buildinfo.BuildInfo) error {
	if info.Main.Version != d.version {
		return fmt.Errorf("build information: got version %q, want %s", info.Main.Version, d.version)
	}
	for _, m := range info.Deps {
		if m.Replace != nil || ours(m.Path) && m.Version != d.version {
			return fmt.Errorf("build information: got %s %s, want %s and no replacement", m.Path, m.Version, d.version)
		}
	}
	return nil
}

// addDefinitions adds what refers to the archives, and the checksums of everything.
func (d *distribution) addDefinitions() error {
	sums := make(map[string]string)
	sum := func(name string) error {
		text, err := os.ReadFile(filepath.Join(d.dir, name))
		sums[name] = fmt.Sprintf("%x", sha256.Sum256(text))
		return err
	}
	for _, name := range d.files {
		if err := sum(name); err != nil {
			return err
		}
	}
	for name, text := range map[string]string{"Dockerfile": d.dockerfile(), "toolscope.rb": d.formula(sums)} {
		if err := d.create(name, func(w io.Writer) error { _, err := io.WriteString(w, text); return err }); err != nil {
			return err
		}
		if err := sum(name); err != nil {
			return err
		}
	}
	return d.create("checksums.txt", func(w io.Writer) error { return writeSums(w, sums) })
}

func (d *distribution) create(name string, write func(io.Writer) error) error {
	f, err := os.Create(filepath.Join(d.dir, name))
	if err != nil {
		return err
	}
	err = write(f)
	if closed := f.Close(); err == nil {
		err = closed
	}
	d.files = append(d.files, name)
	fmt.Println("ok", path.Join("dist", d.version, name))
	return err
}
