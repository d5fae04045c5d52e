// Copyright The toolscope Authors
// SPDX-License-Identifier: Apache-2.0

package sessionscmd

import (
	"cmp"
	"fmt"
	"io"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/spf13/cobra"

	"github.com/toolscope/toolscope/cmd/toolscope/internal/calllog"
	"github.com/toolscope/toolscope/cmd/toolscope/internal/cli"
	"github.com/toolscope/toolscope/cmd/toolscope/internal/recorded"
	"github.com/toolscope/toolscope/internal/display"
	"github.com/toolscope/toolscope/redact"
)

// showOptions are those of toolscope sessions show.
type showOptions struct {
	json bool
	ids  bool
	tool string
	call int
}

func showCommand() *cobra.Command {
	var o showOptions
	c := &cobra.Command{
		Use: "show [OPTIONS] FILE", Short: "show a session: peers, tools, and each call with its waits",
		Long: "toolscope sessions show shows a session: who took part, which tools there were, and each call.\n\n" +
			"FILE is a recording's name, \"latest\", or any file that has calls: a call log, an audit log,\n" +
			"OTLP JSON lines, or a transcript.",
		Annotations: cli.Notes(", 1 if the session cannot be read"), Args: cli.OneFile,
		RunE: func(c *cobra.Command, files []string) error {
			s, err := recorded.Open(files[0], c.InOrStdin())
			if err != nil {
				return err
			}
			return o.print(c.OutOrStdout(), c.ErrOrStderr(), s)
		},
	}
	f := c.Flags()
	f.BoolVar(&o.json, "json", false, "print the record of each call as a line of JSON")
	f.BoolVar(&o.ids, "ids", false, "print the id of each call in the recording, for 'toolscope forget --call'")
	f.StringVar(&o.tool, "tool", "", "only calls of the tool `NAME`")
	f.IntVar(&o.call, "call", 0, "only the call with this `NUMBER`, with its arguments and result")
	return c
}

func (o *showOptions) print(stdout, stderr io.Writer, s *recorded.Session) error {
	var b strings.Builder
	if o.call < 0 || o.call > len(s.Calls) {
		return fmt.Errorf("--call: got %d, and the session has %s", o.call, display.Number(uint64(len(s.Calls)), "call"))
	}
	if !o.json && o.call == 0 {
		writePeers(&b, s)
	}
	shown, width := 0, nameWidth(s.Calls)
	for _, c := range s.Calls {
		if o.tool != "" && c.Tool != o.tool && c.Name() != o.tool || o.call != 0 && c.Number != o.call {
			continue
		}
		shown++
		clean(&c.Record)
		if o.json {
			line, err := c.Marshal()
			if err != nil {
				return err
			}
			b.Write(append(line, '\n'))
			continue
		}
		if o.ids {
			fmt.Fprintf(&b, "%-14s", display.Clip(cmp.Or(c.Call, "-"), 40))
		}
		writeCall(&b, c, width, o.call != 0)
	}
	if shown == 0 && !o.json {
		b.WriteString("No calls.\n")
	}
	s.ReportTorn("sessions show", stderr)
	if s.Dropped > 0 {
		fmt.Fprintf(stderr, "toolscope sessions: %s dropped by the writer: calls are missing\n", display.Number(s.Dropped, "line"))
	}
	for _, bad := range s.Bad {
		fmt.Fprintf(stderr, "toolscope sessions: %s\n", display.Clip(bad, 200))
	}
	_, err := io.WriteString(stdout, b.String())
	return err
}

// clean redacts what another writer may not have.
func clean(r *calllog.Record) {
	redactor := redact.Default().ForTool(r.Tool)
	r.Arguments, _ = redactor.JSON(r.Arguments)
	if r.Structured != nil {
		r.Structured, _ = redactor.JSON(r.Structured)
	}
	for _, text := range []*string{&r.Result, &r.Error, &r.Session, &r.ID, &r.Intent} {
		*text, _ = redactor.Text(*text)
	}
	for i := range r.Texts {
		r.Texts[i], _ = redactor.Text(r.Texts[i])
	}
}

// writePeers prints who took part.
func writePeers(b *strings.Builder, s *recorded.Session) {
	for _, p := range s.Peers {
		session := "no session"
		if p.Session != "" {
			session = "session " + display.Clip(p.Session, 40)
		}
		fmt.Fprintf(b, "%s  %s, protocol %s\n", at(p.Time), session, display.Clip(p.Protocol, 20))
		for _, side := range []struct {
			name string
			peer *calllog.Peer
		}{{"client", p.Client}, {"server", p.Peer}} {
			if side.peer == nil {
				continue
			}
			fmt.Fprintf(b, "  %s %s", side.name, display.Clip(cmp.Or(side.peer.Name, "without a name"), 80))
			if list := side.peer.Capabilities; len(list) > 0 {
				fmt.Fprintf(b, " (%s)", display.Clip(strings.Join(list, ", "), 200))
			}
			b.WriteByte('\n')
		}
	}
	if n := len(s.Digests); n > 0 {
		fmt.Fprintf(b, "%s listed\n", display.Number(uint64(n), "tool"))
	}
}

func at(t time.Time) string {
	if t.IsZero() {
		return "-"
	}
	return t.Local().Format("15:04:05.000")
}

// took is a call's running time, a dash where that is not known.
func took(c *recorded.Call) string {
	if c.Duration == nil {
		return "–"
	}
	return display.Milliseconds(*c.Duration / 1000)
}

// nameWidth is that of the column of names, in characters: that of the longest one, within bounds.
func nameWidth(calls []*recorded.Call) int {
	width := 24
	for _, c := range calls {
		width = max(width, utf8.RuneCountInString(display.Plain(shownName(c))))
	}
	return min(width, 64)
}

// shownName is a call's tool, indented for a step of a call above.
func shownName(c *recorded.Call) string {
	if c.Parent != "" {
		return "  " + c.Name()
	}
	return c.Name()
}

// writeCall prints a call on a line, its name in a column of that width, and whole below it.
func writeCall(b *strings.Builder, c *recorded.Call, width int, whole bool) {
	what := c.Outcome
	switch {
	case !c.Finished:
		what = "no end"
	case c.ErrorType != "":
		what += " " + c.ErrorType
	}
	fmt.Fprintf(b, "%4d  %-12s  %-*s %-28s %10s", c.Number, at(c.Began), width, display.Clip(shownName(c), width),
		display.Clip(what, 28), took(c))
	for _, wait := range []struct {
		name string
		us   *float64
	}{{"waited for a person", c.Approval}, {"queued", c.Queue}, {"between attempts", c.Backoff}} {
		if wait.us != nil {
			fmt.Fprintf(b, "  %s %s", wait.name, display.Milliseconds(*wait.us/1000))
		}
	}
	if !whole {
		fmt.Fprintf(b, "  %s\n", display.Clip(string(c.Arguments), 80))
		return
	}
	fmt.Fprintf(b, "\narguments%s\n%s\n", removal(c.ArgumentsRedacted, c.ArgumentsCut), lines(string(c.Arguments)))
	text := c.Result
	if c.Failed() {
		text = c.Error
	}
	fmt.Fprintf(b, "result%s\n%s\n", removal(c.ResultRedacted, c.ResultCut), lines(text))
}

// lines is a text of several lines, without what a terminal acts on.
func lines(text string) string {
	all := strings.Split(text, "\n")
	for i := range all {
		all[i] = "  " + display.Plain(all[i])
	}
	return strings.Join(all, "\n")
}

// removal says what is missing of a text.
func removal(redacted, cut bool) string {
	switch {
	case redacted && cut:
		return " (redacted, cut)"
	case redacted:
		return " (redacted)"
	case cut:
		return " (cut)"
	}
	return ""
}
