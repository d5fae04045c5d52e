// Copyright The toolscope Authors
// SPDX-License-Identifier: Apache-2.0

package audit

import (
	"bytes"
	"crypto/hmac"
	"crypto/rand"
	"crypto/sha256"
	"encoding/base64"
	"encoding/binary"
	"encoding/json"
	"fmt"
	"hash"
	"io"
	"path/filepath"
	"regexp"
	"strconv"
)

// Each line ends with three members: seq is its number, entry the digest of what stands before them, and chain the digest
// of the line before's chain, seq and entry. An entry that was forgotten keeps them, so the chain stays whole; salt, which
// goes with the entry, keeps its digest from telling what it said.

// link is a place in the chain.
type link struct {
	seq   uint64
	chain [sha256.Size]byte
}

// encoding has one text for each value.
var encoding = base64.RawURLEncoding.Strict()

// digester returns the hash of a chain; with a key only who has it can make entries.
func digester(key []byte) hash.Hash {
	if len(key) > 0 {
		return hmac.New(sha256.New, key)
	}
	return sha256.New()
}

// next returns the place of an entry behind l.
func (l link) next(key []byte, entry [sha256.Size]byte) link {
	next := link{seq: l.seq + 1}
	h := digester(key)
	var number [8]byte
	binary.BigEndian.PutUint64(number[:], next.seq)
	h.Write(l.chain[:])
	h.Write(number[:])
	h.Write(entry[:])
	h.Sum(next.chain[:0])
	return next
}

// linked is an event with what the chain needs to know.
type linked struct {
	Event
	Torn     string `json:"torn,omitempty"`      // digest of what a crash left of a line before this one
	PrunedTo uint64 `json:"pruned_to,omitempty"` // number of the last entry that rotation has removed
	Before   int64  `json:"before,omitempty"`    // bytes of the log from before the chain began
	Salt     string `json:"salt"`                // random, so that the digest of a forgotten entry tells nothing
}

// line returns the entry as a line behind l, and its place.
func (e *linked) line(key []byte, l link) ([]byte, link, error) {
	var salt [12]byte
	_, _ = rand.Read(salt[:]) // never fails
	e.Salt = encoding.EncodeToString(salt[:])
	text, err := json.Marshal(e)
	if err != nil {
		return nil, l, err
	}
	text = text[:len(text)-1]
	entry := sha256.Sum256(text)
	l = l.next(key, entry)
	text = fmt.Appendf(text, ",\"seq\":%d,\"entry\":\"%s\",\"chain\":\"%s\"}", l.seq,
		encoding.EncodeToString(entry[:]), encoding.EncodeToString(l.chain[:]))
	return text, l, nil
}

// suffix is how a line of the chain ends; spaces stand behind an entry that was forgotten.
var suffix = regexp.MustCompile(`,"seq":([1-9][0-9]{0,18}),"entry":"([A-Za-z0-9_-]{43})","chain":"([A-Za-z0-9_-]{43})"\} *$`)

// forgottenEntry is what stands before the suffix of an entry that was forgotten.
var forgottenEntry = regexp.MustCompile(`^\{("time":"[0-9TZ:.+-]+",)?"event":"forgotten"(,"forgotten":"[0-9TZ:.+-]+")?` +
	`(,"torn":"[A-Za-z0-9_-]{43}")?(,"pruned_to":[0-9]+)?(,"before":[0-9]+)?$`)

// parsed is a line of the chain.
type parsed struct {
	link
	body  []byte
	entry [sha256.Size]byte
}

// parse reads a line; false if it is not of the chain.
func parse(line []byte) (p parsed, ok bool) {
	m := suffix.FindSubmatchIndex(line)
	if m == nil {
		return p, false
	}
	p.body = line[:m[0]]
	seq, err := strconv.ParseUint(string(line[m[2]:m[3]]), 10, 64)
	if err != nil {
		return p, false
	}
	p.seq = seq
	for to, text := range map[*[sha256.Size]byte][]byte{&p.entry: line[m[4]:m[5]], &p.chain: line[m[6]:m[7]]} {
		if n, err := encoding.Decode(to[:], text); err != nil || n != sha256.Size {
			return p, false
		}
	}
	return p, true
}

// state is the end of the chain, which a file next to the log keeps: programs that append to one log take its lock, and
// a log whose end is missing is found by it.
type state struct {
	link
	size int64 // of the log
}

// stateText is the state in its file.
type stateText struct {
	Seq   uint64 `json:"seq"`   // number of the last entry
	Chain string `json:"chain"` // end of the chain
	Size  int64  `json:"size"`  // bytes of the log
	MAC   string `json:"mac"`   // digest of the members before, with the key
}

// maxState is the size of the file.
const maxState = 256

// statePath is the file of a log's state.
func statePath(path string) string {
	return filepath.Join(filepath.Dir(path), "."+filepath.Base(path)+".chain")
}

func (s *state) text(key []byte) []byte {
	t := stateText{Seq: s.seq, Chain: encoding.EncodeToString(s.chain[:]), Size: s.size}
	h := digester(key)
	fmt.Fprintf(h, "%d %s %d", t.Seq, t.Chain, t.Size)
	t.MAC = encoding.EncodeToString(h.Sum(nil))
	text, _ := json.Marshal(t) // of numbers and texts: never fails
	return append(text, append(bytes.Repeat([]byte(" "), maxState-1-len(text)), '\n')...)
}

// readState reads the state; false if there is none, or it was not written with the key.
func readState(f io.ReaderAt, key []byte) (s state, ok bool) {
	var text [maxState]byte
	n, _ := f.ReadAt(text[:], 0)
	var t stateText
	if json.Unmarshal(text[:n], &t) != nil {
		return s, false
	}
	s.seq, s.size = t.Seq, t.Size
	if n, err := encoding.Decode(s.chain[:], []byte(t.Chain)); err != nil || n != sha256.Size {
		return state{}, false
	}
	if !hmac.Equal(s.text(key), text[:n]) {
		return state{}, false
	}
	return s, true
}

// maxTail is how much of a log's end is read to find its last entry, in bytes.
const maxTail = 1 << 20

// lastEntry returns the last entry of a log, and what a crash left of a line after it.
func lastEntry(f io.ReaderAt, size int64) (p parsed, fragment []byte, ok bool) {
	from := max(0, size-maxTail)
	tail := make([]byte, size-from)
	n, _ := f.ReadAt(tail, from)
	tail = tail[:n]
	at := bytes.LastIndexByte(tail, '\n')
	fragment = tail[at+1:]
	for at > 0 {
		start := bytes.LastIndexByte(tail[:at], '\n')
		if p, ok := parse(tail[start+1 : at]); ok {
			return p, fragment, true
		}
		at = start
	}
	return p, fragment, false
}
