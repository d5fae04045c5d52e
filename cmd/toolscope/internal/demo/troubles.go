// Copyright The toolscope Authors
// SPDX-License-Identifier: Apache-2.0

package demo

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/toolscope/toolscope/internal/canary"
	"github.com/toolscope/toolscope/toolkit"
)

// exportTimeout is how long the slow tool may run.
const exportTimeout = 120 * time.Millisecond

// troubles are the tools that make a session interesting: slow, panicking,
// failing, leaking, huge.
func troubles(secrets []canary.Secret) []toolkit.Tool {
	type topic struct {
		Topic string `json:"topic"`
	}
	schema := json.RawMessage(`{"type":"object","properties":{"topic":{"type":"string","description":"What it is about."}}}`)
	return []toolkit.Tool{
		toolkit.NewTool(toolkit.Definition{
			Name: "report_export", Description: "Exports a report; the backend is slow.", InputSchema: schema,
			Timeout: exportTimeout, ReadOnly: toolkit.Yes, Idempotent: toolkit.Yes, Destructive: toolkit.No, Category: "reports",
		}, func(ctx context.Context, _ topic) (string, error) {
			<-ctx.Done()
			return "", fmt.Errorf("export of page 3 of 12: %w", ctx.Err())
		}),
		toolkit.NewTool(toolkit.Definition{
			Name: "legacy_parse", Description: "Parses the old invoice format.", InputSchema: schema,
			ReadOnly: toolkit.Yes, Idempotent: toolkit.Yes, Destructive: toolkit.No, Category: "invoices",
		}, func(_ context.Context, in topic) (string, error) {
			fields := strings.Split(in.Topic, ";")
			return fields[len(fields)+4], nil // the bug of this tool: it panics
		}),
		toolkit.NewTool(toolkit.Definition{
			Name: "payment_refund", Description: "Refunds a payment; the gateway is down today.", InputSchema: schema,
			Risk: toolkit.RiskHigh, Category: "payments",
		}, func(_ context.Context, in topic) (string, error) {
			return "", fmt.Errorf("gateway answered 502 for refund %s after 3 tries: %w", in.Topic, errGateway(secrets))
		}),
		toolkit.NewTool(toolkit.Definition{
			Name: "config_read", Description: "Reads the deployment's configuration.", InputSchema: schema,
			ReadOnly: toolkit.Yes, Idempotent: toolkit.Yes, Destructive: toolkit.No, Category: "operations",
		}, func(context.Context, topic) (string, error) { return leakyConfig(secrets), nil }),
		toolkit.NewTool(toolkit.Definition{
			Name: "log_dump", Description: "Dumps the whole log of a service.", InputSchema: schema,
			ReadOnly: toolkit.Yes, Idempotent: toolkit.Yes, Destructive: toolkit.No, Category: "operations",
		}, func(_ context.Context, in topic) (string, error) { return hugeLog(in.Topic), nil }),
	}
}

// errGateway is an error that tells too much, as errors do.
func errGateway(secrets []canary.Secret) error {
	var text []string
	for _, s := range secrets {
		text = append(text, s.Text)
	}
	return errors.New(strings.Join(text, "; "))
}

func leakyConfig(secrets []canary.Secret) string {
	var b strings.Builder
	b.WriteString("# production\nregion: eu-north-1\nreplicas: 3\n")
	for _, s := range secrets {
		b.WriteString(s.Text)
		b.WriteByte('\n')
	}
	return b.String()
}

// hugeLog is a result of about 4 MiB.
func hugeLog(service string) string {
	var b strings.Builder
	for i := 0; b.Len() < 4<<20; i++ {
		fmt.Fprintf(
			&b, "2026-11-20T10:%02d:%02dZ %s level=info request=%d status=200 duration_ms=%d\n", i/60%60, i%60,
			service, i, i*7%250,
		)
	}
	return b.String()
}
