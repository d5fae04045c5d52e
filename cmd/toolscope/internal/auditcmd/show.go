// Copyright The toolscope Authors
// SPDX-License-Identifier: Apache-2.0

package auditcmd

import (
	"bufio"
	"bytes"
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/toolscope/toolscope/cmd/toolscope/internal/cli"
	"github.com/toolscope/toolscope/internal/display"
	"github.com/toolscope/toolscope/internal/linefile"
	"github.com/toolscope/toolscope/middleware/audit"
)

const aboutShow = `toolscope audit show prints the entries of an audit log, one on a line: when, what happened, the
tool, the result, who decided, the session, and the redacted arguments.

It does not say whether the log is as it was written: "toolscope audit verify" does.`

// showOptions are those of the command line.
type showOptions struct {
	session, tool, by, event string
	json                     bool
}

func showCommand() *cobra.Command {
	var o showOptions
	c := &cobra.Command{
		Use: "show [OPTIONS] FILE", Short: "print the entries of an audit log", Long: aboutShow,
		Example:     "  toolscope audit show audit.jsonl\n  toolscope audit show audit.jsonl --event approval --by ada",
		Annotations: cli.Notes(", 1 if the log could not be read"),
		RunE: func(c *cobra.Command, args []string) error {
			if len(args) != 1 || args[0] == "" {
				return cli.Usage("got %d files, want one", len(args))
			}
			return o.run(args[0], c.OutOrStdout())
		},
	}
	f := c.Flags()
	f.StringVar(&o.session, "session", "", "only entries of the session `ID`")
	f.StringVar(&o.tool, "tool", "", "only entries of the tool `NAME`")
	f.StringVar(&o.by, "by", "", "only what the person `NAME` decided")
	f.StringVar(&o.event, "event", "", "only entries of the kind `NAME`: call, approval, stop or forgotten")
	f.BoolVar(&o.json, "json", false, "print the lines as they are")
	return c
}

// maxLine is the longest line that is read, in bytes.
const maxLine = 64 << 20

func (o *showOptions) run(path string, stdout io.Writer) error {
	file, err := linefile.OpenRead(path)
	if err != nil {
		return err
	}
	defer file.Close()
	out := bufio.NewWriter(stdout)
	bad := 0
	err = linefile.Each(file, maxLine, func(_ int, line []byte, _ bool) error {
		var e audit.Event
		switch {
		case len(bytes.TrimSpace(line)) == 0:
		case json.Unmarshal(line, &e) != nil:
			bad++
		case !o.wants(&e):
		case o.json:
			fmt.Fprintln(out, display.Plain(string(line)))
		default:
			fmt.Fprintln(out, text(&e))
		}
		return nil
	})
	if err := errors.Join(err, out.Flush()); err != nil {
		return err
	}
	if bad > 0 {
		return fmt.Errorf("%s: %d lines are no entries (toolscope audit verify names them)", path, bad)
	}
	return nil
}

// wants reports whether an entry is one of those to print.
func (o *showOptions) wants(e *audit.Event) bool {
	by := cmp.Or(e.By, e.Tags["approval.by"])
	return (o.session == "" || o.session == e.Session) && (o.tool == "" || o.tool == e.Tool) &&
		(o.by == "" || o.by == by) && (o.event == "" || o.event == e.Kind)
}

// text is an entry on a line.
func text(e *audit.Event) string {
	fields := []string{
		e.Time.Local().Format(time.DateTime), fmt.Sprintf("%-9s", display.Clip(e.Kind, 9)), display.Clip(cmp.Or(e.Tool, "-"), 40),
		display.Clip(cmp.Or(e.State, e.Outcome, "-"), 20),
	}
	for _, f := range []struct{ name, value string }{
		{"error", e.ErrorType}, {"rule", cmp.Or(e.Rule, e.Tags["permission.rule"])}, {"by", cmp.Or(e.By, e.Tags["approval.by"])},
		{"agent", e.Agent}, {"session", e.Session}, {"reason", e.Reason}, {"note", e.Note}, {"arguments", e.Arguments},
	} {
		if f.value != "" {
			fields = append(fields, f.name+"="+display.Clip(f.value, 200))
		}
	}
	return strings.Join(fields, "  ")
}
