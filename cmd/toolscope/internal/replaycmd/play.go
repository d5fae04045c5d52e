// Copyright The toolscope Authors
// SPDX-License-Identifier: Apache-2.0

package replaycmd

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/toolscope/toolscope"
	"github.com/toolscope/toolscope/cmd/toolscope/internal/builtin"
	"github.com/toolscope/toolscope/cmd/toolscope/internal/calllog"
	"github.com/toolscope/toolscope/cmd/toolscope/internal/cli"
	"github.com/toolscope/toolscope/cmd/toolscope/internal/configfile"
	"github.com/toolscope/toolscope/cmd/toolscope/internal/screen"
	"github.com/toolscope/toolscope/cmd/toolscope/internal/summary"
	"github.com/toolscope/toolscope/cmd/toolscope/internal/transcript"
	"github.com/toolscope/toolscope/config"
	"github.com/toolscope/toolscope/exporters"
	"github.com/toolscope/toolscope/internal/display"
	"github.com/toolscope/toolscope/middleware/approve"
	"github.com/toolscope/toolscope/redact"
	"github.com/toolscope/toolscope/stats"
	"github.com/toolscope/toolscope/toolkit"
	"github.com/toolscope/toolscope/tracing"
)

// newReplay builds the scope, the tools and the policies.
func newReplay(ctx context.Context, o *options, transcript *transcript.Transcript, stdout io.Writer) (r *replay, err error) {
	r = &replay{
		options: o, transcript: transcript, redactor: redact.Default(),
		out: bufio.NewWriter(stdout), paint: screen.PaintFor(stdout),
	}
	defer func() {
		if err != nil {
			err = errors.Join(err, r.close(ctx))
		}
	}()
	if o.config != "" {
		r.file, err = configfile.Open(o.config)
	} else {
		r.file, err = configfile.OpenText("toolscope's defaults", []byte(o.policies()))
	}
	if err != nil {
		return r, err
	}
	if r.providers, err = exporters.Setup(ctx, exporters.Options{ServiceName: "toolscope-replay"}); err != nil {
		return r, err
	}
	r.scope, err = toolscope.New(r.file.Options(toolscope.Options{
		TracerProvider: r.providers.TracerProvider,
		MeterProvider:  r.providers.MeterProvider,
		Observers:      []toolkit.Observer{&r.ends},
	}))
	if err != nil {
		return r, builtin.NoApprovals("replay", o.config, false, false, err)
	}
	tools, err := r.open(ctx)
	if err != nil {
		return r, err
	}
	handler := toolkit.Handler(tools.Handle)
	switch {
	case o.answers:
		handler = transcript.Answer
	case o.dryRun:
		handler = dryRun(tools)
	}
	if err := r.prepare(tools); err != nil {
		return r, err
	}
	r.executor = &toolkit.Executor{Handler: r.scope.Wrap(handler, tools), Timeout: -1}
	return r, nil
}

// policies is the configuration without a file: every policy with its defaults. Where there is no terminal, what
// a person would have to approve is refused.
func (o *options) policies() string {
	switch {
	case o.remote(): // where a person was asked before, and what others would refuse or store would not be the session's
		return "policies:\n  recover: {}\n  timeout: {}\n"
	case o.answers || o.dryRun:
		return config.AllPolicies()
	}
	if p, err := approve.New(approve.Options{}); err != nil || p.CanAsk() != nil {
		return config.AllPolicies() + "  approve: {unattended: true}\n"
	}
	return config.AllPolicies() + "  approve: {}\n"
}

// dryRun answers in the place of tools that are there.
func dryRun(tools toolscope.Registry) toolkit.Handler {
	return func(ctx context.Context, call toolkit.Call) (toolkit.Result, error) {
		if tools.Lookup(call.Name) == nil {
			return tools.Handle(ctx, call) // says that it is unknown
		}
		return toolkit.Result{Output: "dry run"}, nil
	}
}

// play runs the batches, one agent's invocation for each turn of a session, and prints
// their outcomes.
func (r *replay) play(ctx context.Context) error {
	batches := r.transcript.Batches
	for len(batches) > 0 {
		turn := batches[0].Session
		n := 1
		for n < len(batches) && sameTurn(batches[n].Session, turn) {
			n++
		}
		if err := r.playTurn(ctx, turn, batches[:n]); err != nil {
			return errors.Join(err, r.out.Flush())
		}
		batches = batches[n:]
	}
	return errors.Join(r.summary(), r.out.Flush())
}

func sameTurn(a, b toolkit.Session) bool {
	a.Batch, b.Batch = "", ""
	return a == b
}

func (r *replay) playTurn(ctx context.Context, s toolkit.Session, batches []transcript.Batch) error {
	agent := s.Agent
	if agent == "" {
		agent = "replay"
	}
	ctx, run := r.scope.StartAgent(ctx, tracing.Agent{Name: agent, Conversation: s.Conversation, Session: s.ID})
	if !r.json && !r.quiet {
		fmt.Fprintln(r.out, r.paint.In(screen.Bold, turnTitle(s)))
	}
	var err error
	for i := range batches {
		if err = r.wait(ctx, &batches[i]); err != nil {
			break
		}
		part := transcript.Transcript{Batches: batches[i : i+1]}
		if err = part.Play(ctx, r.executor, r.printBatch); err != nil {
			break
		}
	}
	run.End(err)
	return err
}

func turnTitle(s toolkit.Session) string {
	title := "no session"
	if s.ID != "" {
		title = "session " + display.Clip(s.ID, 40)
	}
	if s.Turn > 0 {
		title += fmt.Sprintf(", turn %d", s.Turn)
	}
	return title
}

// printBatch writes the outcomes of a batch's calls.
func (r *replay) printBatch(b transcript.Batch, answers []toolkit.Answer) {
	ends := r.ends.takeAll()
	for i, a := range answers {
		end := ends[a.CallID]
		r.compare(&b, i, a, end)
		if end.ms = r.took(&end, b.Answers[i]); r.quiet {
			continue
		}
		if r.json {
			r.printLine(b, a, end)
		} else {
			r.printRow(a, end)
		}
	}
}

// took is the running time that is printed, in milliseconds: where no tool ran it is the recorded one, 0 if there is none.
func (r *replay) took(end *ending, then *transcript.RecordedAnswer) float64 {
	switch {
	case !r.answers && !r.dryRun:
		return end.ms
	case then == nil || r.dryRun || end.outcome != toolkit.OutcomeExecuted.String():
		return 0
	}
	return float64(then.Took.Microseconds()) / 1000
}

// printLine writes a call as a line of JSON.
func (r *replay) printLine(b transcript.Batch, a toolkit.Answer, end ending) {
	_ = cli.PrintJSON(r.out, struct {
		Session string            `json:"session,omitempty"`
		Turn    int               `json:"turn,omitempty"`
		ID      string            `json:"id"`
		Tool    string            `json:"tool"`
		Outcome string            `json:"outcome"`
		Error   string            `json:"error_type,omitempty"`
		MS      float64           `json:"duration_ms"`
		Tags    map[string]string `json:"tags,omitempty"`
		Output  string            `json:"output"`
	}{
		r.text(b.Session.ID), b.Session.Turn, r.text(a.CallID), r.text(a.Name), end.outcome, end.errorType, end.ms, end.tags,
		r.text(calllog.ResultText(a.Result)),
	})
}

// printRow writes a call for a person.
func (r *replay) printRow(a toolkit.Answer, end ending) {
	what, colour := end.outcome, ""
	switch {
	case end.errorType != "":
		what, colour = what+" "+end.errorType, screen.Red
	case end.outcome != toolkit.OutcomeExecuted.String():
		colour = screen.Green
	}
	output, width := 80, r.nameWidth()
	if r.paint.Cells > 0 {
		output = max(16, r.paint.Cells-44-width) // the other columns
	}
	took := "–"
	if end.ms > 0 {
		took = display.Milliseconds(end.ms)
	}
	fmt.Fprintf(r.out, "  %-*s %s %10s  %s\n", width, display.Clip(a.Name, width), r.paint.In(colour, fmt.Sprintf("%-28s", what)),
		took, display.Clip(strings.Join(strings.Fields(r.text(calllog.ResultText(a.Result))), " "), output))
}

// nameWidth is that of the column of names, in characters: that of the longest one, within bounds and the terminal.
func (r *replay) nameWidth() int {
	if r.names == 0 {
		most := 64
		if r.paint.Cells > 0 {
			most = max(18, min(most, r.paint.Cells-80))
		}
		r.names = 18
		for _, b := range r.transcript.Batches {
			for _, c := range b.Calls {
				r.names = min(most, max(r.names, utf8.RuneCountInString(display.Plain(c.Name))))
			}
		}
	}
	return r.names
}

func (r *replay) text(s string) string {
	out, _ := r.redactor.TextMax(s, 4<<10)
	return out
}

// summary prints the tables.
func (r *replay) summary() error {
	all := summary.View{Snapshot: r.scope.Stats().Snapshot(stats.Window{}), Sort: "time"}
	if r.json {
		return cli.PrintJSON(r.out, struct {
			Stats    summary.JSON `json:"stats"`
			Compared comparison   `json:"compared"`
		}{all.JSON(r.options.file), r.compared})
	}
	var tables strings.Builder
	all.Write(&tables, display.Clip(r.options.file, 60), r.paint, true)
	if r.answers || r.dryRun {
		tables.WriteString("No tool ran: the times in this table are those of the policies.\n")
	}
	_, err := fmt.Fprintf(r.out, "\n%s%s", &tables, r.compared.text())
	return err
}

// close ends what newReplay began.
func (r *replay) close(ctx context.Context) error {
	var errs []error
	if r.scope != nil {
		errs = append(errs, r.scope.Shutdown(ctx))
	}
	if r.providers != nil {
		errs = append(errs, r.providers.Shutdown(ctx))
	}
	if r.file != nil {
		errs = append(errs, r.file.Close())
	}
	for _, c := range slices.Backward(r.closers) {
		errs = append(errs, c())
	}
	return errors.Join(errs...)
}
