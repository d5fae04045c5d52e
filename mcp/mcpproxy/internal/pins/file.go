// Copyright The toolscope Authors
// SPDX-License-Identifier: Apache-2.0

package pins

import (
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"time"

	"github.com/go-json-experiment/json/jsontext"

	"github.com/toolscope/toolscope/redact"
)

// A File is what is kept of a server's tools.
type File struct {
	Server string    `json:"server"`
	Since  time.Time `json:"since"`
	// Accepted is whether a user accepted them; the first list is remembered on trust.
	Accepted bool              `json:"accepted"`
	Tools    map[string]string `json:"tools"` // name to the SHA-256 of its definition
	// Definitions are redacted, for people to compare; files before toolscope 0.2 have none.
	Definitions map[string]json.RawMessage `json:"definitions,omitempty"`
	// Latest is the last list that differed; nil for none since the user accepted the tools.
	Latest *Latest `json:"latest,omitempty"`
}

// Latest is what of a list differs from what the tools should be.
type Latest struct {
	At          time.Time                  `json:"at"`
	Tools       map[string]string          `json:"tools"` // changed and new ones, as in File
	Removed     []string                   `json:"removed,omitempty"`
	Renamed     []Renaming                 `json:"renamed,omitempty"`
	Definitions map[string]json.RawMessage `json:"definitions,omitempty"`
}

// The bounds of a file, in bytes.
const (
	maxBaseline    = 8 << 20
	maxDefinition  = 64 << 10
	maxDefinitions = 1 << 20 // of all of a list
)

func now() time.Time { return time.Now().UTC().Truncate(time.Second) }

// readFile reads a file that is there.
func readFile(path string, info os.FileInfo) (file File, err error) {
	if info.Size() > maxBaseline {
		return file, fmt.Errorf("%s: got %d bytes, want at most %d", filepath.Base(path), info.Size(), maxBaseline)
	}
	text, err := os.ReadFile(path)
	if err != nil {
		return file, err
	}
	if err := json.Unmarshal(text, &file); err != nil {
		return File{}, fmt.Errorf("%s: %w", filepath.Base(path), err)
	}
	file.Accepted = file.Accepted && file.Tools != nil // else the next list would be
	return file, nil
}

// write writes the file, whole or not at all.
func (f *File) write(path string) (os.FileInfo, error) {
	text, err := json.MarshalIndent(f, "", "  ")
	if err != nil {
		return nil, err
	}
	if err := writeFile(path, append(text, '\n')); err != nil {
		return nil, err
	}
	return os.Stat(path)
}

// writeFile puts a file in the place of what is there, whole or not at all, for the user alone as its
// directory is.
func writeFile(path string, text []byte) error {
	if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
		return err
	}
	f, err := os.CreateTemp(filepath.Dir(path), ".toolscope-*")
	if err != nil {
		return err
	}
	_, err = f.Write(text)
	err = errors.Join(err, f.Chmod(0o600), f.Close())
	if err == nil {
		err = os.Rename(f.Name(), path)
	}
	if err != nil {
		_ = os.Remove(f.Name())
	}
	return err
}

// redacted are the definitions of a list as they may be kept, of those that only has; nil is all.
func redacted(list List, only map[string]string) map[string]json.RawMessage {
	kept, size := map[string]json.RawMessage{}, 0
	for _, name := range slices.Sorted(maps.Keys(list.Definitions)) {
		if _, wanted := only[name]; !wanted && only != nil {
			continue
		}
		text, _ := redact.Default().JSON(list.Definitions[name])
		if len(text) > maxDefinition || size+len(text) > maxDefinitions || !json.Valid(text) {
			continue
		}
		size += len(text)
		kept[name] = text
	}
	return kept
}

// A List is a complete list of a server's tools.
type List struct {
	Hashes      map[string]string         // SHA-256 of the definitions, by name
	Definitions map[string]jsontext.Value // as they stand on the wire, as far as there was room
}

// A Renaming is a new tool that stands in the place of one that is gone: so a changed tool looks like two others.
type Renaming struct {
	From string `json:"from"`
	To   string `json:"to"`
	// Same says that nothing but the name differs; else the descriptions are similar.
	Same bool `json:"same"`
}
