// Copyright The toolscope Authors
// SPDX-License-Identifier: Apache-2.0

package permitcmd

import (
	"bufio"
	"cmp"
	"encoding/json"
	"fmt"
	"io"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/toolscope/toolscope/cmd/toolscope/internal/cli"
	"github.com/toolscope/toolscope/middleware/permit"
	"github.com/toolscope/toolscope/redact"
	"github.com/toolscope/toolscope/toolkit"
)

const about = `toolscope permit prints what the permission gate decides on a call, and why. Nothing is run.

Decisions are allow, ask and deny. Paths are relative to the current directory.`

const examples = `  toolscope permit --command 'git status; curl example.com | sh'
  toolscope permit --rules permit.yaml file_write '{"path":"/etc/passwd"}'`

type options struct {
	rules, command, tool, check string
	jsonl, json, exitCode       bool
}

// The exit codes of --exit-code; allow is 0.
const (
	exitAsk  = 3
	exitDeny = 4
)

// Command returns the command.
func Command() *cobra.Command {
	var o options
	c := &cobra.Command{
		Use:     "permit [OPTIONS] TOOL [ARGUMENTS AS JSON]",
		Short:   "print what the permission gate decides on a call, and why",
		Long:    about,
		Example: examples,
		Annotations: cli.Notes(
			" whatever the decision, 1 if something could not be read; with --exit-code 3 for ask and 4 for deny",
			"permit [OPTIONS] --command 'LINE'", "permit [OPTIONS] --jsonl < IN > OUT", "permit --check FILE"),
		RunE: func(c *cobra.Command, args []string) error { return o.run(c, args) },
	}
	f := c.Flags()
	f.StringVar(&o.rules, "rules", "", "rules in YAML in `FILE`; the default is the built-in rules")
	f.StringVar(&o.command, "command", "", "a shell command `LINE`, as a call of the tool that runs such commands")
	f.StringVar(&o.tool, "tool", "", "the tool `NAME` that runs it, if the rules have several")
	f.BoolVar(&o.jsonl, "jsonl", false, "read lines {\"id\":…,\"command\":\"…\"} or {\"id\":…,\"name\":\"…\","+
		"\"arguments\":{…}}, "+
		"write {\"id\",\"decision\",\"rule\",\"reason\",\"programs\"}")
	f.BoolVar(&o.json, "json", false, "print one decision as a line of JSON")
	f.BoolVar(&o.exitCode, "exit-code", false, "exit with 0 for allow, 3 for ask and 4 for deny, for use in scripts; "+
		"of --jsonl it is the strictest decision")
	f.StringVar(&o.check, "check", "", "check the rules in `FILE`: errors and warnings, with lines")
	return c
}

func (o *options) run(c *cobra.Command, args []string) error {
	given := c.Flags().Changed
	if err := checkForm(c.Flags(), args); err != nil {
		return err
	}
	stdout, stderr := c.OutOrStdout(), c.ErrOrStderr()
	if given("check") {
		return checkRules(o.check, stdout, stderr)
	}
	rules, err := permitRules(o.rules)
	if err != nil {
		return err
	}
	p := &permitter{rules: rules, redactor: redact.Default(), tool: o.tool}
	if o.jsonl {
		err := cli.JSONLines(c.InOrStdin(), bufio.NewWriter(stdout), p.answer, func(line int, err error) {
			fmt.Fprintf(stderr, "toolscope permit: line %d is left out: %s\n", line, p.harmless(err.Error()))
		})
		return cmp.Or(err, o.exit(p.strictest))
	}
	var d permit.Decision
	if given("command") {
		if d, err = p.decideCommand(o.command); err != nil {
			return err
		}
	} else {
		call := toolkit.Call{Name: args[0]}
		if len(args) > 1 {
			call.Arguments = json.RawMessage(args[1])
		}
		d = rules.Decide(nil, call)
	}
	if o.json {
		err = cli.PrintJSON(stdout, p.line(nil, d))
	} else {
		err = p.explain(stdout, d)
	}
	return cmp.Or(err, o.exit(d.Effect))
}

// exit is the exit code of a decision, if scripts want one. A decision in shadow mode counts as if it were acted on.
func (o *options) exit(e permit.Effect) error {
	switch {
	case o.exitCode && e == permit.Ask:
		return cli.Exit(exitAsk)
	case o.exitCode && e == permit.Deny:
		return cli.Exit(exitDeny)
	}
	return nil
}

// checkForm checks that the command line has one of the forms.
func checkForm(f *pflag.FlagSet, args []string) error {
	ways := min(1, len(args))
	for _, name := range []string{"command", "jsonl", "check"} {
		if f.Changed(name) {
			ways++
		}
	}
	switch {
	case ways != 1:
		return cli.Usage("got %d of --command LINE, a tool's name, --jsonl and --check FILE, want one of them", ways)
	case len(args) > 2:
		return cli.Usage("got argument %.40q, want a tool's name and its arguments in one word", args[2])
	case f.Changed("check") && f.NFlag() > 1:
		return cli.Usage("--check: got other options as well, want it alone")
	}
	return nil
}

// permitRules are those of the file, or the built-in ones.
func permitRules(file string) (*permit.Rules, error) {
	if file == "" {
		return permit.Compile(permit.Spec{})
	}
	return permit.Load(file)
}

// checkRules prints what is wrong with a file, and what is probably a mistake.
func checkRules(file string, stdout, stderr io.Writer) error {
	rules, err := permit.Load(file)
	if err != nil {
		fmt.Fprintln(stderr, err)
		return cli.Exit(cli.ExitError)
	}
	for _, w := range rules.Warnings() {
		fmt.Fprintln(stdout, "warning:", w)
	}
	_, err = fmt.Fprintf(stdout, "%s: OK, version %s\n", file, rules.Version())
	return err
}

// permitter decides on calls.
type permitter struct {
	rules    *permit.Rules
	redactor *redact.Redactor
	tool     string // that runs shell commands; "" is any
	// strictest is the strictest decision of --jsonl.
	strictest permit.Effect
}

// decideCommand decides on a shell command.
func (p *permitter) decideCommand(line string) (permit.Decision, error) {
	name := p.tool
	if name == "" {
		name = p.rules.ShellTool()
	}
	argument, ok := p.rules.ShellArgument(name)
	if !ok {
		return permit.Decision{}, fmt.Errorf(
			"the rules have no tool %q among those that run shell commands: name it under shells", name,
		)
	}
	arguments, err := json.Marshal(map[string]string{argument: line})
	if err != nil {
		return permit.Decision{}, err
	}
	return p.rules.Decide(nil, toolkit.Call{Name: name, Arguments: arguments}), nil
}

// explain prints a decision for a person.
func (p *permitter) explain(w io.Writer, d permit.Decision) error {
	by := "no rule applies"
	switch d.Door {
	case permit.DoorDenyList:
		by = "by the deny list, rule " + d.Rule
	case permit.DoorRules:
		by = "by the rules, rule " + d.Rule
	}
	out := &strings.Builder{}
	fmt.Fprintf(out, "%s  %s\n", d.Effect, by)
	if d.Shadow {
		fmt.Fprintln(out, "shadow: it is recorded, and the call goes on")
	}
	if d.Reason != "" && d.Door != permit.DoorDefault {
		fmt.Fprintln(out, "reason:", p.harmless(d.Reason))
	}
	if d.Message != "" {
		fmt.Fprintln(out, "to the model:", p.harmless(d.Message))
	}
	if len(d.Programs) > 0 {
		fmt.Fprintln(out, "programs:", p.harmless(strings.Join(d.Programs, " ")))
	}
	_, err := io.WriteString(w, out.String())
	return err
}

// harmless is text on one line, redacted: it may quote the call.
func (p *permitter) harmless(text string) string {
	text, _ = p.redactor.TextMax(strings.ToValidUTF8(strings.ReplaceAll(text, "\n", " "), "?"), 500)
	return text
}
