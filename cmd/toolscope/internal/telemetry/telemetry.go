// Copyright The toolscope Authors
// SPDX-License-Identifier: Apache-2.0

package telemetry

import (
	"context"
	"errors"
	"fmt"
	"os"

	"github.com/spf13/pflag"

	"github.com/toolscope/toolscope/exporters"
)

// Flags are the options of commands that export for as long as they run.
type Flags struct {
	spool string
	pushing
}

// Define defines the options.
func (o *Flags) Define(f *pflag.FlagSet) {
	f.StringVar(&o.spool, "spool", "", "keep spans in `DIR` until the destination has taken them, also when the "+
		"program is killed; the next one that uses DIR sends the rest. See 'toolscope spool'")
	o.pushing.define(f)
}

// SendTo makes the URL of --otlp the destination of this process; "" changes nothing. A configuration file would
// take its place, which is an error.
func SendTo(url string) error {
	if url == "" {
		return nil
	}
	if file := os.Getenv("OTEL_CONFIG_FILE"); file != "" {
		return fmt.Errorf("--otlp: got it together with OTEL_CONFIG_FILE, want one of them: %s says where spans go", file)
	}
	if err := os.Setenv("OTEL_EXPORTER_OTLP_ENDPOINT", url); err != nil {
		return fmt.Errorf("--otlp: %w", err)
	}
	return nil
}

// SetUp is [exporters.Setup] with the options.
func (o *Flags) SetUp(ctx context.Context, options exporters.Options) (*exporters.Providers, error) {
	if o.spool != "" {
		options.SpoolDir, options.Spool = o.spool, exporters.SpoolOptions{WriteAhead: true}
	}
	p, err := exporters.Setup(ctx, options)
	if err == nil && o.spool != "" && p.Endpoint == "" {
		err = errors.Join(errors.New("--spool: got it without a destination, want OTEL_EXPORTER_OTLP_ENDPOINT, or "+
			"the file of OTEL_CONFIG_FILE, to name where spans go"), p.Shutdown(ctx))
	}
	if err != nil {
		return nil, err
	}
	return p, nil
}
