// Copyright The toolscope Authors
// SPDX-License-Identifier: Apache-2.0

package main

import (
	"encoding/json"
	"io"
	"os"
	"path/filepath"
	"strings"
	"time"

	"golang.org/x/mod/module"
	"golang.org/x/mod/zip"
)

// pack writes every module, as the working tree has it without ignored files, as the list's
// version into a module proxy in a folder, which GOPROXY names as file://dir.
func (l *list) pack(dir string) error {
	dir, err := filepath.Abs(dir)
	if err != nil {
		return err
	}
	names, err := files(l.root)
	if err != nil {
		return err
	}
	for _, m := range l.modules {
		if err := l.packModule(dir, m, names); err != nil {
			return err
		}
	}
	return nil
}

func (l *list) packModule(proxy string, m member, names []string) error {
	dir := filepath.Join(proxy, filepath.FromSlash(m.path()), "@v")
	if err := os.MkdirAll(dir, 0o755); err != nil {
		return err
	}
	goMod, err := os.ReadFile(l.file(m, "go.mod"))
	if err != nil {
		return err
	}
	info, err := json.Marshal(struct {
		Version string
		Time    time.Time
	}{l.version, time.Now().UTC().Truncate(time.Second)})
	if err != nil {
		return err
	}
	for name, text := range map[string][]byte{
		"list": []byte(l.version + "\n"), l.version + ".mod": goMod, l.version + ".info": info,
	} {
		if err := os.WriteFile(filepath.Join(dir, name), text, 0o644); err != nil {
			return err
		}
	}
	archive, err := os.Create(filepath.Join(dir, l.version+".zip"))
	if err != nil {
		return err
	}
	err = zip.Create(archive, module.Version{Path: m.path(), Version: l.version}, l.content(m, names))
	if closed := archive.Close(); err == nil {
		err = closed
	}
	return err
}

// content is what belongs to a module: its files without those of modules below it, and the
// repository's licence if it has none, as the go command does for a tag.
func (l *list) content(m member, names []string) []zip.File {
	var content []zip.File
	var licence bool
	for _, name := range names {
		if !l.owns(m, name) {
			continue
		}
		inside := strings.TrimPrefix(name, m.dir+"/")
		if _, err := os.Stat(filepath.Join(l.root, name)); err != nil {
			continue // deleted, and not yet committed
		}
		licence = licence || inside == "LICENSE"
		content = append(content, entry{inside, filepath.Join(l.root, filepath.FromSlash(name))})
	}
	if !licence {
		content = append(content, entry{"LICENSE", filepath.Join(l.root, "LICENSE")})
	}
	return content
}

// owns reports whether a file, relative to the root, is of m and of no module below it.
func (l *list) owns(m member, file string) bool {
	owner := "."
	for _, other := range l.modules {
		if strings.HasPrefix(file, other.dir+"/") && (owner == "." || len(other.dir) > len(owner)) {
			owner = other.dir
		}
	}
	return owner == m.dir
}

// entry is a file of an archive.
type entry struct{ name, file string }

func (e entry) Path() string                 { return e.name }
func (e entry) Lstat() (os.FileInfo, error)  { return os.Lstat(e.file) }
func (e entry) Open() (io.ReadCloser, error) { return os.Open(e.file) }
