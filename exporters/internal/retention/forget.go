// Copyright The toolscope Authors
// SPDX-License-Identifier: Apache-2.0

package retention

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"time"
)

// Forget says whose traces are to be removed. The zero value removes nothing: each
// method returns an error. Methods may be called concurrently for different files.
type Forget struct {
	// Session is the session's id as the files have it.
	Session string
	// Tenant, if it is not "", spares the sessions of that id of other tenants, and those
	// without one.
	Tenant string
	// Call, in the place of Session, is a call's id in a call log or recording, its member call. Its steps
	// (parent_call) go with it. CallLog reads it, and no other method.
	Call string
	// DryRun counts and changes nothing.
	DryRun bool
}

// A Report is what was found; without DryRun all of it was removed.
type Report struct {
	Files   int // read
	Removed int // lines, or spans
}

// addFile adds up.
func (r *Report) addFile(removed int) {
	r.Files++
	r.Removed += removed
}

// placeInChain is how an audit log's entry ends: what it tells of other lines, its salt, and its place ([audit.Verify]).
var placeInChain = regexp.MustCompile(`((?:,"torn":"[A-Za-z0-9_-]{43}")?(?:,"pruned_to":[0-9]+)?(?:,"before":[0-9]+)?)` +
	`,"salt":"[A-Za-z0-9_-]{16}"(,"seq":[0-9]+,"entry":"[A-Za-z0-9_-]{43}","chain":"[A-Za-z0-9_-]{43}"\}) *$`)

var errBoth = errors.New("retention: Forget: got a Session and a Call, want one of them")

var errNoSession = errors.New(`retention: Forget.Session: got "", want the id of a session`)

// CallLog removes the session's lines from a file of JSON lines whose member session
// says whose they are: a call log as [calllog.Log] reads it, or a recorded session as
// `toolscope replay` does. They become empty lines. A file whose name ends with .gz is
// taken as compressed.
func (f Forget) CallLog(path string) (Report, error) {
	if f.Call != "" && f.Session != "" {
		return Report{}, errBoth
	}
	return f.lines(path, f.namer(), func([]byte) string { return "" })
}

// Audit removes the session's entries from an audit log and from those set aside next to it
// ([audit.Options].MaxBytes). Each becomes an entry with the event "forgotten", the time of
// what it replaces and that of its removal, as far as there is room: an
// auditor sees that something is missing, when it was, and that it was removed on purpose. Its place in the chain of
// entries stays ([audit.Verify]), and its digest, which tells nothing of what it said.
func (f Forget) Audit(path string) (Report, error) {
	now := time.Now().UTC().Format(time.RFC3339)
	tombstone := func(line []byte) string {
		place := "}"
		if found := placeInChain.FindSubmatch(line); found != nil {
			place = string(found[1]) + string(found[2])
		}
		text := fmt.Sprintf(`"event":"forgotten","forgotten":%q%s`, now, place)
		m, _ := read(line)
		if t, err := time.Parse(time.RFC3339, m.time); err == nil {
			if timed := fmt.Sprintf(`{"time":%q,%s`, t.Format(time.RFC3339), text); len(timed) <= len(line) {
				return timed
			}
		}
		if text = "{" + text; len(text) > len(line) && len(place) > 1 {
			text = `{"event":"forgotten"` + place
		}
		return text
	}
	var total Report
	seen := make(map[string]bool)
	aside, err := filepath.Glob(escape(path) + ".*")
	for err == nil {
		for _, p := range append(aside, path) {
			var r Report
			r, err = f.ofSession().lines(p, f.ofSession().names, tombstone)
			total.Removed += r.Removed
			if errors.Is(err, os.ErrNotExist) && len(aside) > 0 {
				err = nil // it was just set aside, or removed for its age
			}
			if err != nil {
				return total, err
			}
			seen[p] = true
		}
		// The log may have been set aside meanwhile, with lines that were not read.
		aside, err = filepath.Glob(escape(path) + ".*")
		aside = slices.DeleteFunc(aside, func(p string) bool { return seen[p] })
		if len(aside) == 0 {
			break
		}
	}
	total.Files = len(seen)
	if err != nil {
		return total, fmt.Errorf("retention: %s: %w", path, err)
	}
	return total, nil
}

// escape makes a path a pattern that matches only itself.
func escape(path string) string {
	return strings.NewReplacer(`[`, `[[]`, `*`, `[*]`, `?`, `[?]`).Replace(path)
}

// lines replaces the session's lines of a file.
func (f Forget) lines(path string, names func(line []byte) bool, instead func(line []byte) string) (Report, error) {
	var r Report
	if f.Session+f.Call == "" {
		return r, errNoSession
	}
	n, err := edit(path, f.DryRun, func(line []byte) int {
		if !names(line) {
			return 0
		}
		blank(line, instead(line))
		return 1
	})
	if err == nil || n > 0 {
		r.addFile(n)
	}
	return r, err
}

// blank writes a text over the line if it fits, and spaces over the rest.
func blank(line []byte, text string) {
	if len(text) > len(line) {
		text = ""
	}
	for i := copy(line, text); i < len(line); i++ {
		line[i] = ' '
	}
}
