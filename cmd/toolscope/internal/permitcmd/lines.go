// Copyright The toolscope Authors
// SPDX-License-Identifier: Apache-2.0

package permitcmd

import (
	"encoding/json"
	"errors"

	"github.com/toolscope/toolscope/middleware/permit"
	"github.com/toolscope/toolscope/toolkit"
)

// question is a line of --jsonl. The id comes back as it is.
type question struct {
	ID        json.RawMessage `json:"id"`
	Command   *string         `json:"command"`
	Name      *string         `json:"name"`
	Arguments json.RawMessage `json:"arguments"`
}

// decision is a line of the output.
type decision struct {
	ID       json.RawMessage `json:"id"`
	Decision string          `json:"decision"`
	Rule     string          `json:"rule"`
	Reason   string          `json:"reason"`
	Programs []string        `json:"programs"`
}

func (p *permitter) line(id json.RawMessage, d permit.Decision) decision {
	if id == nil {
		id = json.RawMessage("null")
	}
	p.strictest = max(p.strictest, d.Effect)
	programs := d.Programs
	if programs == nil {
		programs = []string{}
	}
	return decision{id, d.Effect.String(), d.Rule, p.harmless(d.Reason), programs}
}

// answer decides on the call of a line.
func (p *permitter) answer(q question) (any, error) {
	switch {
	case q.Command != nil && (q.Name != nil || q.Arguments != nil):
		return nil, errors.New(`got "command" next to "name" or "arguments", want a command, or a name with its arguments`)
	case q.Command != nil:
		d, err := p.decideCommand(*q.Command)
		return p.line(q.ID, d), err
	case q.Name != nil:
		arguments := q.Arguments
		if text := ""; len(arguments) > 0 && arguments[0] == '"' && json.Unmarshal(arguments, &text) == nil {
			arguments = json.RawMessage(text) // as some formats have them
		}
		return p.line(q.ID, p.rules.Decide(nil, toolkit.Call{Name: *q.Name, Arguments: arguments})), nil
	}
	return nil, errors.New(`got neither "command" nor "name", want one of them`)
}
