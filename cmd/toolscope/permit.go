// Copyright The toolscope Authors
// SPDX-License-Identifier: Apache-2.0

package main

import (
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"io"
	"strings"

	"github.com/toolscope/toolscope/middleware/permit"
	"github.com/toolscope/toolscope/redact"
	"github.com/toolscope/toolscope/toolkit"
)

const permitHelp = `toolscope permit says what the permission gate decides of a call, and why. Nothing is run.

Usage: toolscope permit [OPTIONS] --command 'LINE'
       toolscope permit [OPTIONS] TOOL [ARGUMENTS AS JSON]
       toolscope permit [OPTIONS] --jsonl < IN > OUT
       toolscope permit --check FILE

  --rules FILE   rules in YAML; without it the built-in rules hold
  --command LINE a shell command, as a call of the tool that runs such commands
  --tool NAME    that tool, if the rules know several
  --jsonl        read lines {"id":…,"command":"…"} or {"id":…,"name":"…","arguments":{…}},
                 write {"id","decision","rule","reason","programs"}
  --json         write one decision as a line of JSON
  --check FILE   check rules: errors and warnings, with lines

  toolscope permit --command 'git status; curl example.com | sh'
  toolscope permit --rules permit.yaml file_write '{"path":"/etc/passwd"}'

Decisions are allow, ask and deny. Paths are taken from the directory it runs in.
Exit code: 0 whatever the decision, 1 if something could not be read, 2 for wrong words.
`

// permitCommand is `toolscope permit`.
func permitCommand(args []string, stdin io.Reader, stdout, stderr io.Writer) int {
	flags := flag.NewFlagSet("permit", flag.ContinueOnError)
	file := flags.String("rules", "", "")
	line := flags.String("command", "", "")
	tool := flags.String("tool", "", "")
	jsonl := flags.Bool("jsonl", false, "")
	asJSON := flags.Bool("json", false, "")
	check := flags.String("check", "", "")
	rest, code, done := parseArguments(flags, permitHelp, args, stdout, stderr)
	if done {
		return code
	}
	given := map[string]bool{}
	flags.Visit(func(f *flag.Flag) { given[f.Name] = true })
	if wrong := permitWords(given, rest); wrong != "" {
		fmt.Fprintln(stderr, "toolscope permit:", wrong)
		return exitUsage
	}
	fail := func(err error) int {
		fmt.Fprintln(stderr, "toolscope permit:", err)
		return exitError
	}
	if given["check"] {
		return checkRules(*check, stdout, stderr)
	}
	rules, err := permitRules(*file)
	if err != nil {
		return fail(err)
	}
	redactor, err := redact.New(redact.Options{})
	if err != nil {
		return fail(err)
	}
	p := &permitter{rules: rules, redactor: redactor, tool: *tool}
	if *jsonl {
		if err := p.lines(stdin, stdout, stderr); err != nil {
			return fail(err)
		}
		return exitOK
	}
	var d permit.Decision
	if given["command"] {
		d, err = p.command(*line)
	} else {
		call := toolkit.Call{Name: rest[0]}
		if len(rest) > 1 {
			call.Arguments = json.RawMessage(rest[1])
		}
		d = rules.Decide(nil, call)
	}
	switch {
	case err != nil:
	case *asJSON:
		err = printJSON(stdout, p.answer(nil, d))
	default:
		err = p.explain(stdout, d)
	}
	if err != nil {
		return fail(err)
	}
	return exitOK
}

// permitWords says what is wrong with the words; "" if nothing is.
func permitWords(given map[string]bool, rest []string) string {
	ways := 0
	for _, way := range []bool{given["command"], given["jsonl"], given["check"], len(rest) > 0} {
		if way {
			ways++
		}
	}
	switch {
	case ways != 1:
		return "want one of --command LINE, a tool's name, --jsonl and --check FILE\nRun 'toolscope permit --help' for the options."
	case len(rest) > 2:
		return fmt.Sprintf("got argument %.40q, want a tool's name and its arguments in one word", rest[2])
	case given["check"] && len(given) > 1:
		return "got --check with other options, want it alone"
	}
	return ""
}

// permitRules are those of the file, or the built-in ones.
func permitRules(file string) (*permit.Rules, error) {
	if file == "" {
		return permit.Compile(permit.Spec{})
	}
	return permit.Load(file)
}

// checkRules says what is wrong with a file, and what is probably a mistake.
func checkRules(file string, stdout, stderr io.Writer) int {
	rules, err := permit.Load(file)
	if err != nil {
		fmt.Fprintln(stderr, err)
		return exitError
	}
	for _, w := range rules.Warnings() {
		fmt.Fprintln(stdout, "warning:", w)
	}
	fmt.Fprintf(stdout, "%s: good, version %s\n", file, rules.Version())
	return exitOK
}

// permitter answers questions.
type permitter struct {
	rules    *permit.Rules
	redactor *redact.Redactor
	tool     string // that runs shell commands; "" is any
}

// command decides of a shell command.
func (p *permitter) command(line string) (permit.Decision, error) {
	name := p.tool
	if name == "" {
		name = p.rules.ShellTool()
	}
	argument, ok := p.rules.ShellArgument(name)
	if !ok {
		return permit.Decision{}, fmt.Errorf("the rules take no tool %q for one that runs shell commands: name it under shells", name)
	}
	arguments, err := json.Marshal(map[string]string{argument: line})
	if err != nil {
		return permit.Decision{}, err
	}
	return p.rules.Decide(nil, toolkit.Call{Name: name, Arguments: arguments}), nil
}

// explain tells a person.
func (p *permitter) explain(w io.Writer, d permit.Decision) error {
	by := "no rule speaks of it"
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

var errNoQuestion = errors.New(`got neither "command" nor "name", want one of them`)
