// Copyright The toolscope Authors
// SPDX-License-Identifier: Apache-2.0

package replaycmd

import "io"

// options are those of the command line.
type options struct {
	answers, dryRun, write, json, quiet bool
	dir, config, file                   string

	serve          bool
	target         string
	access         access
	servers        string // file of MCP servers
	command        []string
	speed          float64
	tools          []string
	sessions       []string
	numbers        []int
	steps          bool
	texts          []string // of --value
	values         []value
	stdin          io.Reader
	stdout, stderr io.Writer
}

// remote reports whether calls go to MCP servers.
func (o *options) remote() bool { return o.target != "" || len(o.command) > 0 || o.servers != "" }
