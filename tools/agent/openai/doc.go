// Copyright The toolscope Authors
// SPDX-License-Identifier: Apache-2.0

// Package openai lets sub-agents use any endpoint that speaks OpenAI's chat completions:
// OpenAI's own, a gateway, or a server such as vLLM, llama.cpp or Ollama.
//
//	client := openai.NewClient(option.WithBaseURL("http://localhost:8080/v1"))
//	model, err := agentopenai.New(client, agentopenai.Options{Model: "qwen3"})
//	tool, err := agent.New(model, agent.Options{…})
//
// The client is the official one, set up by the host: address, key, retries and time limits
// are its options. This package reads no environment and keeps nothing.
package openai
