// Copyright The toolscope Authors
// SPDX-License-Identifier: Apache-2.0

package main

import (
	"bufio"
	"bytes"
	"encoding/json"
	"fmt"
	"io"

	"github.com/toolscope/toolscope/middleware/permit"
	"github.com/toolscope/toolscope/toolkit"
)

// permitQuestion is a line of --jsonl. The id comes back as it is.
type permitQuestion struct {
	ID        json.RawMessage `json:"id"`
	Command   *string         `json:"command"`
	Name      *string         `json:"name"`
	Arguments json.RawMessage `json:"arguments"`
}

// permitAnswer is a line of the output.
type permitAnswer struct {
	ID       json.RawMessage `json:"id"`
	Decision string          `json:"decision"`
	Rule     string          `json:"rule"`
	Reason   string          `json:"reason"`
	Programs []string        `json:"programs"`
}

func (p *permitter) answer(id json.RawMessage, d permit.Decision) permitAnswer {
	if id == nil {
		id = json.RawMessage("null")
	}
	programs := d.Programs
	if programs == nil {
		programs = []string{}
	}
	return permitAnswer{id, d.Effect.String(), d.Rule, p.harmless(d.Reason), programs}
}

// lines answers JSON lines. A line that cannot be read is named and left out.
func (p *permitter) lines(in io.Reader, stdout, stderr io.Writer) error {
	scanner := bufio.NewScanner(in)
	scanner.Buffer(make([]byte, 64<<10), maxWhole)
	out := bufio.NewWriter(stdout)
	enc := json.NewEncoder(out)
	enc.SetEscapeHTML(false)
	bad, number := 0, 0
	for scanner.Scan() {
		number++
		if len(bytes.TrimSpace(scanner.Bytes())) == 0 {
			continue
		}
		var q permitQuestion
		err := json.Unmarshal(scanner.Bytes(), &q)
		var d permit.Decision
		if err == nil {
			d, err = p.decide(q)
		}
		if err != nil {
			bad++
			fmt.Fprintf(stderr, "toolscope permit: line %d is left out: %s\n", number, p.harmless(err.Error()))
			continue
		}
		if err := enc.Encode(p.answer(q.ID, d)); err != nil {
			return err
		}
	}
	if err := scanner.Err(); err != nil {
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

func (p *permitter) decide(q permitQuestion) (permit.Decision, error) {
	switch {
	case q.Command != nil:
		return p.command(*q.Command)
	case q.Name != nil:
		arguments := q.Arguments
		if text := ""; len(arguments) > 0 && arguments[0] == '"' && json.Unmarshal(arguments, &text) == nil {
			arguments = json.RawMessage(text) // as some formats have them
		}
		return p.rules.Decide(nil, toolkit.Call{Name: *q.Name, Arguments: arguments}), nil
	}
	return permit.Decision{}, errNoQuestion
}
