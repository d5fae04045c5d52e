// Copyright The toolscope Authors
// SPDX-License-Identifier: Apache-2.0

// Package baseline is the policy that learns what is usual for each agent, and notices what is not.
//
//	usual, err := baseline.New(baseline.Options{File: "/var/lib/agent/baseline.json"})
//	handle := middleware.Wrap(registry.Handle, usual)
//
// It notices five kinds of unusual calls ([Signal]). Each is recorded as a tag; those of [Options].Ask also lead to a
// question to a person. docs/policies-safety.md has the formulas, the warm-up of each, and measured rates.
//
// It keeps counters and hashes, no names and no arguments: of at most [Options].Agents agents, 64 tools of each agent
// and 128 targets of each tool, the longest unused being removed first.
package baseline
