// Copyright The toolscope Authors
// SPDX-License-Identifier: Apache-2.0

// Package anthropic lets sub-agents use Anthropic's models, or an endpoint that speaks
// their messages.
//
//	client := anthropic.NewClient() // key and address from the environment
//	model, err := agentanthropic.New(client, agentanthropic.Options{Model: "claude-sonnet-4-5"})
//	tool, err := agent.New(model, agent.Options{…})
//
// The client is the official one, set up by the host: address, key, retries and time limits
// are its options. This package reads no environment and keeps nothing. Extended thinking
// is left off: its blocks would have to be sent back.
package anthropic
