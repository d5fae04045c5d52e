// Copyright The toolscope Authors
// SPDX-License-Identifier: Apache-2.0

package approve

import (
	"crypto/sha256"
	"crypto/subtle"
	"fmt"
	"path"
	"slices"
	"strings"
)

// A Person may answer for some calls. Everyone who has a token may look and reject.
type Person struct {
	// Name is the person's name in the list of tokens ([NewHandler]); "terminal" for the controlling terminal.
	Name string `yaml:"name" name:"name" doc:"The name next to the person's token; terminal for the terminal."`
	// Tools are names of tools whose calls the person may approve, with * and ?; nil is all.
	Tools []string `yaml:"tools" doc:"Tools whose calls the person may approve, with * and ?; default all."`
	// Risks are the risks of tools whose calls the person may approve: low, medium, high; nil is all, and those
	// of tools that declare none.
	Risks []string `yaml:"risks" doc:"Risks that the person may approve: low, medium, high; default all."`
	// Stop says whether the person may stop and resume sessions, agents and tools.
	Stop bool `yaml:"stop" doc:"Whether the person may stop sessions, agents and tools; default false."`
}

// check says what is wrong with a person.
func (p *Person) check() error {
	if !isPrincipal(p.Name) {
		return fmt.Errorf("field Name: got %.40q, want letters, digits and . _ @ -, at most 64", p.Name)
	}
	if err := checkPatterns(p.Tools); err != nil {
		return fmt.Errorf("field Tools: %w", err)
	}
	for _, r := range p.Risks {
		if !slices.Contains([]string{"low", "medium", "high"}, r) {
			return fmt.Errorf("field Risks: got %.40q, want low, medium or high", r)
		}
	}
	return nil
}

// checkPatterns is an error for a pattern of path.Match that cannot match.
func checkPatterns(patterns []string) error {
	for _, t := range patterns {
		if _, err := path.Match(t, ""); err != nil || t == "" {
			return fmt.Errorf("got %.40q, want a tool's name, with * and ?", t)
		}
	}
	return nil
}

// isPrincipal reports whether a text can be the name of a person.
func isPrincipal(name string) bool {
	return name != "" && len(name) <= 64 && !strings.ContainsFunc(name, func(r rune) bool {
		return !(r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z' || r >= '0' && r <= '9' || strings.ContainsRune("._@-", r))
	})
}

// forbidden is an error of an answer that its person may not give.
type forbidden struct{ why string }

func (e *forbidden) Error() string { return "approve: " + e.why }

// mayApprove is an error if the person may not approve the request.
func (o *Options) mayApprove(by, tool, risk string) error {
	if len(o.People) == 0 {
		return nil
	}
	i := slices.IndexFunc(o.People, func(p Person) bool { return p.Name == by })
	if i < 0 {
		return &forbidden{fmt.Sprintf("got the name %.70q, which may approve nothing: it is not among Options.People", by)}
	}
	p := o.People[i]
	if len(p.Tools) > 0 && !matchesAny(p.Tools, tool) {
		return &forbidden{fmt.Sprintf("%s may not approve calls of the tool %.80q", by, tool)}
	}
	if len(p.Risks) > 0 && !slices.Contains(p.Risks, risk) {
		return &forbidden{fmt.Sprintf("%s may not approve calls of the risk %q", by, risk)}
	}
	return nil
}

// mayStop is an error if the person may not use the kill switch.
func (o *Options) mayStop(by string) error {
	if len(o.People) == 0 || slices.ContainsFunc(o.People, func(p Person) bool { return p.Name == by && p.Stop }) {
		return nil
	}
	return &forbidden{fmt.Sprintf("%.70q may not stop or resume: want stop: true in Options.People", by)}
}

// minToken is the least length of a token, in bytes.
const minToken = 16

// A principal is who a token belongs to; name is "" for a token that is shared.
type principal struct {
	name string
	sum  [sha256.Size]byte
}

// parseTokens reads one token that all share, or a line "NAME TOKEN" for each person.
func parseTokens(text string) ([]principal, error) {
	var all []principal
	shared := false
	for i, line := range strings.Split(text, "\n") {
		words := strings.Fields(line)
		if len(words) == 0 && strings.TrimSpace(text) != "" || len(words) > 0 && strings.HasPrefix(words[0], "#") {
			continue
		}
		var p principal
		token := line
		if len(words) == 2 {
			p.name, token = words[0], words[1]
			if !isPrincipal(p.name) {
				return nil, fmt.Errorf("line %d: got the name %.40q, want letters, digits and . _ @ -, at most 64", i+1, p.name)
			}
		} else {
			shared = true
		}
		if len(token) < minToken || strings.ContainsAny(token, " \t\r") {
			return nil, fmt.Errorf("line %d: got a token of %d bytes, want at least %d without blanks, or a name and a token",
				i+1, len(token), minToken)
		}
		p.sum = sha256.Sum256([]byte(token))
		for _, other := range all {
			if other.name == p.name || other.sum == p.sum {
				return nil, fmt.Errorf("line %d: got the name %q or its token twice, want a token for each person", i+1, p.name)
			}
		}
		all = append(all, p)
	}
	if len(all) == 0 || shared && len(all) > 1 {
		return nil, fmt.Errorf("got %d tokens, one without a name: %v, want one token of at least %d bytes, or a name before "+
			"each", len(all), shared, minToken)
	}
	return all, nil
}

// find returns whose token it is. It compares with all of them.
func find(all []principal, token string) (p principal, ok bool) {
	sum := sha256.Sum256([]byte(token))
	for _, other := range all {
		if subtle.ConstantTimeCompare(sum[:], other.sum[:]) == 1 {
			p, ok = other, true
		}
	}
	return p, ok
}
