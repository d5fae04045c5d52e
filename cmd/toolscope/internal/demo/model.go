// Copyright The toolscope Authors
// SPDX-License-Identifier: Apache-2.0

package demo

import (
	"encoding/json"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync/atomic"

	"github.com/toolscope/toolscope/internal/canary"
	"github.com/toolscope/toolscope/toolkit"
)

// model proposes calls as a language model would. It looks at the directory the
// session works in, so that its calls are about real files.
type model struct {
	files   []string // readable text files, relative to the directory
	secrets []canary.Secret
	site    string        // where the loopback site is
	calls   atomic.Uint64 // proposed so far
}

// How much of the directory is read: a home directory may have millions of files of
// which none can be read as text.
const (
	maxFiles   = 200
	maxEntries = 20_000
)

// newModel looks at dir for files worth reading.
func newModel(dir string, secrets []canary.Secret) *model {
	m := &model{secrets: secrets}
	root := os.DirFS(dir)
	entries := 0
	_ = fs.WalkDir(root, ".", func(path string, d fs.DirEntry, err error) error {
		entries++
		switch {
		case err != nil:
			return fs.SkipDir
		case len(m.files) >= maxFiles || entries > maxEntries:
			return fs.SkipAll
		case d.IsDir() && path != "." && strings.HasPrefix(d.Name(), "."):
			return fs.SkipDir
		case d.Type().IsRegular() && slices.Contains(
			[]string{".go", ".md", ".txt", ".mod", ".json", ".yaml", ".yml", ".toml", ".c", ".py", ".rs", ".ts", ".js"},
			filepath.Ext(path),
		):
			m.files = append(m.files, path)
		}
		return nil
	})
	return m
}

// file is the i-th file, round and round; "." if the directory has none.
func (m *model) file(i int) string {
	if len(m.files) == 0 {
		return "."
	}
	return m.files[i%len(m.files)]
}

// call proposes one call with arguments given as names and values in turn.
func (m *model) call(tool string, arguments ...any) toolkit.Call {
	args := make(map[string]any, len(arguments)/2)
	for i := 0; i+1 < len(arguments); i += 2 {
		args[arguments[i].(string)] = arguments[i+1]
	}
	text, err := json.Marshal(args)
	if err != nil {
		panic(err) // the script's own values
	}
	return toolkit.Call{ID: fmt.Sprintf("call_%04d", m.calls.Add(1)), Name: tool, Arguments: text}
}

// raw proposes a call with arguments as they are, valid or not.
func (m *model) raw(tool, arguments string) toolkit.Call {
	c := m.call(tool)
	c.Arguments = json.RawMessage(arguments)
	return c
}

func (m *model) secret(kind string) canary.Secret {
	for _, s := range m.secrets {
		if s.Kind == kind {
			return s
		}
	}
	return m.secrets[0]
}

// A turn is one prompt of the user and the batches of calls that the scripted
// model proposes for it.
type turn struct {
	prompt  string
	batches [][]toolkit.Call
	then    func(last []toolkit.Answer) []toolkit.Call // what follows from the last batch's answers; may be nil
}
