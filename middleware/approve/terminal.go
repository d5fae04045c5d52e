// Copyright The toolscope Authors
// SPDX-License-Identifier: Apache-2.0

package approve

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"runtime"
	"strings"
	"time"

	"github.com/toolscope/toolscope/internal/display"
)

// maxLine is the longest answer typed on a terminal.
const maxLine = 1 << 10

// Terminal asks on the controlling terminal, one request at a time. It never reads
// standard input, which may be a protocol's. Only "yes", typed in full, approves; any other
// line is a no, and its note. A call that is longer than a screen has to be shown whole before it can be approved. What
// was typed before the question is thrown away. Without a controlling terminal (a service, a container, Windows) it
// cannot ask.
func Terminal() Asker { return newTerminal(openTerminal) }

// openTerminal opens the controlling terminal, whatever standard input is.
func openTerminal() (terminalFile, error) {
	if runtime.GOOS == "windows" || runtime.GOOS == "plan9" {
		return nil, errors.New("this system has no controlling terminal that can be asked")
	}
	f, err := os.OpenFile("/dev/tty", os.O_RDWR, 0)
	if err != nil {
		return nil, fmt.Errorf("there is no controlling terminal: %w", err)
	}
	return f, nil
}

// terminalFile is what is needed of a terminal: reading from it can be ended.
type terminalFile interface {
	io.ReadWriteCloser
	SetReadDeadline(t time.Time) error
}

func newTerminal(open func() (terminalFile, error)) *terminal {
	return &terminal{open: open, turn: make(chan struct{}, 1)}
}

type terminal struct {
	open func() (terminalFile, error)
	turn chan struct{} // held while a question stands
}

// available is an error if there is no terminal now.
func (t *terminal) available() error {
	f, err := t.open()
	if err != nil {
		return err
	}
	return f.Close()
}

func (t *terminal) Ask(ctx context.Context, r Request) (Answer, error) {
	select {
	case t.turn <- struct{}{}:
		defer func() { <-t.turn }()
	case <-ctx.Done():
		return Answer{}, ctx.Err()
	}
	f, err := t.open()
	if err != nil {
		return Answer{}, err
	}
	defer f.Close()
	if err := discardTyped(f); err != nil {
		return Answer{}, fmt.Errorf("the terminal cannot be asked for a limited time: %w", err)
	}
	stop := context.AfterFunc(ctx, func() { _ = f.SetReadDeadline(time.Unix(1, 0)) })
	defer stop()
	line, err := converse(f, r)
	switch {
	case ctx.Err() != nil:
		_, _ = io.WriteString(f, "\n(no longer asked)\n")
		return Answer{}, ctx.Err()
	case err != nil:
		return Answer{}, err
	}
	a := Answer{By: "terminal"}
	switch strings.ToLower(line) {
	case "yes":
		a.Approved = true
	case "", "n", "no":
	default:
		a.Note = line
	}
	return a, nil
}

// converse shows the request and returns the line that answers it. What does not fit on a screen can be approved only
// when all of it was shown.
func converse(f io.ReadWriter, r Request) (string, error) {
	v := r.View()
	_, colours := f.(*os.File)
	colours = colours && os.Getenv("NO_COLOR") == "" && os.Getenv("TERM") != "dumb"
	lines := terminalLines(v, colours)
	first := lines[:min(len(lines), maxRows)]
	rest := lines[len(first):]
	text := question(r, v, first)
	for {
		prompt := `Type "yes" to approve; Enter or any other text rejects, with the reason: `
		if len(rest) > 0 {
			prompt = fmt.Sprintf("%d more lines. Type \"all\" to see them, which is needed to approve; Enter or any other text "+
				"rejects, with the reason: ", len(rest))
		}
		if _, err := io.WriteString(f, text+prompt); err != nil {
			return "", fmt.Errorf("the terminal cannot be written to: %w", err)
		}
		line, err := readLine(f)
		if err != nil {
			return "", fmt.Errorf("the terminal closed: %w", err)
		}
		switch strings.ToLower(line) {
		case "y", "approve", "ok":
			text = "Not approved: the word is yes.\n"
		case "yes":
			if len(rest) == 0 && !v.Cut {
				return line, nil
			}
			text = "Not approved: the text above is not whole.\n"
		case "all":
			text, rest = strings.Join(rest, ""), nil
		default:
			return line, nil
		}
	}
}

// discardTyped reads what was typed before the question: it was meant for
// something else.
func discardTyped(f terminalFile) error {
	buf := make([]byte, maxLine)
	// One that comes after its deadline reads nothing of what is there, so nothing must come twice.
	for n, quiet := 0, 0; n < 1024 && quiet < 2; n++ {
		if err := f.SetReadDeadline(time.Now().Add(10 * time.Millisecond)); err != nil {
			return err
		}
		switch _, err := f.Read(buf); {
		case err == nil:
			quiet = 0
		case errors.Is(err, os.ErrDeadlineExceeded):
			quiet++
		default:
			n = 1024
		}
	}
	return f.SetReadDeadline(time.Time{})
}

// readLine reads to the end of a line; what is longer than a line may be is an error.
func readLine(f io.Reader) (string, error) {
	var line []byte
	buf := make([]byte, 256)
	for len(line) <= maxLine {
		n, err := f.Read(buf)
		line = append(line, buf[:n]...)
		if text, _, ok := strings.Cut(string(line), "\n"); ok {
			return strings.TrimSpace(text), nil
		}
		if err != nil {
			return "", err
		}
		if n == 0 {
			return "", io.ErrNoProgress
		}
	}
	return "", fmt.Errorf("got more than %d bytes for an answer", maxLine)
}

// question is a request as a person reads it: no control character of it reaches
// the terminal.
func question(r Request, v View, lines []string) string {
	var b strings.Builder
	b.WriteString("\n\atoolscope: may this call go on?\n")
	row := func(name, value string) {
		if value != "" {
			fmt.Fprintf(&b, "  %-10s %s\n", name, display.Plain(value))
		}
	}
	tool := r.Tool
	if r.Title != "" {
		tool += " (" + r.Title + ")"
	}
	if r.Risk != "" {
		tool += ", risk " + r.Risk
	}
	row("tool", tool)
	row("agent", r.Agent)
	row("session", r.Session)
	row("because", r.Reason)
	row("rule", r.Rule)
	row("request", r.ID)
	row("until", r.Expires.Format(time.TimeOnly))
	if v.Earlier != "" {
		row("compare", "lines with ± differ from the call "+v.Earlier)
	}
	if r.ApprovedBy != "" {
		row("second", r.ApprovedBy+" has approved, and a second person has to")
	}
	row("runs", strings.Repeat("-", 60))
	for _, line := range lines {
		b.WriteString(line)
	}
	return b.String()
}
