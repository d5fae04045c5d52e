// Copyright The toolscope Authors
// SPDX-License-Identifier: Apache-2.0

package servecmd

import (
	"github.com/toolscope/toolscope/cmd/toolscope/internal/builtin"
	"github.com/toolscope/toolscope/cmd/toolscope/internal/recordings"
	"github.com/toolscope/toolscope/cmd/toolscope/internal/telemetry"
)

// options are those of the command line.
type options struct {
	builtin.Options
	tenant                         string
	exporting                      telemetry.Flags
	recording                      recordings.Flags
	http, stats, tokenFile, config string
	token                          string
	approvals                      string // file of tokens
	servers                        string // file of MCP servers
	sharedNames                    bool
	origins                        []string
}
