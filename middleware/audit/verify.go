// Copyright The toolscope Authors
// SPDX-License-Identifier: Apache-2.0

package audit

import (
	"bytes"
	"crypto/sha256"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/toolscope/toolscope/internal/linefile"
)

// A Report is what [Verify] found. A log is as it was written if Problems is empty.
type Report struct {
	Files     int      `json:"files"`               // logs that were read: the one of the name, and those set aside
	Entries   int      `json:"entries"`             // entries in the chain, also those that were forgotten
	Forgotten int      `json:"forgotten,omitempty"` // entries that were forgotten: their digests are left
	Unchained int      `json:"unchained,omitempty"` // lines from before the chain began, about which nothing is known
	First     uint64   `json:"first,omitempty"`     // number of the first entry; above 1 after rotation has removed entries
	Last      uint64   `json:"last,omitempty"`      // number of the last entry
	Head      string   `json:"head,omitempty"`      // end of the chain; kept elsewhere, it proves later what there was
	Problems  []string `json:"problems"`            // breaks in the chain, at most 50
}

// maxProblems bounds a report; maxLine is the longest line that is read, in bytes.
const (
	maxProblems = 50
	maxLine     = 64 << 20
)

// Verify reads a log, and those that were set aside next to it, and reports where an entry was changed, removed, inserted
// or moved, and whether the end is missing. key is the log's [Options].Key. Entries that `toolscope forget` removed and
// logs that rotation removed are no break. known, if it is not "", is a [Report].Head from before: an entry of that head
// must be in the log.
//
// Without a key a person who can write the files can make a whole chain anew: keep the Head elsewhere, or use a key.
func Verify(path string, key []byte, known string) (*Report, error) {
	var r *Report
	for range 3 { // a program may set the log aside while it is read
		before, _ := readStateOf(path, key)
		var err error
		if r, err = verify(path, key, known); err != nil {
			return nil, err
		}
		if after, _ := readStateOf(path, key); len(r.Problems) == 0 || before == after {
			break
		}
	}
	return r, nil
}

func readStateOf(path string, key []byte) (state, error) {
	f, err := os.Open(statePath(path))
	if err != nil {
		return state{}, err
	}
	defer f.Close()
	s, ok := readState(f, key)
	if !ok {
		return s, errors.New("it was changed, or was written with another key")
	}
	return s, nil
}

// verifier reads the chain.
type verifier struct {
	Report
	key        []byte
	known      string
	foundKnown bool
	last       link
	began      bool
	before     int64 // bytes of lines from before the chain
	anchored   bool  // whether the entry of the state was found
	state      state
	pruned     []uint64
	fragment   string // digest of a line that is no entry, which the next entry has to know
	at         string // where the fragment is
}

func verify(path string, key []byte, known string) (*Report, error) {
	paths, err := logsOf(path)
	if err != nil {
		return nil, err
	}
	v := &verifier{key: key, known: known, Report: Report{Problems: []string{}}}
	// The state is read first: entries that are written meanwhile come behind it.
	state, stateErr := readStateOf(path, key)
	v.state = state
	for _, p := range paths {
		err := eachLine(p, func(number int, line []byte) { v.line(fmt.Sprintf("%s:%d", filepath.Base(p), number), line) })
		if err != nil {
			return nil, fmt.Errorf("audit: %s: %w", p, err)
		}
		v.Files++
	}
	v.finish(path, stateErr)
	return &v.Report, nil
}

// problem reports a break.
func (v *verifier) problem(format string, args ...any) {
	if len(v.Problems) < maxProblems {
		v.Problems = append(v.Problems, fmt.Sprintf(format, args...))
	}
}

// line reads one line.
func (v *verifier) line(at string, line []byte) {
	if len(bytes.TrimLeft(line, " ")) == 0 {
		if !v.began {
			v.before += int64(len(line)) + 1
		}
		return // nothing stands there; what stood there is missing in the chain
	}
	p, ok := parse(line)
	if !v.began {
		v.before += int64(len(line)) + 1
	}
	if !ok {
		v.lostFragment()
		if !v.began {
			v.Unchained++
			return
		}
		sum := sha256.Sum256(line)
		v.fragment, v.at = encoding.EncodeToString(sum[:]), at
		return
	}
	v.entry(at, line, &p)
}

// lostFragment reports a line that is no entry, and that no entry knows.
func (v *verifier) lostFragment() {
	if v.fragment != "" {
		v.problem("%s: no entry of the chain: it was inserted or changed", v.at)
	}
	v.fragment = ""
}

// entry reads an entry of the chain.
func (v *verifier) entry(at string, line []byte, p *parsed) {
	forgotten := forgottenEntry.Match(p.body)
	var known struct {
		Torn     string `json:"torn"`
		Before   int64  `json:"before"`
		PrunedTo uint64 `json:"pruned_to"`
	}
	switch {
	case forgotten:
		v.Forgotten++
		_ = json.Unmarshal(line, &known) // of that form
	case sha256.Sum256(p.body) != p.entry || line[len(line)-1] == ' ':
		v.problem("%s: entry %d was changed", at, p.seq)
	case json.Unmarshal(line, &known) != nil:
		v.problem("%s: entry %d is no JSON", at, p.seq)
	}
	if v.fragment != "" && known.Torn == v.fragment {
		v.fragment = "" // a crash tore it
	}
	v.lostFragment()
	if known.PrunedTo > 0 {
		v.pruned = append(v.pruned, known.PrunedTo)
	}
	switch {
	case !v.began:
		v.First, v.began = p.seq, true
		if v.before -= int64(len(line)) + 1; v.before != known.Before {
			v.problem("%s: %d bytes stand before the chain, and entry %d knows of %d", at, v.before, p.seq, known.Before)
		}
		if p.seq == 1 && (link{}).next(v.key, p.entry) != p.link {
			v.problem("%s: entry 1 does not begin the chain: it was changed, or the key is another", at)
		}
	case p.seq != v.last.seq+1:
		v.problem("%s: entry %d follows entry %d: entries were removed, inserted or moved", at, p.seq, v.last.seq)
	case v.last.next(v.key, p.entry) != p.link:
		v.problem("%s: entry %d does not continue the chain: it or the one before was changed", at, p.seq)
	}
	v.last = p.link
	v.Entries++
	head := headOf(p.link)
	v.foundKnown = v.foundKnown || head == v.known
	v.anchored = v.anchored || p.link == v.state.link
}

// headOf is the text of a place in the chain.
func headOf(l link) string { return fmt.Sprintf("%d:%s", l.seq, encoding.EncodeToString(l.chain[:])) }

// finish checks both ends.
func (v *verifier) finish(path string, stateErr error) {
	v.lostFragment()
	if v.began {
		v.Last, v.Head = v.last.seq, headOf(v.last)
	}
	if v.First > 1 && !slices.Contains(v.pruned, v.First-1) {
		v.problem("the log begins with entry %d, and no entry says that rotation removed those before", v.First)
	}
	switch {
	case stateErr != nil && v.known != "" && v.foundKnown: // the head says as much
	case stateErr != nil && (v.began || v.key != nil || !errors.Is(stateErr, os.ErrNotExist)):
		v.problem("%s, which says where the log ends, cannot be used: %v; entries may be missing at the end",
			filepath.Base(statePath(path)), stateErr)
	case stateErr == nil && v.state.seq > 0 && !v.anchored:
		v.problem("entry %d was the last one written, and is not in the log, which ends with entry %d", v.state.seq, v.Last)
	}
	if !v.began && v.Unchained > 0 {
		v.problem("no line of %s is an entry of a chain", filepath.Base(path))
	}
	if v.known != "" && !v.foundKnown {
		v.problem("the entry of the head %.80q is not in the log", v.known)
	}
}

// logsOf are the log and those set aside next to it, in the order of their first entries.
func logsOf(path string) ([]string, error) {
	aside, err := filepath.Glob(strings.NewReplacer("[", "[[]", "*", "[*]", "?", "[?]").Replace(path) + ".*")
	if err != nil {
		return nil, fmt.Errorf("audit: %w", err)
	}
	type log struct {
		path  string
		first uint64
	}
	var logs []log
	for _, p := range append(aside, path) {
		first := uint64(0)
		stop := errors.New("found")
		err := eachLineUntil(p, func(_ int, line []byte) error {
			if e, ok := parse(line); ok {
				first = e.seq
				return stop
			}
			return nil
		})
		if errors.Is(err, os.ErrNotExist) && len(aside) > 0 {
			continue // it was just set aside
		}
		if err != nil && err != stop {
			return nil, fmt.Errorf("audit: %s: %w", p, err)
		}
		if first > 0 || p == path {
			logs = append(logs, log{p, first})
		}
	}
	slices.SortStableFunc(logs, func(a, b log) int {
		switch {
		case a.first == b.first:
			return 0
		case b.first == 0 || a.first != 0 && a.first < b.first: // a log without entries is the latest
			return -1
		}
		return 1
	})
	paths := make([]string, len(logs))
	for i, l := range logs {
		paths[i] = l.path
	}
	return paths, nil
}

func eachLine(path string, f func(number int, line []byte)) error {
	return eachLineUntil(path, func(number int, line []byte) error { f(number, line); return nil })
}

// eachLineUntil calls f with each line of a file, which may be compressed, until it returns an error.
func eachLineUntil(path string, f func(number int, line []byte) error) error {
	file, err := linefile.OpenRead(path)
	if err != nil {
		return err
	}
	defer file.Close()
	return linefile.Each(file, maxLine, func(number int, line []byte, _ bool) error { return f(number, line) })
}
