// Copyright The toolscope Authors
// SPDX-License-Identifier: Apache-2.0

package recordings

import (
	"crypto/rand"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"time"

	"github.com/spf13/pflag"

	"github.com/toolscope/toolscope/cmd/toolscope/internal/calllog"
	"github.com/toolscope/toolscope/redact"
)

// maxContent is how many bytes of arguments, and of each part of a result, are recorded. A line has four such parts at
// most, so that readers take it however its characters are escaped.
const maxContent = 32 << 10

// Flags are the options of commands that record, and what a configuration file says.
type Flags struct {
	Off bool
	Settings
}

// Define defines the options.
func (o *Flags) Define(f *pflag.FlagSet) {
	f.BoolVar(&o.Off, "no-record", false, "do not record the session; "+Variable+"=off does so for all commands, and "+
		Variable+"=DIR records to DIR. See 'toolscope sessions'")
}

// Open begins a recording of a server, whose file is made with the first call. It returns nil where recording is turned
// off. say gets the line that says why nothing is recorded, once.
func (o *Flags) Open(server string, redactor *redact.Redactor, say func(format string, args ...any)) *calllog.Log {
	if o.Off {
		return nil
	}
	dir, err := o.dir()
	if err == nil && dir == "" {
		return nil
	}
	var log *calllog.Log
	if err == nil {
		log, err = open(dir, o.limits(), server, redactor, say)
	}
	if err != nil {
		say(notRecorded, err)
		return nil
	}
	return log
}

const notRecorded = "this session is not recorded: %w"

func open(
	dir string, limits Limits, server string, redactor *redact.Redactor, say func(format string, args ...any),
) (*calllog.Log, error) {
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return nil, err
	}
	if info, err := os.Stat(dir); err == nil && runtime.GOOS != "windows" && info.Mode().Perm()&0o022 != 0 {
		return nil, fmt.Errorf("%s: got a directory that others may write to (mode %v), want one that is yours",
			dir, info.Mode().Perm())
	}
	key, err := OpenKey(dir)
	if err != nil {
		return nil, err
	}
	prune := func() { _, _ = Prune(dir, limits, time.Now(), false) }
	prune()
	name := fmt.Sprintf("%s-%s-%s", time.Now().UTC().Format(nameTime), fileName(server, redactor),
		strings.ToLower(rand.Text()[:6]))
	return calllog.Open(filepath.Join(dir, name+ending), calllog.Options{
		Redactor: redactor, Server: server, MaxSize: maxFile, MaxContent: maxContent, Key: key, Late: true,
		OnFailure: func(err error) { say(notRecorded, err) }, OnRotate: prune,
	})
}

// OpenKey is the key of a directory's fingerprints.
func OpenKey(dir string) (*calllog.Key, error) { return calllog.OpenKey(filepath.Join(dir, keyName)) }

// FindKey is OpenKey of a directory that has a key; nil for any other.
func FindKey(dir string) *calllog.Key {
	if _, err := os.Stat(filepath.Join(dir, keyName)); err != nil {
		return nil
	}
	key, err := OpenKey(dir)
	if err != nil {
		return nil
	}
	return key
}

const keyName = "fingerprint.key"

// fileName is a server's name in the letters that files' names are made of.
func fileName(server string, redactor *redact.Redactor) string {
	if redactor == nil {
		redactor = redact.Default()
	}
	clean, _ := redactor.TextMax(server, 40)
	return strings.Map(func(r rune) rune {
		if r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z' || r >= '0' && r <= '9' || r == '_' || r == '-' {
			return r
		}
		return '-'
	}, clean)
}
