// Copyright The toolscope Authors
// SPDX-License-Identifier: Apache-2.0

package approve

import (
	"path"
	"strings"
	"sync"
	"time"

	"github.com/toolscope/toolscope/middleware/approve/internal/view"
	"github.com/toolscope/toolscope/redact"
)

// Bounds of what is shown, in bytes.
const (
	maxShown   = 256 << 10 // of one call's arguments: longer ones cannot be approved
	maxListed  = 8 << 10   // of a call's view in a list: the whole is a request of its own
	maxEarlier = 64 << 10  // of the earlier call that a view is compared with
	maxTools   = 64        // tools whose earlier calls are kept
)

// A Part is a piece of a [View]. All texts together are what a person reads; every character of them is visible.
type Part = view.Part

// A View is a call as a person sees it before it runs: its arguments whole, not redacted, one member on a line, with
// marks such as ⟨U+202E⟩ in place of characters that a screen would hide. Only a secret that is the whole value of a
// member and a single word is replaced by a mark, ⟨masked: KIND⟩. A View is for the person who decides: it
// must not be logged.
type View struct {
	Parts   []Part `json:"parts"`             // pieces of the text, in order
	Cut     bool   `json:"cut,omitempty"`     // whether parts are missing at the end
	Earlier string `json:"earlier,omitempty"` // approved call that parts with Changed differ from; "" without one
}

// Text returns the view as one text.
func (v View) Text() string { return view.Text(v.Parts) }

// content is what a request shows besides its exported, redacted members. It is behind a pointer, so that formatting a
// request prints none of it.
type content struct {
	arguments []byte
	tool      string
	redactor  *redact.Redactor
	earlier   *earlier
}

// earlier is a call of the same tool that was approved before.
type earlier struct {
	arguments []byte
	by        string
	at        time.Time
}

// View returns what a person has to see of the call. Of a request that has been closed, was decoded from JSON or made by
// hand it has the redacted arguments only, and is cut.
func (r Request) View() View {
	c := r.content
	if c == nil {
		parts := []Part{{Text: "⟨redacted: the call itself is not here⟩\n", Kind: view.Note}}
		return View{Parts: append(parts, view.Render([]byte(r.Arguments), nil)...), Cut: true}
	}
	v := View{Parts: view.Render(c.arguments, c.mask)}
	if e := c.earlier; e != nil {
		view.Compare(v.Parts, view.Render(e.arguments, c.mask))
		v.Earlier = "approved by " + e.by + " at " + e.at.Format(time.TimeOnly)
	}
	return v
}

// cut returns the view with at most max bytes.
func (v View) cut(max int) View {
	v.Parts, v.Cut = view.Cut(v.Parts, max)
	return v
}

// credentials are the kinds of values that may be masked: not personal data, which an approver decides on.
var credentials = sync.OnceValue(func() map[string]bool {
	of := map[string]bool{}
	for _, k := range redact.Kinds() {
		of[k.Name] = k.Group == "key" || k.Group == "token"
	}
	return of
})

// mask says what kind of secret a value is.
func (c *content) mask(name, value string) (kind string, secret bool) {
	shown := c.redactor.ForTool(c.tool).Named(name, value)
	kind, marked := strings.CutPrefix(shown, "[REDACTED:")
	kind, closed := strings.CutSuffix(kind, "]")
	if !marked || !closed || !credentials()[kind] {
		return "", false
	}
	return kind, true
}

// matchesAny reports whether a tool's name matches one of the patterns.
func matchesAny(patterns []string, tool string) bool {
	for _, p := range patterns {
		if ok, err := path.Match(p, tool); err == nil && ok {
			return true
		}
	}
	return false
}
