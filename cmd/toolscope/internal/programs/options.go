// Copyright The toolscope Authors
// SPDX-License-Identifier: Apache-2.0

package programs

import (
	"fmt"
	"io"
	"os"
	"strings"
	"sync"
	"time"

	"github.com/spf13/cobra"

	"github.com/toolscope/toolscope/cmd/toolscope/internal/cli"
)

// Options say which programs are asked, and how.
type Options struct {
	URLs      []string
	TokenFile string
	Timeout   time.Duration
}

// Define defines the options of a command that asks programs.
func (o *Options) Define(c *cobra.Command) {
	c.Flags().StringVar(
		&o.TokenFile, "token-file", "",
		"read the bearer token from `FILE` (\"-\": standard input); the default is $TOOLSCOPE_TOKEN",
	)
	c.Flags().DurationVar(&o.Timeout, "timeout", 10*time.Second, "wait for an answer for this `TIME`")
	c.ValidArgsFunction = cobra.NoFileCompletions
}

// Complete checks the options, and takes $TOOLSCOPE_URL where no program is named.
func (o *Options) Complete(urls []string) error {
	if o.Timeout <= 0 {
		return cli.Usage("--timeout: got %v, want more than 0", o.Timeout)
	}
	o.URLs = urls
	if u := os.Getenv("TOOLSCOPE_URL"); u != "" && len(urls) == 0 {
		o.URLs = []string{u}
	}
	for _, u := range o.URLs {
		if _, err := NewSource(u, "", o.Timeout); err != nil {
			return cli.Usage("%w", err)
		}
	}
	return nil
}

// Token reads the token.
func (o *Options) Token(stdin io.Reader) (string, error) { return ReadToken(o.TokenFile, stdin) }

// ReadToken reads a token from the file, "-" for standard input, or from the environment if file is "".
func ReadToken(file string, stdin io.Reader) (string, error) {
	if file == "" {
		return os.Getenv("TOOLSCOPE_TOKEN"), nil
	}
	from := stdin
	if file != "-" {
		f, err := os.Open(file)
		if err != nil {
			return "", fmt.Errorf("--token-file: %w", err)
		}
		defer f.Close()
		from = f
	}
	text, err := io.ReadAll(io.LimitReader(from, 4096))
	if err != nil {
		return "", fmt.Errorf("--token-file: %w", err)
	}
	return strings.TrimSpace(string(text)), nil
}

// maxAsked is how many programs are asked concurrently.
const maxAsked = 8

// AskAll asks all sources concurrently and returns what they answered, nil for those that failed, and
// their errors.
func AskAll[T any](sources []*Source, ask func(*Source) (*T, error)) (answers []*T, failures []error) {
	answers, failures = make([]*T, len(sources)), make([]error, len(sources))
	var all sync.WaitGroup
	slots := make(chan struct{}, maxAsked)
	for i, s := range sources {
		all.Go(func() {
			slots <- struct{}{}
			defer func() { <-slots }()
			answers[i], failures[i] = ask(s)
		})
	}
	all.Wait()
	return answers, failures
}
