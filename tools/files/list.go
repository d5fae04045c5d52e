// Copyright The toolscope Authors
// SPDX-License-Identifier: Apache-2.0

package files

import (
	"context"
	"fmt"
	"io/fs"
	"strconv"
	"strings"

	"github.com/toolscope/toolscope/tools/internal/arg"
)

type listInput struct {
	Path    string `json:"path"`
	Depth   *int   `json:"depth"`
	Ignored bool   `json:"ignored"`
}

func (t *Toolset) list(ctx context.Context, in listInput) (string, error) {
	depth, err := arg.Number("depth", in.Depth, defaultDepth, 1, maxDepth)
	if err != nil {
		return "", err
	}
	p, err := t.resolve(in.Path)
	if err != nil {
		return "", err
	}
	var b strings.Builder
	listed, note := 0, ""
	w, err := p.walk(ctx, depth, in.Ignored, func(e entry) error {
		if listed == maxListed {
			note = fmt.Sprintf("only the first %d entries are shown: list a directory below, or with less depth\n", maxListed)
			return fs.SkipAll
		}
		listed++
		b.WriteString(strings.Repeat("  ", strings.Count(e.rel, "/")) + mark(e))
		if e.closed != "" {
			b.WriteString(" (" + e.closed + ")")
		}
		b.WriteByte('\n')
		return nil
	})
	if err != nil {
		return "", p.explain(err)
	}
	if listed == 0 {
		b.WriteString("empty directory\n")
	}
	if w.more {
		note = fmt.Sprintf("only %d entries were looked at: list a directory below\n", maxVisited)
	}
	b.WriteString(note)
	if w.skipped > 0 {
		fmt.Fprintf(&b, "%d entries that ignore files name, or .git, are left out: ignored true shows them\n", w.skipped)
	}
	return b.String(), nil
}

// mark shows a name and, with a mark as `ls -F` has it, what it is.
func mark(e fs.DirEntry) string {
	name := printable(e.Name())
	switch mode := e.Type(); {
	case mode.IsDir():
		return name + "/"
	case mode&fs.ModeSymlink != 0:
		return name + "@"
	case mode.IsRegular():
		return name
	}
	return name + " (special)"
}

// printable quotes a name that would not be seen as what it is: with control
// characters, characters without width, or those that turn the direction of writing.
func printable(name string) string {
	for _, r := range name {
		if !strconv.IsPrint(r) || r == '\ufffd' {
			return strconv.Quote(name)
		}
	}
	return name
}
