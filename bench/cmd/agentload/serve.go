// Copyright The toolscope Authors
// SPDX-License-Identifier: Apache-2.0

//go:build unix

package main

import (
	"encoding/json"
	"fmt"
	"io"
	"net"
	"net/http"
	"strconv"
	"time"

	"github.com/toolscope/toolscope/bench"
)

// proposal is the model's answer: the calls of one batch.
type proposal struct {
	Calls []proposed `json:"tool_calls"`
}

type proposed struct {
	ID        string          `json:"id"`
	Name      string          `json:"name"`
	Arguments json.RawMessage `json:"arguments"`
}

// serve answers for the tools and for the model, and writes its address; it ends with in.
func serve(in io.Reader, out io.Writer) error {
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return err
	}
	rows := []byte(bench.JSONText(4 << 10))
	mux := http.NewServeMux()
	mux.HandleFunc("GET /tool", func(w http.ResponseWriter, r *http.Request) {
		wait(r)
		w.Header().Set("Content-Type", "application/json")
		_, _ = w.Write(rows)
	})
	mux.HandleFunc("POST /model", func(w http.ResponseWriter, r *http.Request) {
		_, _ = io.Copy(io.Discard, r.Body)
		wait(r)
		n, _ := strconv.Atoi(r.URL.Query().Get("calls"))
		p := proposal{Calls: make([]proposed, n)}
		for i := range p.Calls {
			p.Calls[i] = proposed{fmt.Sprintf("call_%s_%d", r.URL.Query().Get("turn"), i), bench.ToolName, bench.FreshCall().Arguments}
		}
		_ = json.NewEncoder(w).Encode(p)
	})
	server := &http.Server{Handler: mux}
	go func() {
		_, _ = io.Copy(io.Discard, in)
		_ = server.Close()
	}()
	fmt.Fprintf(out, "http://%s\n", listener.Addr())
	if err := server.Serve(listener); err != http.ErrServerClosed {
		return err
	}
	return nil
}

// wait waits as long as the request says.
func wait(r *http.Request) {
	d, err := time.ParseDuration(r.URL.Query().Get("wait"))
	if err == nil {
		time.Sleep(d)
	}
}
