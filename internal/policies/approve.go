// Copyright The toolscope Authors
// SPDX-License-Identifier: Apache-2.0

package policies

import (
	"bytes"
	"errors"

	"github.com/toolscope/toolscope/internal/secretfile"
	"github.com/toolscope/toolscope/middleware/approve"
	"github.com/toolscope/toolscope/middleware/approve/webhook"
)

// approval is what a file says of the Approve policy.
type approval struct {
	approve.Options `yaml:",inline"`

	Terminal   *bool `yaml:"terminal" doc:"Ask on the controlling terminal; default: unless answers come over HTTP."`
	Remote     bool  `yaml:"remote" doc:"Answers come over HTTP, which the program must serve; default false."`
	Webhook    *hook `yaml:"webhook" doc:"Tells a chat system of requests and answers, by signed requests."`
	Unattended bool  `yaml:"unattended" doc:"No person is asked: calls that no pattern approves are refused; default false."`
}

// hook is a webhook of the Approve policy.
type hook struct {
	URL        string `yaml:"url" doc:"Where events are posted, as https://chat.example/hook."`
	SecretFile string `yaml:"secret_file" doc:"The file with the secret that signs events (Standard Webhooks)."`
	Page       string `yaml:"page" doc:"Address of the page of approvals, for people who read the event; default none."`
}

// open makes the webhook; nil if no files are to be read.
func (h *hook) open(b *Builder) (*webhook.Webhook, error) {
	if h.SecretFile == "" {
		return nil, errors.New("webhook.secret_file: got nothing, want a file's path")
	}
	o := webhook.Options{URL: h.URL, Page: h.Page, Secret: make([]byte, 16)}
	if b.ReadFile != nil {
		path := b.Path(h.SecretFile)
		text, err := b.ReadFile(path)
		if err != nil {
			return nil, err
		}
		secretfile.Warn(path)
		o.Secret = bytes.TrimSpace(text)
		b.Content = text
	}
	return webhook.New(o)
}

func newApprove(s approval, b *Builder) (*approve.Policy, error) {
	o := s.Options
	o.Redactor, o.Tell = b.Redactor, b.Decided
	if s.Webhook != nil {
		w, err := s.Webhook.open(b)
		if err != nil {
			return nil, err
		}
		decided := b.Decided
		o.Tell = func(d approve.Decision) {
			if decided != nil {
				decided(d)
			}
			w.Tell(d)
		}
	}
	if s.Remote {
		o.Askers = append(o.Askers, approve.HTTP())
	}
	if s.Unattended {
		o.Askers = append(o.Askers, approve.Unattended())
	}
	if s.Terminal != nil && *s.Terminal {
		o.Askers = append(o.Askers, approve.Terminal())
	} else if s.Terminal != nil && len(o.Askers) == 0 && !s.Defer {
		return nil, errors.New("terminal: got false, want remote: true or unattended: true as well")
	}
	if !s.Unattended {
		o.Requests = b.Stores.Requests
	}
	return approve.New(o)
}
