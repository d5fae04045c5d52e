// Copyright The toolscope Authors
// SPDX-License-Identifier: Apache-2.0

package approvalscmd

import (
	"cmp"
	"errors"
	"fmt"
	"io"
	"os"

	"github.com/spf13/cobra"

	"github.com/toolscope/toolscope/cmd/toolscope/internal/programs"
	"github.com/toolscope/toolscope/internal/announce"
)

// target are the options that say which program is asked, by whom, and how its answer is printed.
type target struct {
	programs.Options
	url, by string
	json    bool
}

// define defines the flags of a command whose user does something, such as "stops".
func (o *target) define(c *cobra.Command, does string) {
	f := c.Flags()
	f.StringVar(&o.url, "url", "", "the `URL` where the program has mounted its scope's HTTP handler; the default "+
		"is $TOOLSCOPE_URL, or the only program of yours that runs here")
	f.StringVar(&o.by, "by", "", "the `NAME` of who "+does+", if the token has none; the default is $USER")
	f.BoolVar(&o.json, "json", false, "print JSON")
	o.Define(c)
}

// complete checks the flags and fills in the default of --by.
func (o *target) complete() error {
	o.by = cmp.Or(o.by, os.Getenv("USER"))
	return o.Complete(nil)
}

// source is the program to ask.
func (o *target) source(stdin io.Reader) (*programs.Source, error) {
	token, err := o.Token(stdin)
	if err != nil {
		return nil, err
	}
	if token == "" {
		return nil, errors.New("got no token, want the program's in $TOOLSCOPE_TOKEN or --token-file")
	}
	named := cmp.Or(o.url, os.Getenv("TOOLSCOPE_URL"))
	if named == "" {
		running, err := announce.List()
		if err != nil {
			return nil, err
		}
		if len(running) != 1 {
			return nil, fmt.Errorf("got %d programs that run here, want --url (toolscope stats --list shows them)", len(running))
		}
		named = running[0].URL
	}
	return programs.NewSource(named, token, o.Timeout)
}
