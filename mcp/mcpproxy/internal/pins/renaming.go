// Copyright The toolscope Authors
// SPDX-License-Identifier: Apache-2.0

package pins

import (
	"encoding/json"
	"strings"
	"unicode"

	"github.com/go-json-experiment/json/jsontext"
)

// maxCompared is how many new tools are compared with as many that are gone.
const maxCompared = 100

// renamed finds new tools that stand in the place of others. Each tool is in one renaming at most.
func renamed(d Difference, file *File, list List) (found []Renaming) {
	added, removed := d.Added[:min(len(d.Added), maxCompared)], d.Removed[:min(len(d.Removed), maxCompared)]
	if len(added) == 0 || len(removed) == 0 {
		return nil
	}
	taken := map[string]bool{}
	match := func(same bool, fits func(from, to string) bool) {
		for _, to := range added {
			for _, from := range removed {
				if !taken["+"+to] && !taken["-"+from] && fits(from, to) {
					taken["+"+to], taken["-"+from] = true, true
					found = append(found, Renaming{From: from, To: to, Same: same})
				}
			}
		}
	}
	match(true, func(from, to string) bool {
		raw := list.Definitions[to]
		return raw != nil && HashOf(withName(raw, from)) == file.Tools[from]
	})
	words := map[string]map[string]bool{}
	for _, to := range added {
		words["+"+to] = wordsOf(list.Definitions[to])
	}
	for _, from := range removed {
		words["-"+from] = wordsOf(jsontext.Value(file.Definitions[from]))
	}
	match(false, func(from, to string) bool { return similar(words["-"+from], words["+"+to]) })
	return found
}

// withName is a definition under another name.
func withName(raw jsontext.Value, name string) jsontext.Value {
	var members map[string]json.RawMessage
	quoted, err := json.Marshal(name)
	if err != nil || json.Unmarshal(raw, &members) != nil {
		return nil
	}
	members["name"] = quoted
	text, err := json.Marshal(members)
	if err != nil {
		return nil
	}
	return text
}

// wordsOf are the words that say what a tool does: those of its title and description, and its parameters' names.
func wordsOf(raw jsontext.Value) map[string]bool {
	var tool struct {
		Title       string `json:"title"`
		Description string `json:"description"`
		InputSchema struct {
			Properties map[string]json.RawMessage `json:"properties"`
		} `json:"inputSchema"`
	}
	words := map[string]bool{}
	if json.Unmarshal(raw, &tool) != nil {
		return words
	}
	texts := []string{tool.Title, tool.Description}
	for name := range tool.InputSchema.Properties {
		texts = append(texts, name)
	}
	for _, text := range texts {
		for word := range strings.FieldsFuncSeq(strings.ToLower(text), func(r rune) bool {
			return !unicode.IsLetter(r) && !unicode.IsDigit(r)
		}) {
			words[word] = true
		}
	}
	return words
}

// similar reports whether two tools seem to do the same: of their words, three or more and three in five are both's.
func similar(a, b map[string]bool) bool {
	both := 0
	for word := range a {
		if b[word] {
			both++
		}
	}
	return both >= 3 && 5*both >= 3*(len(a)+len(b)-both)
}
