// Copyright The toolscope Authors
// SPDX-License-Identifier: Apache-2.0

package main

import (
	"bytes"
	"context"
	"encoding/json"
	"flag"
	"fmt"
	"io"
	"net/http"
	"os"
	"os/signal"
	"strings"
	"time"

	"github.com/toolscope/toolscope/internal/announce"
	"github.com/toolscope/toolscope/internal/display"
	"github.com/toolscope/toolscope/middleware/approve"
)

const approvalsHelp = `toolscope approvals shows the calls that wait for a person, and answers them.

Usage: toolscope approvals [OPTIONS] [list]
       toolscope approvals [OPTIONS] approve ID
       toolscope approvals [OPTIONS] reject ID

The program must serve approvals (toolscope.Options.ApprovalsToken) and give you its
token, in $TOOLSCOPE_TOKEN or a file. An answer is for the call as it is listed: the
request is read and shown before it is answered. The first characters of an id are
enough.

  --url URL       where the program has mounted its scope's HTTP handler; without it
                  $TOOLSCOPE_URL, or the one program of yours that runs here
  --token-file F  read the token from a file ("-": standard input)
  --note TEXT     told to the model if you reject, and kept in the audit log
  --by NAME       who answers; the default is $USER
  --all           list the latest answered requests as well
  --json          print JSON
  --timeout TIME  how long the program may take to answer; the default is 10s

  toolscope approvals
  toolscope approvals reject k3v --note "use the test account"

Exit code: 0, 1 if the program could not be asked or the answer came too late, 2 for
wrong words.
`

// approvalsOptions are what the command line says.
type approvalsOptions struct {
	url, tokenFile, note, by string
	all, json                bool
	timeout                  time.Duration
	verb, id                 string
}

// approvalsCommand is `toolscope approvals`.
func approvalsCommand(args []string, stdin io.Reader, stdout, stderr io.Writer) int {
	var o approvalsOptions
	f := flag.NewFlagSet("approvals", flag.ContinueOnError)
	f.StringVar(&o.url, "url", "", "")
	f.StringVar(&o.tokenFile, "token-file", "", "")
	f.StringVar(&o.note, "note", "", "")
	f.StringVar(&o.by, "by", os.Getenv("USER"), "")
	f.BoolVar(&o.all, "all", false, "")
	f.BoolVar(&o.json, "json", false, "")
	f.DurationVar(&o.timeout, "timeout", 10*time.Second, "")
	words, code, done := parseArguments(f, approvalsHelp, args, stdout, stderr)
	if done {
		return code
	}
	if err := o.complete(words); err != nil {
		fmt.Fprintf(stderr, "toolscope approvals: %v\nRun 'toolscope approvals --help' for the options.\n", err)
		return exitUsage
	}
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	defer stop()
	if err := o.run(ctx, stdin, stdout); err != nil {
		complain(stderr, "approvals", err)
		return exitError
	}
	return exitOK
}

// complete checks the words.
func (o *approvalsOptions) complete(words []string) error {
	o.verb = "list"
	if len(words) > 0 {
		o.verb = words[0]
	}
	switch {
	case o.timeout <= 0:
		return fmt.Errorf("--timeout: got %v, want more than 0", o.timeout)
	case o.verb == "list" && len(words) <= 1:
		return nil
	case (o.verb == "approve" || o.verb == "reject") && len(words) == 2 && words[1] != "":
		o.id = words[1]
		return nil
	}
	return fmt.Errorf("got %.80q, want list, approve ID or reject ID", strings.Join(words, " "))
}

func (o *approvalsOptions) run(ctx context.Context, stdin io.Reader, stdout io.Writer) error {
	token, err := readToken(o.tokenFile, stdin)
	if err != nil {
		return fmt.Errorf("--token-file: %w", err)
	}
	if token == "" {
		return fmt.Errorf("got no token, want the program's in $TOOLSCOPE_TOKEN or --token-file")
	}
	address, err := o.address()
	if err != nil {
		return err
	}
	s, err := newSource(address, token, &statsOptions{timeout: o.timeout})
	if err != nil {
		return err
	}
	var list approvalsList
	if err := s.get(ctx, "api/v1/approvals", nil, into(&list)); err != nil {
		return err
	}
	if o.verb == "list" {
		return o.print(stdout, list)
	}
	return o.answer(ctx, s, list.Pending, stdout)
}

// address is the program to ask.
func (o *approvalsOptions) address() (string, error) {
	for _, u := range []string{o.url, os.Getenv("TOOLSCOPE_URL")} {
		if u != "" {
			return u, nil
		}
	}
	programs, err := announce.List()
	if err != nil {
		return "", err
	}
	if len(programs) != 1 {
		return "", fmt.Errorf("got %d programs that run here, want --url (toolscope stats --list shows them)", len(programs))
	}
	return programs[0].URL, nil
}

type approvalsList struct {
	Pending []approve.Request  `json:"pending"`
	Decided []approve.Decision `json:"decided"`
}

func (o *approvalsOptions) print(w io.Writer, list approvalsList) error {
	if !o.all {
		list.Decided = nil
	}
	if o.json {
		return printJSON(w, list)
	}
	var b strings.Builder
	if len(list.Pending) == 0 {
		b.WriteString("no call waits for approval\n")
	}
	for _, r := range list.Pending {
		writeRequest(&b, r)
	}
	for _, d := range list.Decided {
		fmt.Fprintf(&b, "%s  %-9s %s  %s  by %s  %s\n", d.Decided.Format(time.TimeOnly), d.State, d.ID, display.Clip(d.Tool, 40), display.Clip(d.By, 40), display.Clip(d.Note, 80))
	}
	_, err := io.WriteString(w, b.String())
	return err
}

// writeRequest writes a request as a person reads it.
func writeRequest(b *strings.Builder, r approve.Request) {
	fmt.Fprintf(b, "%s  %s\n", r.ID, display.Clip(r.Tool, 80))
	for _, row := range [][2]string{{"arguments", r.Arguments}, {"because", r.Reason}, {"rule", r.Rule}, {"agent", r.Agent}, {"session", r.Session}} {
		if row[1] != "" {
			fmt.Fprintf(b, "  %-10s %s\n", row[0], display.Plain(row[1]))
		}
	}
	fmt.Fprintf(b, "  %-10s in %v\n", "expires", time.Until(r.Expires).Round(time.Second))
}

// answer answers the one request whose id begins with what was given.
func (o *approvalsOptions) answer(ctx context.Context, s *source, pending []approve.Request, stdout io.Writer) error {
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
	req, err := http.NewRequestWithContext(ctx, http.MethodPost, s.base.JoinPath("api/v1/approvals", r.ID).String(), bytes.NewReader(body))
	if err != nil {
		return err
	}
	req.Header.Set("Authorization", "Bearer "+s.token)
	req.Header.Set("Content-Type", "application/json")
	res, err := s.client.Do(req)
	if err != nil {
		return err
	}
	defer res.Body.Close()
	if res.StatusCode != http.StatusOK {
		return refusal(res)
	}
	if o.json {
		_, err := io.Copy(stdout, io.LimitReader(res.Body, maxAnswer))
		return err
	}
	var b strings.Builder
	writeRequest(&b, r)
	fmt.Fprintf(&b, "%s\n", map[bool]string{true: "approved", false: "rejected"}[o.verb == "approve"])
	_, err = io.WriteString(stdout, b.String())
	return err
}
