// Copyright The toolscope Authors
// SPDX-License-Identifier: Apache-2.0

package approvalscmd

import (
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"os"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/toolscope/toolscope/cmd/toolscope/internal/cli"
	"github.com/toolscope/toolscope/cmd/toolscope/internal/programs"
	"github.com/toolscope/toolscope/internal/announce"
	"github.com/toolscope/toolscope/internal/display"
	"github.com/toolscope/toolscope/middleware/approve"
)

const about = `toolscope approvals shows the calls that wait for a person, and answers them.

The program must serve approvals (toolscope.Options.ApprovalsToken) and give you its token,
in $TOOLSCOPE_TOKEN or a file. An answer is for the call as it is listed: the request is
read and shown before it is answered. The first characters of an id are enough.`

const examples = `  toolscope approvals
  toolscope approvals reject k3v --note "use the test account"`

// options are those of the command line.
type options struct {
	programs.Options
	url, note, by string
	all, json     bool
	verb, id      string
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
			if err := o.complete(args); err != nil {
				return err
			}
			ctx, stop := cli.UntilInterrupted(c)
			defer stop()
			return o.run(ctx, c.InOrStdin(), c.OutOrStdout())
		},
	}
	f := c.Flags()
	f.StringVar(&o.url, "url", "", "the `URL` where the program has mounted its scope's HTTP handler; the default "+
		"is $TOOLSCOPE_URL, "+
		"or the only program of yours that runs here")
	f.StringVar(&o.note, "note", "", "the `TEXT` that the model gets if you reject, and that is kept in the audit log")
	f.StringVar(&o.by, "by", "", "the `NAME` of who answers; the default is $USER")
	f.BoolVar(&o.all, "all", false, "list the latest answered requests as well")
	f.BoolVar(&o.json, "json", false, "print JSON")
	o.Define(c)
	c.ValidArgsFunction = cobra.FixedCompletions([]string{"list", "approve", "reject"}, cobra.ShellCompDirectiveNoFileComp)
	return c
}

// complete checks the command line.
func (o *options) complete(args []string) error {
	o.by = cmp.Or(o.by, os.Getenv("USER"))
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
	return o.Complete(nil)
}

func (o *options) run(ctx context.Context, stdin io.Reader, stdout io.Writer) error {
	token, err := o.Token(stdin)
	if err != nil {
		return err
	}
	if token == "" {
		return errors.New("got no token, want the program's in $TOOLSCOPE_TOKEN or --token-file")
	}
	address, err := o.address()
	if err != nil {
		return err
	}
	s, err := programs.NewSource(address, token, o.Timeout)
	if err != nil {
		return err
	}
	var list requests
	if err := s.Get(ctx, "api/v1/approvals", nil, &list); err != nil {
		return err
	}
	if o.verb == "list" {
		return o.print(stdout, list)
	}
	return o.answer(ctx, s, list.Pending, stdout)
}

// address is the program to ask.
func (o *options) address() (string, error) {
	if u := cmp.Or(o.url, os.Getenv("TOOLSCOPE_URL")); u != "" {
		return u, nil
	}
	running, err := announce.List()
	if err != nil {
		return "", err
	}
	if len(running) != 1 {
		return "", fmt.Errorf("got %d programs that run here, want --url (toolscope stats --list shows them)", len(running))
	}
	return running[0].URL, nil
}

type requests struct {
	Pending []approve.Request  `json:"pending"`
	Decided []approve.Decision `json:"decided"`
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
func writeRequest(b *strings.Builder, r approve.Request) {
	fmt.Fprintf(b, "%s  %s\n", r.ID, display.Clip(r.Tool, 80))
	for _, row := range [][2]string{
		{"arguments", r.Arguments}, {"because", r.Reason}, {"rule", r.Rule}, {"agent", r.Agent}, {"session", r.Session},
	} {
		if row[1] != "" {
			fmt.Fprintf(b, "  %-10s %s\n", row[0], display.Plain(row[1]))
		}
	}
	fmt.Fprintf(b, "  %-10s in %v\n", "expires", time.Until(r.Expires).Round(time.Second))
}

// answer answers the only request whose id begins with the given one.
func (o *options) answer(ctx context.Context, s *programs.Source, pending []approve.Request, stdout io.Writer) error {
	var found []approve.Request
	for _, r := range pending {
		if strings.HasPrefix(r.ID, o.id) {
			found = append(found, r)
		}
	}
	if len(found) != 1 {
		return fmt.Errorf("got id %.40q, which %d open requests have, want one", o.id, len(found))
	}
	r := found[0]
	body, err := json.Marshal(map[string]any{"approve": o.verb == "approve", "digest": r.Digest, "by": o.by, "note": o.note})
	if err != nil {
		return err
	}
	url := s.Base.JoinPath("api/v1/approvals", r.ID).String()
	request, err := http.NewRequestWithContext(ctx, http.MethodPost, url, bytes.NewReader(body))
	if err != nil {
		return err
	}
	request.Header.Set("Content-Type", "application/json")
	return s.Do(request, func(answer io.Reader) error {
		if o.json {
			_, err := io.Copy(stdout, io.LimitReader(answer, programs.MaxAnswer))
			return err
		}
		var b strings.Builder
		writeRequest(&b, r)
		fmt.Fprintf(&b, "%s\n", map[string]string{"approve": "approved", "reject": "rejected"}[o.verb])
		_, err := io.WriteString(stdout, b.String())
		return err
	})
}
