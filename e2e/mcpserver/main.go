// Copyright The toolscope Authors
// SPDX-License-Identifier: Apache-2.0

// Command mcpserver is an instrumented server of the official MCP SDK for the
// end-to-end tests. It speaks over standard input and output, or with -http as
// streamable HTTP below a span of its own for each HTTP request. Spans go where
// OTEL_EXPORTER_OTLP_ENDPOINT says.
package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"log"
	"net"
	"net/http"
	"os"
	"os/signal"
	"syscall"
	"time"

	"github.com/modelcontextprotocol/go-sdk/mcp"
	"go.opentelemetry.io/otel/trace"

	"github.com/toolscope/toolscope"
	"github.com/toolscope/toolscope/exporters"
	"github.com/toolscope/toolscope/mcp/toolmcp"
)

func main() {
	address := flag.String("http", "", "listen at this address instead of speaking over standard input and output")
	stateless := flag.Bool("stateless", false, "keep no sessions over HTTP")
	flag.Parse()
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	if err := run(ctx, *address, *stateless); err != nil {
		log.Fatal(err)
	}
}

func run(ctx context.Context, address string, stateless bool) (err error) {
	providers, err := exporters.Setup(ctx, exporters.Options{ServiceName: "mcp-server"})
	if err != nil {
		return err
	}
	defer func() {
		closing, cancel := context.WithTimeout(context.Background(), 5*time.Second)
		defer cancel()
		err = errors.Join(err, providers.Shutdown(closing))
	}()
	scope, err := toolscope.New(toolscope.Options{
		TracerProvider: providers.TracerProvider,
		MeterProvider:  providers.MeterProvider,
	})
	if err != nil {
		return err
	}
	server := newServer()
	if address == "" {
		toolmcp.Instrument(server, scope, toolmcp.Options{Transport: new(mcp.StdioTransport)})
		if err := server.Run(ctx, new(mcp.StdioTransport)); err != nil && !errors.Is(err, context.Canceled) {
			return err
		}
		return nil
	}
	toolmcp.Instrument(server, scope, toolmcp.Options{})
	return serve(ctx, address, stateless, server, providers.TracerProvider.Tracer("http"))
}

type question struct {
	Customer string `json:"customer"`
	Password string `json:"password"`
}

type answer struct {
	Balance int    `json:"balance"`
	Note    string `json:"note"`
}

// newServer has a tool that is given secrets and gives one back, one that fails, a
// prompt and a resource.
func newServer() *mcp.Server {
	server := mcp.NewServer(&mcp.Implementation{Name: "accounts", Version: "1"}, nil)
	mcp.AddTool(server, &mcp.Tool{Name: "balance", Annotations: &mcp.ToolAnnotations{ReadOnlyHint: true}},
		func(_ context.Context, _ *mcp.CallToolRequest, in question) (*mcp.CallToolResult, answer, error) {
			return nil, answer{Balance: 42, Note: "asked by " + in.Customer}, nil
		})
	mcp.AddTool(server, &mcp.Tool{Name: "close_account"},
		func(_ context.Context, _ *mcp.CallToolRequest, in question) (*mcp.CallToolResult, any, error) {
			return nil, nil, fmt.Errorf("the account of %s is locked", in.Customer)
		})
	server.AddPrompt(&mcp.Prompt{Name: "greet", Arguments: []*mcp.PromptArgument{{Name: "customer"}}},
		func(_ context.Context, r *mcp.GetPromptRequest) (*mcp.GetPromptResult, error) {
			return &mcp.GetPromptResult{Messages: []*mcp.PromptMessage{{
				Role: "user", Content: &mcp.TextContent{Text: "Greet " + r.Params.Arguments["customer"]},
			}}}, nil
		})
	server.AddResource(&mcp.Resource{URI: "accounts://terms", Name: "terms"},
		func(_ context.Context, r *mcp.ReadResourceRequest) (*mcp.ReadResourceResult, error) {
			return &mcp.ReadResourceResult{Contents: []*mcp.ResourceContents{{
				URI: r.Params.URI, MIMEType: "text/plain", Text: "No account is free.",
			}}}, nil
		})
	return server
}

// serve listens until ctx is over, and says on standard error where.
func serve(ctx context.Context, address string, stateless bool, server *mcp.Server, tracer trace.Tracer) error {
	l, err := net.Listen("tcp", address)
	if err != nil {
		return err
	}
	protocol := mcp.NewStreamableHTTPHandler(
		func(*http.Request) *mcp.Server { return server }, &mcp.StreamableHTTPOptions{Stateless: stateless},
	)
	s := &http.Server{Handler: http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		ctx, span := tracer.Start(r.Context(), r.Method, trace.WithSpanKind(trace.SpanKindServer), trace.WithNewRoot())
		defer span.End()
		protocol.ServeHTTP(w, r.WithContext(ctx))
	})}
	fmt.Fprintf(os.Stderr, "http://%s/\n", l.Addr())
	context.AfterFunc(ctx, func() {
		for session := range server.Sessions() {
			_ = session.Close()
		}
		_ = s.Close()
	})
	if err := s.Serve(l); !errors.Is(err, http.ErrServerClosed) {
		return err
	}
	return nil
}
