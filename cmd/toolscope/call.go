// Copyright The toolscope Authors
// SPDX-License-Identifier: Apache-2.0

package main

import (
	"context"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"os/signal"
	"slices"
	"strings"
	"syscall"
	"time"

	sdktrace "go.opentelemetry.io/otel/sdk/trace"

	"github.com/toolscope/toolscope"
	"github.com/toolscope/toolscope/config"
	"github.com/toolscope/toolscope/exporters"
	"github.com/toolscope/toolscope/toolkit"
	"github.com/toolscope/toolscope/tools/catalog"
)

const callHelp = `toolscope call runs one built-in tool, or one of an MCP server, with all policies, and shows what is seen of it.

Usage: toolscope call [OPTIONS] NAME [ARGUMENTS]

ARGUMENTS is a JSON object; "-" reads it from standard input, and without it there are
none. The result is printed as a model gets it, then the trace, redacted. With
OTEL_EXPORTER_OTLP_ENDPOINT set the trace goes there as well.

` + toolOptionsHelp + mcpConfigHelp + `
  --config FILE   the policies of this file; the default is every policy with its
                  defaults, but that nobody is asked
  --quiet         only the result
  --json          print one JSON object: output, parts, _meta, failed, error_type, trace_id, took_ms

  toolscope call file_search '{"text": "func main"}'
  toolscope call --python strict python_run '{"code": "print(2 ** 100)"}'
  toolscope call --mcp-config mcp.json files__read '{"path": "README.md"}'

Exit code: 0, 1 if the tool failed or could not be run, 2 for wrong words.
`

type callOptions struct {
	toolOptions
	quiet, json     bool
	config, servers string
	name, arguments string
}

// callCommand is `toolscope call`.
func callCommand(args []string, stdin io.Reader, stdout, stderr io.Writer) int {
	var o callOptions
	f := flag.NewFlagSet("call", flag.ContinueOnError)
	o.register(f)
	f.BoolVar(&o.quiet, "quiet", false, "")
	f.BoolVar(&o.json, "json", false, "")
	f.StringVar(&o.config, "config", "", "")
	f.StringVar(&o.servers, "mcp-config", "", "")
	words, code, done := parseArguments(f, callHelp, args, stdout, stderr)
	if done {
		return code
	}
	if len(words) < 1 || len(words) > 2 {
		fmt.Fprintf(stderr, "toolscope call: got %d arguments, want a tool's name and a JSON object\nRun 'toolscope call --help' for the options.\n", len(words))
		return exitUsage
	}
	if o.name = words[0]; len(words) == 2 {
		o.arguments = words[1]
	}
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	result, err := o.run(ctx, stdin, stdout, stderr)
	if err != nil {
		complain(stderr, "call", err)
		return exitError
	}
	if result.Fault != nil {
		return exitError
	}
	return exitOK
}

// maxArguments is how many bytes are read from standard input.
const maxArguments = 16 << 20

// run makes the call and prints what came of it.
func (o *callOptions) run(ctx context.Context, stdin io.Reader, stdout, stderr io.Writer) (result toolkit.Result, err error) {
	if o.arguments == "-" {
		text, err := io.ReadAll(io.LimitReader(stdin, maxArguments))
		if err != nil {
			return result, err
		}
		o.arguments = string(text)
	}
	file, err := o.policies()
	if err != nil {
		return result, err
	}
	defer func() { err = errors.Join(err, file.Close()) }()
	providers, err := exporters.Setup(ctx, exporters.Options{ServiceName: "toolscope-call"})
	if err != nil {
		return result, err
	}
	scope, err := toolscope.New(file.Options(toolscope.Options{
		TracerProvider: providers.TracerProvider,
		MeterProvider:  providers.MeterProvider,
	}))
	if err != nil {
		return result, errors.Join(noApprovals("call", o.config, err), providers.Shutdown(ctx))
	}
	defer func() {
		closing, cancel := context.WithTimeout(context.WithoutCancel(ctx), 5*time.Second)
		defer cancel()
		err = errors.Join(err, scope.Shutdown(closing), providers.Shutdown(closing))
	}()
	handle, lookup, closeTools, err := o.tools(ctx, scope, stderr)
	if err != nil {
		return result, err
	}
	defer func() { err = errors.Join(err, closeTools()) }()

	executor := &toolkit.Executor{Handler: handle, Tools: lookup, Timeout: -1} // the policy's
	began := time.Now()
	answers := executor.Execute(ctx, toolkit.Call{Name: o.name, Arguments: json.RawMessage(o.arguments)})
	result = answers[0].Result
	took := time.Since(began)
	traces := slices.DeleteFunc(providers.Ring.Traces(), func(t exporters.Trace) bool { // of how servers were connected
		return !slices.ContainsFunc(t.Spans, func(s sdktrace.ReadOnlySpan) bool { return strings.HasPrefix(s.Name(), "execute_tool ") })
	})
	return result, o.print(stdout, result, took, traces)
}

// tools opens the built-in tools or the servers of a configuration file, and wraps them.
func (o *callOptions) tools(ctx context.Context, scope *toolscope.Scope, stderr io.Writer) (toolkit.Handler, toolkit.Lookup, func() error, error) {
	if o.servers != "" {
		m, err := openServers(ctx, o.servers, scope, stderr)
		if err != nil {
			return nil, nil, nil, err
		}
		return scope.WrapRegistry(m), m.Lookup, m.Close, nil
	}
	tools, closeTools, err := o.open(func(c *catalog.Options) {
		c.Wrap = func(r *toolkit.Registry) toolkit.Handler { return scope.WrapRegistry(r) }
	})
	if err != nil {
		return nil, nil, nil, err
	}
	tellMissing(stderr, tools)
	return tools.Handler, tools.Registry.Lookup, closeTools, nil
}

// policies reads the configuration, or gives that of every policy.
func (o *callOptions) policies() (*config.File, error) {
	if o.config != "" {
		return config.Open(o.config)
	}
	return config.OpenText("toolscope's defaults", []byte(config.AllPolicies()))
}

func (o *callOptions) print(w io.Writer, result toolkit.Result, took time.Duration, traces []exporters.Trace) error {
	if o.json {
		id := ""
		if len(traces) > 0 {
			id = traces[0].ID
		}
		return printJSON(w, struct {
			Output    string                     `json:"output"`
			Parts     []toolkit.Part             `json:"parts,omitempty"`
			Meta      map[string]json.RawMessage `json:"_meta,omitempty"`
			Failed    bool                       `json:"failed"`
			ErrorType string                     `json:"error_type,omitempty"`
			TraceID   string                     `json:"trace_id,omitempty"`
			TookMS    float64                    `json:"took_ms"`
		}{result.Output, result.Parts, result.Meta, result.Fault != nil, toolkit.TypeOf(result.Fault), id, float64(took.Microseconds()) / 1000})
	}
	var b strings.Builder
	b.WriteString(result.Output)
	if result.Output != "" && !strings.HasSuffix(result.Output, "\n") {
		b.WriteByte('\n')
	}
	if n := len(result.Parts); n > 0 {
		fmt.Fprintf(&b, "[%d parts that are no text: see --json]\n", n)
	}
	if !o.quiet {
		for _, t := range traces {
			b.WriteByte('\n')
			if err := exporters.WriteTree(&b, t, exporters.TreeOptions{Color: colored(w)}); err != nil {
				return err
			}
		}
	}
	_, err := io.WriteString(w, b.String())
	return err
}
