// Copyright The toolscope Authors
// SPDX-License-Identifier: Apache-2.0

package approvalscmd

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/toolscope/toolscope/cmd/toolscope/internal/cli"
	"github.com/toolscope/toolscope/cmd/toolscope/internal/programs"
	"github.com/toolscope/toolscope/internal/display"
	"github.com/toolscope/toolscope/middleware/approve"
)

const about = `toolscope approvals shows the calls that wait for a person, and answers them.

The program must serve approvals (--approvals-token-file of serve and mcp, or
toolscope.Options.ApprovalsToken) and give you a token, in $TOOLSCOPE_TOKEN or a file. Calls are
listed whole, as they will run, with marks such as ⟨U+202E⟩ for what a terminal would hide. An
answer is for the call as it was listed. The first characters of an id are enough.`

const examples = `  toolscope approvals
  toolscope approvals reject k3v --note "use the test account"`

// options are those of the command line.
type options struct {
	target
	note     string
	all      bool
	verb, id string
}

// Command returns the command.
func Command() *cobra.Command {
	var o options
	c := &cobra.Command{
		Use:     "approvals [OPTIONS] [list]",
		Short:   "list the calls that wait for a person, approve or reject them",
		Long:    about,
		Example: examples,
		Annotations: cli.Notes(", 1 if the program could not be asked or the answer came too late",
			"approvals [OPTIONS] approve ID", "approvals [OPTIONS] reject ID"),
		RunE: func(c *cobra.Command, args []string) error {
			if err := o.parse(args); err != nil {
				return err
			}
			ctx, stop := cli.UntilInterrupted(c)
			defer stop()
			return o.run(ctx, c.InOrStdin(), c.OutOrStdout())
		},
	}
	f := c.Flags()
	f.StringVar(&o.note, "note", "", "the `TEXT` that the model gets if you reject, and that is kept in the audit log")
	f.BoolVar(&o.all, "all", false, "list the latest answered requests as well")
	o.define(c, "answers")
	c.ValidArgsFunction = cobra.FixedCompletions([]string{"list", "approve", "reject"}, cobra.ShellCompDirectiveNoFileComp)
	return c
}

// parse checks the command line.
func (o *options) parse(args []string) error {
	o.verb = "list"
	if len(args) > 0 {
		o.verb = args[0]
	}
	switch {
	case o.verb == "list" && len(args) <= 1:
	case (o.verb == "approve" || o.verb == "reject") && len(args) == 2 && args[1] != "":
		o.id = args[1]
	default:
		return cli.Usage("got %.80q, want list, approve ID or reject ID%s", strings.Join(args, " "),
			cli.DidYouMean(o.verb, "", []string{"list", "approve", "reject"}))
	}
	return o.complete()
}

func (o *options) run(ctx context.Context, stdin io.Reader, stdout io.Writer) error {
	s, err := o.source(stdin)
	if err != nil {
		return err
	}
	var list requests
	if err := s.Get(ctx, "api/v1/approvals", nil, &list); err != nil {
		return err
	}
	if err := list.whole(ctx, s); err != nil {
		return err
	}
	if o.verb == "list" {
		return o.print(stdout, list)
	}
	return o.answer(ctx, s, list.Pending, stdout)
}

// request is an open request as the program shows it.
type request struct {
	approve.Request
	View approve.View `json:"view"`
	Seen string       `json:"seen,omitempty"` // proof that the whole view was asked for
}

type requests struct {
	Pending []request          `json:"pending"`
	Decided []approve.Decision `json:"decided"`
}

// whole asks for the requests whose views were cut.
func (l *requests) whole(ctx context.Context, s *programs.Source) error {
	for i := range l.Pending {
		r := &l.Pending[i]
		if !r.View.Cut {
			continue
		}
		digest := r.Digest
		if err := s.Get(ctx, "api/v1/approvals/"+url.PathEscape(r.ID), nil, r); err != nil {
			return err
		}
		if r.Digest != digest {
			return fmt.Errorf("request %.40q: got another digest than in the list", r.ID)
		}
	}
	return nil
}

func (o *options) print(w io.Writer, list requests) error {
	if !o.all {
		list.Decided = nil
	}
	if o.json {
		return cli.PrintJSON(w, list)
	}
	var b strings.Builder
	if len(list.Pending) == 0 {
		b.WriteString("no call waits for approval\n")
	}
	for _, r := range list.Pending {
		writeRequest(&b, r)
	}
	for _, d := range list.Decided {
		fmt.Fprintf(&b, "%s  %-9s %s  %s  by %s  %s\n", d.Decided.Format(time.TimeOnly), d.State, d.ID,
			display.Clip(d.Tool, 40), display.Clip(d.By, 40), display.Clip(d.Note, 80))
	}
	_, err := io.WriteString(w, b.String())
	return err
}

// writeRequest writes a request as a person reads it.
func writeRequest(b *strings.Builder, r request) {
	fmt.Fprintf(b, "%s  %s\n", r.ID, display.Clip(r.Tool, 80))
	for _, row := range [][2]string{
		{"because", r.Reason}, {"rule", r.Rule}, {"risk", r.Risk}, {"agent", r.Agent}, {"session", r.Session},
		{"second", r.ApprovedBy}, {"compare", r.View.Earlier},
	} {
		if row[1] != "" {
			fmt.Fprintf(b, "  %-10s %s\n", row[0], display.Plain(row[1]))
		}
	}
	fmt.Fprintf(b, "  %-10s in %v\n", "expires", time.Until(r.Expires).Round(time.Second))
	for line := range strings.Lines(r.View.Text()) {
		fmt.Fprintf(b, "  | %s\n", display.Plain(strings.TrimSuffix(line, "\n")))
	}
}

// answer answers the only request whose id begins with the given one.
func (o *options) answer(ctx context.Context, s *programs.Source, pending []request, stdout io.Writer) error {
	var found []request
	for _, r := range pending {
		if strings.HasPrefix(r.ID, o.id) {
			found = append(found, r)
		}
	}
	if len(found) != 1 {
		return fmt.Errorf("got id %.40q, which %d open requests have, want one", o.id, len(found))
	}
	r := found[0]
	body := map[string]any{"approve": o.verb == "approve", "digest": r.Digest, "seen": r.Seen, "by": o.by, "note": o.note}
	return post(ctx, s, s.Base.JoinPath("api/v1/approvals", r.ID), body, func(answer io.Reader) error {
		if o.json {
			_, err := io.Copy(stdout, io.LimitReader(answer, programs.MaxAnswer))
			return err
		}
		var b strings.Builder
		writeRequest(&b, r)
		var accepted struct{ State approve.State }
		if err := json.NewDecoder(io.LimitReader(answer, programs.MaxAnswer)).Decode(&accepted); err != nil {
			return err
		}
		if accepted.State == approve.Pending {
			b.WriteString("approved by you; a second person has to approve\n")
		} else {
			fmt.Fprintf(&b, "%s\n", display.Plain(string(accepted.State)))
		}
		_, err := io.WriteString(stdout, b.String())
		return err
	})
}

// post sends a body and hands the answer on.
func post(ctx context.Context, s *programs.Source, to *url.URL, body any, read func(io.Reader) error) error {
	text, err := json.Marshal(body)
	if err != nil {
		return err
	}
	r, err := http.NewRequestWithContext(ctx, http.MethodPost, to.String(), bytes.NewReader(text))
	if err != nil {
		return err
	}
	r.Header.Set("Content-Type", "application/json")
	return s.Do(r, read)
}
