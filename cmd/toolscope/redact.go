// Copyright The toolscope Authors
// SPDX-License-Identifier: Apache-2.0

package main

import (
	"bufio"
	"bytes"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"io"
	"slices"
	"strings"
	"text/tabwriter"

	"github.com/toolscope/toolscope/redact"
	"github.com/toolscope/toolscope/redact/redactfile"
)

const redactHelp = `toolscope redact removes secrets and personal data from what it reads.

Usage: toolscope redact [OPTIONS] < IN > OUT

Text and JSON come out as they went in, with a mark such as [REDACTED:github-token]
in the place of what was removed; JSON stays JSON. Input may be larger than memory:
text is looked at in pieces of 1 MiB that overlap, and comes out when a piece is whole
or the input ends; a JSON document up to 64 MiB is looked at as a whole.

  --jsonl         read lines {"id":…,"text":"…"}, write each with the text redacted, at once
  --config FILE   what to look for and what becomes of it, as docs/redaction.md tells
  --secrets-only  leave personal data
  --explain       say on standard error what was found, where and why, never the value
  --list          list the kinds that are found, and leave

  toolscope redact < app.log
  kubectl get secret db -o json | toolscope redact --explain

Exit code: 0, 1 if something could not be read (it is not passed on), 2 for wrong words.
`

// redactCommand is `toolscope redact`.
func redactCommand(args []string, stdin io.Reader, stdout, stderr io.Writer) int {
	flags := flag.NewFlagSet("redact", flag.ContinueOnError)
	jsonl := flags.Bool("jsonl", false, "")
	config := flags.String("config", "", "")
	secretsOnly := flags.Bool("secrets-only", false, "")
	explain := flags.Bool("explain", false, "")
	list := flags.Bool("list", false, "")
	rest, code, done := parseArguments(flags, redactHelp, args, stdout, stderr)
	if done {
		return code
	}
	if len(rest) > 0 {
		fmt.Fprintf(stderr, "toolscope redact: got argument %.40q, want options only: it reads standard input\n", rest[0])
		return exitUsage
	}
	if *list {
		return listKinds(stdout)
	}
	if *config != "" && *secretsOnly {
		fmt.Fprintln(stderr, "toolscope redact: got --config and --secrets-only, want one of them: the file has a preset")
		return exitUsage
	}
	r, err := redactorFor(*config, *secretsOnly)
	if err != nil {
		fmt.Fprintln(stderr, "toolscope redact:", err)
		return exitError
	}
	f := &redactFilter{r: r, out: bufio.NewWriterSize(stdout, 64<<10), stderr: stderr, found: map[string]foundKind{}}
	if *jsonl {
		err = f.lines(stdin)
	} else {
		err = f.stream(stdin)
	}
	if e := f.out.Flush(); err == nil {
		err = e
	}
	if *explain {
		f.explain()
	}
	if err != nil {
		fmt.Fprintln(stderr, "toolscope redact:", err)
		return exitError
	}
	return exitOK
}

func redactorFor(config string, secretsOnly bool) (*redact.Redactor, error) {
	switch {
	case config != "":
		return redactfile.Load(config)
	case secretsOnly:
		return redact.New(redact.Options{Preset: redact.SecretsOnly})
	}
	return redact.Default(), nil
}

func listKinds(w io.Writer) int {
	t := tabwriter.NewWriter(w, 0, 0, 2, ' ', 0)
	fmt.Fprintln(t, "KIND\tGROUP\tDEFAULT\tWHAT")
	for _, k := range redact.Kinds() {
		on := "on"
		if !k.Default {
			on = "off"
		}
		fmt.Fprintf(t, "%s\t%s\t%s\t%s\n", k.Name, k.Group, on, k.About)
	}
	if t.Flush() != nil {
		return exitError
	}
	return exitOK
}

// redactFilter redacts a stream.
type redactFilter struct {
	r      *redact.Redactor
	out    *bufio.Writer
	stderr io.Writer
	found  map[string]foundKind
}

// foundKind is what --explain tells of one kind.
type foundKind struct {
	count int
	paths []string // a few, each once
}

// maxPaths is how many places of a kind --explain names.
const maxPaths = 4

const (
	// pieceSize is how much text is looked at at once.
	pieceSize = 1 << 20
	// pieceOverlap is how much of a piece waits for the next one, so that nothing is
	// cut in two.
	pieceOverlap = 16 << 10
	// maxWhole is the largest JSON document, line or word that is held in memory.
	maxWhole = 64 << 20
)

// stream redacts text piece by piece, and JSON as a whole.
func (f *redactFilter) stream(in io.Reader) error {
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
	if begin := bytes.LastIndex(text[:end], []byte("-----BEGIN ")); begin >= 0 && !bytes.Contains(text[begin:end], []byte("-----END ")) {
		end = begin
	}
	for end > 0 {
		line := bytes.LastIndexByte(text[:end], '\n')
		if line < 0 {
			break
		}
		if before := bytes.TrimRight(text[:line], " \t\r"); len(before) > 0 && bytes.IndexByte([]byte(`:=|>,\"'`), before[len(before)-1]) < 0 {
			return line + 1
		}
		end = line
	}
	return 0
}

func (f *redactFilter) write(text []byte) error {
	clean, found := f.r.JSON(text)
	f.count(found)
	_, err := f.out.Write(clean)
	return err
}

func (f *redactFilter) count(found redact.Findings) {
	for _, x := range found {
		k := f.found[x.Kind]
		k.count += x.Count
		if x.Path != "" && len(k.paths) < maxPaths && !slices.Contains(k.paths, x.Path) {
			k.paths = append(k.paths, x.Path)
		}
		f.found[x.Kind] = k
	}
}

func (f *redactFilter) explain() {
	if len(f.found) == 0 {
		fmt.Fprintln(f.stderr, "nothing found")
		return
	}
	for _, k := range redact.Kinds() {
		x := f.found[k.Name]
		if x.count == 0 {
			continue
		}
		fmt.Fprintf(f.stderr, "%6d  %s: %s", x.count, k.Name, k.About)
		if len(x.paths) > 0 {
			fmt.Fprintf(f.stderr, "; at %s", strings.Join(x.paths, ", "))
		}
		fmt.Fprintln(f.stderr)
	}
}

// textLine is a line of --jsonl. The id comes back as it is.
type textLine struct {
	ID   json.RawMessage `json:"id"`
	Text *string         `json:"text"`
}

// lines redacts JSON lines. A line that cannot be read is named and left out.
func (f *redactFilter) lines(in io.Reader) error {
	scanner := bufio.NewScanner(flushFirst{in, f.out})
	scanner.Buffer(make([]byte, 64<<10), maxWhole)
	enc := json.NewEncoder(f.out)
	enc.SetEscapeHTML(false)
	bad := 0
	number := 0
	for scanner.Scan() {
		number++
		if len(bytes.TrimSpace(scanner.Bytes())) == 0 {
			continue
		}
		var line textLine
		err := json.Unmarshal(scanner.Bytes(), &line)
		if err == nil && line.Text == nil {
			err = errors.New(`got no member "text", want a string`)
		}
		if err != nil {
			bad++
			fmt.Fprintf(f.stderr, "toolscope redact: line %d is left out: %s\n", number, f.harmless(err))
			continue
		}
		clean, found := f.r.Text(*line.Text)
		f.count(found)
		line.Text = &clean
		if line.ID == nil {
			line.ID = json.RawMessage("null")
		}
		if err := enc.Encode(line); err != nil {
			return err
		}
	}
	switch err := scanner.Err(); {
	case errors.Is(err, bufio.ErrTooLong):
		return fmt.Errorf("line %d: got more than %d bytes, want a shorter line", number+1, maxWhole)
	case err != nil:
		return fmt.Errorf("line %d: %w", number+1, err)
	}
	if bad > 0 {
		return fmt.Errorf("%d lines could not be read", bad)
	}
	return nil
}

// flushFirst writes what is there before it waits for more, so that whoever follows a log
// sees each line.
type flushFirst struct {
	in  io.Reader
	out *bufio.Writer
}

func (r flushFirst) Read(p []byte) (int, error) {
	if err := r.out.Flush(); err != nil {
		return 0, err
	}
	return r.in.Read(p)
}

// harmless is an error's text on one line, redacted: it may quote the input.
func (f *redactFilter) harmless(err error) string {
	text, _ := f.r.TextMax(strings.ToValidUTF8(err.Error(), "?"), 200)
	return text
}
