// Copyright The toolscope Authors
// SPDX-License-Identifier: Apache-2.0

package permit

import (
	"strconv"
	"strings"

	"github.com/toolscope/toolscope/middleware/permit/internal/shell"
)

// line is a command for a person, shortened.
func line(c *shell.Command) string {
	var b strings.Builder
	for i, w := range c.Words {
		if i > 0 {
			b.WriteByte(' ')
		}
		if w.Text == "" && !w.Known {
			w.Text = "…"
		}
		if b.WriteString(w.Text); b.Len() > maxShown {
			break // shown cuts it
		}
	}
	text := b.String()
	if c.Background {
		text += " &"
	}
	for _, a := range c.Assigns {
		text = a.Name + "=… " + text
	}
	return shown(text)
}

const maxShown = 1024

// shown is text for a person: one line, without what a terminal would obey. The caller
// redacts it before showing it, so a word that is cut is left out: half a secret is not found.
func shown(s string) string {
	cut := ""
	if len(s) > maxShown {
		s, cut = s[:strings.LastIndexByte(s[:maxShown], ' ')+1], "…"
	}
	q := strconv.Quote(s)
	return strings.ReplaceAll(q[1:len(q)-1], `\"`, `"`) + cut
}
