// Copyright The toolscope Authors
// SPDX-License-Identifier: Apache-2.0

package replaycmd

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/toolscope/toolscope"
	"github.com/toolscope/toolscope/cmd/toolscope/internal/builtin"
	"github.com/toolscope/toolscope/cmd/toolscope/internal/cli"
	"github.com/toolscope/toolscope/cmd/toolscope/internal/screen"
	"github.com/toolscope/toolscope/cmd/toolscope/internal/transcript"
	"github.com/toolscope/toolscope/internal/display"
	"github.com/toolscope/toolscope/mcp/manager"
	"github.com/toolscope/toolscope/toolkit"
)

// open opens what the calls go to.
func (r *replay) open(ctx context.Context) (toolscope.Registry, error) {
	switch {
	case r.servers != "":
		m, err := builtin.OpenServers(ctx, r.servers, r.scope, r.stderr, 0)
		if err != nil {
			return nil, err
		}
		r.closers = append(r.closers, m.Close)
		return m, nil
	case r.remote():
		server := manager.Server{Name: "target", URL: r.target}
		if len(r.command) > 0 {
			server.Command, server.Args, server.InheritEnv = r.command[0], r.command[1:], true
		}
		end, err := r.access.set(&server, r.stderr)
		if err != nil {
			return nil, err
		}
		r.closers = append(r.closers, func() error { end(); return nil })
		m, err := manager.New(manager.Options{Servers: []manager.Server{server}, SharedNames: true, Scope: r.scope})
		if err != nil {
			return nil, err
		}
		r.closers = append(r.closers, m.Close)
		return m, m.Start(ctx)
	}
	tools, closeTools, err := builtin.Tools(r.dir, r.write)
	if err != nil {
		return nil, err
	}
	r.closers = append(r.closers, closeTools)
	if r.answers || r.dryRun {
		return withListed(r.transcript.Tools, tools)
	}
	return tools, nil
}

// prepare leaves only the calls that are to be made: those that pass the filters, whose arguments are what was sent, and
// that a person agrees to where they may write.
func (r *replay) prepare(tools toolkit.Tools) error {
	for _, n := range r.numbers {
		if most := r.transcript.Len(); n < 1 || n > most {
			return cli.Usage("--call: got %d, want a number from 1 to %d", n, most)
		}
	}
	questions := bufio.NewReader(r.stdin)
	all, steps, stepping := false, uint64(0), newStepping(r.transcript, tools)
	var kept []transcript.Batch
	for _, b := range r.transcript.Batches {
		left := b
		left.Calls, left.Answers, left.Notes = nil, nil, nil
		for i := range b.Calls {
			call, note := b.Calls[i], b.Notes[i]
			if !r.wanted(&b.Session, &call, &note) {
				continue
			}
			if chosen := r.steps || r.numbers != nil; !chosen && stepping.madeByParent(&note) {
				steps++
				continue
			} else if !chosen && stepping.replaced(&call) {
				r.withhold(&call, &note, "the target has no such workflow: its steps are sent")
				continue
			}
			if why := r.unsendable(&call, &note); why != "" {
				r.withhold(&call, &note, why+places(call.Arguments, note.Number))
				continue
			}
			if !all && r.mayWrite(tools, call.Name) {
				agreed, forAll, err := r.ask(questions, &call, &note)
				if err != nil {
					return err
				}
				if all = forAll; !agreed {
					r.withhold(&call, &note, "it may write: --write sends it")
					continue
				}
			}
			left.Calls, left.Answers, left.Notes = append(left.Calls, call), append(left.Answers, b.Answers[i]), append(left.Notes, note)
		}
		if len(left.Calls) > 0 {
			kept = append(kept, left)
		}
	}
	if len(kept) == 0 && r.compared.Withheld == 0 && steps == 0 {
		fmt.Fprintln(r.stderr, "toolscope replay: no call of the file passes --tool, --session and --call")
	}
	if steps > 0 {
		fmt.Fprintf(r.stderr, "toolscope replay: %s left out: the calls that they are of make them again; "+
			"--steps sends them as well\n", display.Number(steps, "step"))
	}
	r.transcript = &transcript.Transcript{Batches: kept}
	return nil
}

// wanted reports whether a call passes the filters.
func (o *options) wanted(s *toolkit.Session, call *toolkit.Call, n *transcript.Note) bool {
	return (o.tools == nil || slices.Contains(o.tools, call.Name)) &&
		(o.sessions == nil || slices.Contains(o.sessions, s.ID)) &&
		(o.numbers == nil || slices.Contains(o.numbers, n.Number))
}

// unsendable completes a call, and says why it cannot be sent; "" if it can. Where no tool runs there is nothing to send.
func (o *options) unsendable(call *toolkit.Call, n *transcript.Note) string {
	if o.answers || o.dryRun {
		if n.Fingerprint != "" && n.Redacted {
			call.Arguments = marked(call.Arguments, n.Fingerprint)
		}
		return ""
	}
	return complete(call, n, o.values)
}

// marked puts the fingerprint of arguments into the marks of what was removed, so that policies tell calls apart that
// differed in that only.
func marked(arguments []byte, fingerprint string) []byte {
	return []byte(strings.ReplaceAll(string(arguments), "[REDACTED", "[REDACTED "+fingerprint))
}

// mayWrite reports whether a call needs a person's word.
func (r *replay) mayWrite(tools toolkit.Tools, name string) bool {
	if !r.remote() || r.write {
		return false
	}
	def := tools.Lookup(name)
	return def != nil && def.ReadOnly != toolkit.Yes
}

// ask asks a person; without a terminal the answer is no.
func (r *replay) ask(from *bufio.Reader, call *toolkit.Call, n *transcript.Note) (agreed, all bool, err error) {
	if r.options.file == "-" || !screen.IsTerminal(r.stdin) {
		return false, false, nil
	}
	shown, _ := r.redactor.ForTool(call.Name).JSONMax(call.Arguments, 1<<10)
	fmt.Fprintf(r.stderr, "call %d, %s %s: may write. Send it? [y]es, [N]o, [a]ll: ", n.Number, display.Plain(call.Name),
		display.Plain(string(shown)))
	line, err := from.ReadString('\n')
	if err != nil {
		return false, false, errors.New("got no answer")
	}
	switch strings.ToLower(strings.TrimSpace(line)) {
	case "y", "yes":
		return true, false, nil
	case "a", "all":
		return true, true, nil
	}
	return false, false, nil
}

// withhold lists a call that is not sent.
func (r *replay) withhold(call *toolkit.Call, n *transcript.Note, why string) {
	r.compared.Withheld++
	fmt.Fprintf(r.stderr, "toolscope replay: call %d, %s, is not sent: %s\n", n.Number, display.Clip(call.Name, 60), why)
}

// wait waits until a batch is due.
func (r *replay) wait(ctx context.Context, b *transcript.Batch) error {
	began := b.Notes[0].Began
	last := r.compared.last
	r.compared.last = began
	if r.speed == 0 || began.IsZero() || last.IsZero() || !began.After(last) {
		return nil
	}
	due := time.NewTimer(time.Duration(float64(began.Sub(last)) / r.speed))
	defer due.Stop()
	select {
	case <-due.C:
		return nil
	case <-ctx.Done():
		return context.Cause(ctx)
	}
}
