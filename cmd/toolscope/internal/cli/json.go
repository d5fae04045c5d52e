// Copyright The toolscope Authors
// SPDX-License-Identifier: Apache-2.0

package cli

import (
	"bufio"
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
)

// PrintJSON writes v on one line. Unlike [json.Marshal] it keeps "<" and ">": the output is
// read by people and never part of a page.
func PrintJSON(w io.Writer, v any) error {
	e := json.NewEncoder(w)
	e.SetEscapeHTML(false)
	return e.Encode(v)
}

// MaxLine is the longest line that [JSONLines] reads, in bytes.
const MaxLine = 64 << 20

// JSONLines reads a question of type Q from each line of in and writes the answer to it as a line of JSON.
// Output is flushed before the input is waited for. A line that cannot be answered is
// left out; skipped is called with its error, which may quote the line.
func JSONLines[Q any](in io.Reader, out *bufio.Writer, answer func(q Q) (any, error), skipped func(line int, err error)) error {
	scanner := bufio.NewScanner(flushFirst{in, out})
	scanner.Buffer(make([]byte, 64<<10), MaxLine)
	bad, number := 0, 0
	for scanner.Scan() {
		number++
		if len(bytes.TrimSpace(scanner.Bytes())) == 0 {
			continue
		}
		var q Q
		var a any
		err := json.Unmarshal(scanner.Bytes(), &q)
		if err == nil {
			a, err = answer(q)
		}
		if err != nil {
			bad++
			skipped(number, err)
			continue
		}
		if err := PrintJSON(out, a); err != nil {
			return err
		}
	}
	switch err := scanner.Err(); {
	case errors.Is(err, bufio.ErrTooLong):
		return fmt.Errorf("line %d: got more than %d bytes, want a shorter line", number+1, MaxLine)
	case err != nil:
		return fmt.Errorf("line %d: %w", number+1, err)
	}
	if err := out.Flush(); err != nil {
		return err
	}
	if bad > 0 {
		return fmt.Errorf("%d lines could not be read", bad)
	}
	return nil
}

// flushFirst writes what is buffered before it waits for more input.
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
