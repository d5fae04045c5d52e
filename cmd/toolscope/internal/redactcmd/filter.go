// Copyright The toolscope Authors
// SPDX-License-Identifier: Apache-2.0

package redactcmd

import (
	"bufio"
	"bytes"
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/toolscope/toolscope/cmd/toolscope/internal/cli"
	"github.com/toolscope/toolscope/redact"
)

// filter redacts a stream.
type filter struct {
	r     *redact.Redactor
	out   *bufio.Writer
	found map[string]foundKind
	// reasons takes a line for each removal; nil takes none.
	reasons io.Writer
	offset  int // of the next piece in the input
}

// foundKind is what --explain prints of one kind.
type foundKind struct {
	count int
	paths []string // a few, each once
}

// maxPaths is how many places of a kind --explain names.
const maxPaths = 4

const (
	// pieceSize is how much text is redacted in one step.
	pieceSize = 1 << 20
	// pieceOverlap is how much of a piece waits for the next one, so that nothing is
	// cut in two.
	pieceOverlap = 16 << 10
	// maxWhole is the largest JSON document or word that is held in memory.
	maxWhole = cli.MaxLine
)

// redactStream redacts text piece by piece, and JSON as a whole.
func (f *filter) redactStream(in io.Reader) error {
	var held []byte // what is not written yet
	size := pieceSize
	for {
		n := len(held)
		held = append(held, make([]byte, size-n)...)
		read, err := io.ReadFull(in, held[n:])
		held = held[:n+read]
		if err == io.EOF || err == io.ErrUnexpectedEOF {
			return f.write(held)
		}
		if err != nil {
			return fmt.Errorf("reading: %w", err)
		}
		cut := safeCut(held)
		if isDocument(held) || cut == 0 {
			if size < maxWhole {
				size *= 2
				continue
			}
			cut = len(held) // larger than what is held: as a broken document, or one word
		}
		if err := f.write(held[:cut]); err != nil {
			return err
		}
		held = append(held[:0], held[cut:]...)
		size = max(pieceSize, 2*len(held))
	}
}

// isDocument reports whether text begins as JSON does.
func isDocument(text []byte) bool {
	text = bytes.TrimLeft(text, " \t\r\n\uFEFF")
	return len(text) > 0 && (text[0] == '{' || text[0] == '[')
}

// safeCut is where text can be cut so that no secret is: behind a line that no value
// follows on the next one, outside a key block. 0 if there is no such place.
func safeCut(text []byte) int {
	end := len(text) - pieceOverlap
	if begin := bytes.LastIndex(text[:end], []byte("-----BEGIN ")); begin >= 0 && !bytes.Contains(
		text[begin:end], []byte("-----END "),
	) {
		end = begin
	}
	for end > 0 {
		line := bytes.LastIndexByte(text[:end], '\n')
		if line < 0 {
			break
		}
		if before := bytes.TrimRight(text[:line], " \t\r"); len(before) > 0 && bytes.IndexByte(
			[]byte(`:=|>,\"'`), before[len(before)-1],
		) < 0 {
			return line + 1
		}
		end = line
	}
	return 0
}

func (f *filter) write(text []byte) error {
	if f.reasons != nil {
		for _, m := range f.r.Explain(text) {
			fmt.Fprintf(f.reasons, "byte %d: %s, by %s, score %d; undo with: %s\n", f.offset+m.Offset, m.Kind,
				m.Trigger, m.Score, m.Undo())
		}
	}
	f.offset += len(text)
	clean, found := f.r.JSON(text)
	f.count(found)
	_, err := f.out.Write(clean)
	return err
}

func (f *filter) count(found redact.Findings) {
	for _, x := range found {
		k := f.found[x.Kind]
		k.count += x.Count
		if x.Path != "" && len(k.paths) < maxPaths && !slices.Contains(k.paths, x.Path) {
			k.paths = append(k.paths, x.Path)
		}
		f.found[x.Kind] = k
	}
}

// explain prints what was found.
func (f *filter) explain(stderr io.Writer) {
	if len(f.found) == 0 {
		fmt.Fprintln(stderr, "nothing found")
		return
	}
	for _, k := range redact.Kinds() {
		x := f.found[k.Name]
		if x.count == 0 {
			continue
		}
		fmt.Fprintf(stderr, "%6d  %s: %s", x.count, k.Name, k.About)
		if len(x.paths) > 0 {
			fmt.Fprintf(stderr, "; at %s", strings.Join(x.paths, ", "))
		}
		fmt.Fprintln(stderr)
	}
}

// harmless is an error's text on one line, redacted: it may quote the input.
func (f *filter) harmless(err error) string {
	text, _ := f.r.TextMax(strings.ToValidUTF8(err.Error(), "?"), 200)
	return text
}
