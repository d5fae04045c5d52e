// Copyright The toolscope Authors
// SPDX-License-Identifier: Apache-2.0

package toolscmd

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"
	"time"

	sdktrace "go.opentelemetry.io/otel/sdk/trace"

	"github.com/spf13/cobra"

	"github.com/toolscope/toolscope"
	"github.com/toolscope/toolscope/cmd/toolscope/internal/builtin"
	"github.com/toolscope/toolscope/cmd/toolscope/internal/cli"
	"github.com/toolscope/toolscope/cmd/toolscope/internal/configfile"
	"github.com/toolscope/toolscope/cmd/toolscope/internal/screen"
	"github.com/toolscope/toolscope/cmd/toolscope/internal/telemetry"
	"github.com/toolscope/toolscope/config"
	"github.com/toolscope/toolscope/exporters"
	"github.com/toolscope/toolscope/toolkit"
	"github.com/toolscope/toolscope/tools/catalog"
)

const aboutCall = `toolscope call runs one built-in tool, or one of an MCP server, with all policies, and
shows what is recorded of it.

ARGUMENTS is a JSON object; "-" reads it from standard input, and without it there are
none. The result is printed as a model gets it, then the trace, redacted. With
OTEL_EXPORTER_OTLP_ENDPOINT set, the trace is sent there as well.

` + builtin.About

const callExamples = `  toolscope call file_search '{"text": "func main"}'
  toolscope call --python strict python_run '{"code": "print(2 ** 100)"}'
  toolscope call --mcp-config mcp.json files__read '{"path": "README.md"}'`

type callOptions struct {
	builtin.Options
	quiet, json     bool
	config, servers string
	tenant          string
	exporting       telemetry.Flags
	name, arguments string
}

// Call returns the command toolscope call.
func Call() *cobra.Command {
	var o callOptions
	c := &cobra.Command{
		Use:         "call [OPTIONS] NAME [ARGUMENTS]",
		Short:       "run one built-in tool with all policies, and show result and trace",
		Long:        aboutCall,
		Example:     callExamples,
		Annotations: cli.Notes(", 1 if the tool failed or could not be run"),
		RunE: func(c *cobra.Command, args []string) error {
			if len(args) < 1 || len(args) > 2 {
				return cli.Usage("got %d arguments, want a tool's name and a JSON object", len(args))
			}
			if o.name = args[0]; len(args) == 2 {
				o.arguments = args[1]
			}
			ctx, stop := cli.UntilInterrupted(c)
			defer stop()
			result, err := o.run(ctx, c.InOrStdin(), c.OutOrStdout(), c.ErrOrStderr())
			if err == nil && result.Fault != nil {
				return cli.Exit(cli.ExitError)
			}
			return err
		},
	}
	o.Define(c)
	builtin.DefineServers(c, &o.servers)
	f := c.Flags()
	f.StringVar(
		&o.config, "config", "",
		"the policies of `FILE`; the default is every policy with its defaults, except that no person is asked",
	)
	configfile.TenantFlag(f, &o.tenant)
	o.exporting.DefinePush(f)
	f.BoolVar(&o.quiet, "quiet", false, "print only the result")
	f.BoolVar(&o.json, "json", false, "print one JSON object: output, parts, _meta, failed, error_type, trace_id, took_ms")
	return c
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
	if err := configfile.CheckTenant(o.config, o.tenant); err != nil {
		return result, err
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
		return result, errors.Join(builtin.NoApprovals("call", o.config, false, false, err), providers.Shutdown(ctx))
	}
	defer func() {
		closing, cancel := context.WithTimeout(context.WithoutCancel(ctx), 5*time.Second)
		defer cancel()
		err = errors.Join(err, scope.Shutdown(closing), providers.Shutdown(closing))
	}()
	stopPush, err := o.exporting.StartPush(scope.Stats())
	if err != nil {
		return result, err
	}
	defer func() {
		closing, cancel := context.WithTimeout(context.WithoutCancel(ctx), 5*time.Second)
		defer cancel()
		if err := stopPush(closing); err != nil { // the call is none the worse for it
			cli.Complain(stderr, "toolscope call", err)
		}
	}()
	handle, lookup, closeTools, err := o.tools(ctx, scope, stderr)
	if err != nil {
		return result, err
	}
	defer func() { err = errors.Join(err, closeTools()) }()

	executor := &toolkit.Executor{Handler: handle, Tools: lookup, Timeout: -1} // the policy's
	began := time.Now()
	if o.tenant != "" {
		ctx = toolkit.WithSession(ctx, toolkit.Session{Tenant: o.tenant})
	}
	answers := executor.Execute(ctx, toolkit.Call{Name: o.name, Arguments: json.RawMessage(o.arguments)})
	result = answers[0].Result
	took := time.Since(began)
	ofCalls := slices.DeleteFunc(providers.Ring.Traces(), func(t exporters.Trace) bool { // and not of connecting servers
		return !slices.ContainsFunc(t.Spans, func(s sdktrace.ReadOnlySpan) bool {
			return strings.HasPrefix(s.Name(), "execute_tool ")
		})
	})
	return result, o.print(stdout, result, took, ofCalls)
}

// tools opens the built-in tools, or the servers of a configuration file, and wraps them.
func (o *callOptions) tools(
	ctx context.Context, scope *toolscope.Scope, stderr io.Writer,
) (toolkit.Handler, toolkit.Lookup, func() error, error) {
	if o.servers != "" {
		m, err := builtin.OpenServers(ctx, o.servers, scope, stderr, 0)
		if err != nil {
			return nil, nil, nil, err
		}
		return scope.WrapRegistry(m), m.Lookup, m.Close, nil
	}
	tools, closeTools, err := o.Open(func(c *catalog.Options) {
		c.Wrap = func(r *toolkit.Registry) toolkit.Handler { return scope.WrapRegistry(r) }
	})
	if err != nil {
		return nil, nil, nil, err
	}
	builtin.ReportMissing(stderr, tools)
	return tools.Handler, tools.Registry.Lookup, closeTools, nil
}

// policies reads the configuration, or gives that of every policy.
func (o *callOptions) policies() (*config.File, error) {
	if o.config != "" {
		return configfile.Open(o.config)
	}
	return configfile.OpenText("toolscope's defaults", []byte(config.AllPolicies()))
}

func (o *callOptions) print(w io.Writer, result toolkit.Result, took time.Duration, traces []exporters.Trace) error {
	if o.json {
		id := ""
		if len(traces) > 0 {
			id = traces[0].ID
		}
		return cli.PrintJSON(w, struct {
			Output    string                     `json:"output"`
			Parts     []toolkit.Part             `json:"parts,omitempty"`
			Meta      map[string]json.RawMessage `json:"_meta,omitempty"`
			Failed    bool                       `json:"failed"`
			ErrorType string                     `json:"error_type,omitempty"`
			TraceID   string                     `json:"trace_id,omitempty"`
			TookMS    float64                    `json:"took_ms"`
		}{
			result.Output, result.Parts, result.Meta, result.Fault != nil, toolkit.TypeOf(result.Fault), id,
			float64(took.Microseconds()) / 1000,
		})
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
			if err := exporters.WriteTree(&b, t, exporters.TreeOptions{Color: screen.Colored(w)}); err != nil {
				return err
			}
		}
	}
	_, err := io.WriteString(w, b.String())
	return err
}
