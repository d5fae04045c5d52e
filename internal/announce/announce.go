// Copyright The toolscope Authors
// SPDX-License-Identifier: Apache-2.0

package announce

import (
	"cmp"
	"crypto/rand"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"net/url"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"sync"
	"syscall"
	"time"
)

// The bounds of what is read back.
const (
	maxFile     = 4 << 10
	maxPrograms = 64
	maxTitle    = 80
	suffix      = ".json"
)

// A Program is one that serves its statistics on this machine.
type Program struct {
	URL     string    `json:"url"`             // address of the statistics
	Title   string    `json:"title,omitempty"` // title as announced; escape it before printing
	PID     int       `json:"pid"`             // process id
	Started time.Time `json:"started"`         // when the program announced itself
	Host    string    `json:"host"`            // name of the machine

	file string
}

// Announce tells that this process serves its statistics at a URL, under a title of
// at most 80 bytes that may be "". The function returned takes it back; it may be called more
// than once.
func Announce(address, title string) (withdraw func(), err error) {
	u, err := loopback(address)
	if err != nil {
		return nil, err
	}
	if len(title) > maxTitle {
		return nil, fmt.Errorf("announce: title: got %d bytes, want at most %d", len(title), maxTitle)
	}
	dir, err := directory()
	if err != nil {
		return nil, err
	}
	host, err := os.Hostname()
	if err != nil {
		return nil, fmt.Errorf("announce: %w", err)
	}
	text, err := json.Marshal(Program{
		URL: u, Title: title, PID: os.Getpid(), Started: time.Now().UTC().Truncate(time.Second), Host: host,
	})
	if err != nil {
		return nil, fmt.Errorf("announce: %w", err)
	}
	var random [6]byte
	_, _ = rand.Read(random[:]) // never fails
	file := filepath.Join(dir, fmt.Sprintf("%d-%s%s", os.Getpid(), hex.EncodeToString(random[:]), suffix))
	// Renamed when it is complete, so that no process reads a partial file.
	err = os.WriteFile(file+".new", text, 0o600)
	if err == nil {
		err = os.Rename(file+".new", file)
	}
	if err != nil {
		_ = os.Remove(file + ".new")
		return nil, fmt.Errorf("announce: %w", err)
	}
	return sync.OnceFunc(func() { _ = os.Remove(file) }), nil
}

// List returns the programs announced on this machine, the first announced first, at most 64, and
// removes what programs left that are gone. A directory that is not there is no
// error.
func List() ([]Program, error) {
	dir, err := place()
	if err != nil {
		return nil, err
	}
	if err := check(dir); errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	} else if err != nil {
		return nil, err
	}
	entries, err := os.ReadDir(dir)
	if err != nil {
		return nil, fmt.Errorf("announce: %w", err)
	}
	host, _ := os.Hostname()
	var programs []Program
	for _, e := range entries {
		if !e.Type().IsRegular() || !strings.HasSuffix(e.Name(), suffix) {
			continue
		}
		p, err := read(filepath.Join(dir, e.Name()))
		switch {
		case err != nil || p.Host != host:
		case !alive(p.PID):
			p.Remove()
		case len(programs) < maxPrograms:
			programs = append(programs, p)
		}
	}
	slices.SortFunc(programs, func(a, b Program) int {
		return cmp.Or(a.Started.Compare(b.Started), cmp.Compare(a.PID, b.PID), cmp.Compare(a.URL, b.URL))
	})
	return programs, nil
}

// Remove takes back what a program announced that was found to be gone.
func (p Program) Remove() {
	if p.file != "" {
		_ = os.Remove(p.file)
	}
}

// read reads a file that Announce wrote. It returns an error for any other file.
func read(file string) (p Program, err error) {
	info, err := os.Lstat(file)
	if err != nil {
		return p, err
	}
	if !info.Mode().IsRegular() || info.Size() > maxFile {
		return p, fmt.Errorf("announce: %s: got no file of at most %d bytes", filepath.Base(file), maxFile)
	}
	text, err := os.ReadFile(file)
	if err != nil {
		return p, err
	}
	if err := json.Unmarshal(text, &p); err != nil {
		return p, fmt.Errorf("announce: %s: %w", filepath.Base(file), err)
	}
	p.file = file
	p.Title = p.Title[:min(len(p.Title), maxTitle)]
	p.URL, err = loopback(p.URL)
	return p, err
}

// loopback checks that a URL leads to this machine, and makes an address that stands
// for all of them the loopback one.
func loopback(address string) (string, error) {
	u, err := url.Parse(address)
	if err != nil || u.Scheme != "http" && u.Scheme != "https" || u.Port() == "" ||
		u.User != nil || u.RawQuery != "" || u.Fragment != "" {
		return "", fmt.Errorf("announce: URL: got %.100q, want one such as http://127.0.0.1:9464/", address)
	}
	switch local, every := isLoopback(u.Hostname()); {
	case every:
		u.Host = "127.0.0.1:" + u.Port()
	case !local:
		return "", fmt.Errorf("announce: URL: got %.100q, want a loopback address", address)
	}
	if !strings.HasSuffix(u.Path, "/") {
		u.Path += "/"
	}
	return u.String(), nil
}

// alive reports whether a process with that id runs, under any user.
func alive(pid int) bool {
	if pid <= 0 {
		return false
	}
	p, err := os.FindProcess(pid)
	if err != nil {
		return false
	}
	defer func() { _ = p.Release() }()
	if runtime.GOOS == "windows" { // there, FindProcess fails for one that is gone
		return true
	}
	err = p.Signal(syscall.Signal(0))
	return err == nil || errors.Is(err, fs.ErrPermission)
}
