// Copyright The toolscope Authors
// SPDX-License-Identifier: Apache-2.0

package replaycmd

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"slices"
	"strconv"
	"strings"

	"github.com/toolscope/toolscope/cmd/toolscope/internal/cli"
	"github.com/toolscope/toolscope/cmd/toolscope/internal/foreign"
	"github.com/toolscope/toolscope/cmd/toolscope/internal/transcript"
	"github.com/toolscope/toolscope/toolkit"
)

// A value takes the place of one that was removed from a call's arguments.
type value struct {
	call    int      // its number; 0 for all
	pointer []string // names and places; none for the arguments as a whole
	json    json.RawMessage
}

// parseValue reads a value of the option --value: [CALL:]POINTER=TEXT, or :=JSON.
func parseValue(text string) (v value, err error) {
	where, what, found := strings.Cut(text, "=")
	if !found {
		return v, cli.Usage("--value: got %.40q, want [CALL:]/POINTER=VALUE", where)
	}
	at := strings.IndexByte(where, '/')
	number, pointer := where, ""
	if at >= 0 {
		number, pointer = where[:at], where[at:]
	}
	isJSON := pointer == ""
	if cut, ok := strings.CutSuffix(pointer, ":"); ok {
		pointer, isJSON = cut, true
	}
	if number = strings.TrimSuffix(number, ":"); number != "" {
		if v.call, err = strconv.Atoi(number); err != nil || v.call < 1 {
			return v, cli.Usage("--value: got the call %.40q, want a number from 1", number)
		}
	}
	if v.call == 0 && pointer == "" {
		return v, cli.Usage("--value: got neither a call nor a pointer, want [CALL:]/POINTER=VALUE or CALL:=JSON")
	}
	if pointer != "" {
		for part := range strings.SplitSeq(pointer[1:], "/") {
			v.pointer = append(v.pointer, strings.NewReplacer("~1", "/", "~0", "~").Replace(part))
		}
	}
	if file, ok := strings.CutPrefix(what, "@"); ok {
		read, err := os.ReadFile(file)
		if err != nil {
			return v, fmt.Errorf("--value: %w", err)
		}
		what = strings.TrimSuffix(string(read), "\n")
	}
	if v.json = []byte(what); !isJSON {
		v.json, _ = json.Marshal(what)
	}
	if !json.Valid(v.json) {
		return v, cli.Usage("--value: %.40s: got a value that is no JSON", where)
	}
	return v, nil
}

// complete puts the values into a call's arguments. why says why the call cannot be sent still, "" if it can: each mark of
// what was removed has to be replaced, and what left no mark only goes with all of the arguments.
func complete(call *toolkit.Call, n *transcript.Note, values []value) (why string) {
	redacted, cut := foreign.Marked(call.Arguments)
	unmarked := n.Redacted && !redacted || n.Cut && !cut
	for _, v := range values {
		if v.call != 0 && v.call != n.Number {
			continue
		}
		if len(v.pointer) == 0 {
			call.Arguments = v.json
			return ""
		}
		if v.call == 0 && !isMarked(call.Arguments, v.pointer) {
			continue
		}
		if changed, err := replaceAt(call.Arguments, v.pointer, v.json); err == nil {
			call.Arguments = changed
		} else if v.call != 0 {
			return err.Error()
		}
	}
	if redacted, cut = foreign.Marked(call.Arguments); redacted || cut || unmarked {
		if redacted || n.Redacted {
			return "its arguments were redacted"
		}
		return "its arguments were cut"
	}
	return ""
}

// isMarked reports whether a mark of what was removed is at a place of a document.
func isMarked(document []byte, pointer []string) bool {
	var root any
	if json.Unmarshal(document, &root) != nil {
		return false
	}
	var found []string
	markedPlaces(root, "", &found)
	at := ""
	for _, name := range pointer {
		at += "/" + escaped.Replace(name)
	}
	return slices.Contains(found, at)
}

// escaped writes a name as a part of a JSON pointer.
var escaped = strings.NewReplacer("~", "~0", "/", "~1")

var errNoPlace = errors.New("--value: got a pointer to nothing in the call's arguments")

// replaceAt is a document with another value at a place that it has.
func replaceAt(document []byte, pointer []string, by json.RawMessage) ([]byte, error) {
	decoder := json.NewDecoder(bytes.NewReader(document))
	decoder.UseNumber()
	var root any
	if decoder.Decode(&root) != nil {
		return nil, errNoPlace
	}
	at := root
	for i, name := range pointer {
		last := i == len(pointer)-1
		switch v := at.(type) {
		case map[string]any:
			if _, there := v[name]; !there {
				return nil, errNoPlace
			}
			if last {
				v[name] = by
			}
			at = v[name]
		case []any:
			n, err := strconv.Atoi(name)
			if err != nil || n < 0 || n >= len(v) {
				return nil, errNoPlace
			}
			if last {
				v[n] = by
			}
			at = v[n]
		default:
			return nil, errNoPlace
		}
	}
	return json.Marshal(root)
}
