// Copyright The toolscope Authors
// SPDX-License-Identifier: Apache-2.0

package manager

import (
	"context"
	"errors"
	"io"
	"strings"
	"testing"
)

// After a request to another origin the SDK may report no more than the end of the connection.
func TestEndAfterARequestToAnotherOriginIsExplained(t *testing.T) {
	w := newWeb(&server{m: &Manager{}, conf: Server{URL: "http://127.0.0.1:1"}})
	defer w.close()
	c := &connection{link: w, ctx: context.Background()}
	if err := c.explain(io.EOF); errors.Is(err, errOrigin) {
		t.Errorf("before any request: got %v", err)
	}
	if _, err := w.client.Get("http://127.0.0.1:2"); !errors.Is(err, errOrigin) {
		t.Fatalf("got %v, want a refusal", err)
	}
	if err := c.explain(io.EOF); !errors.Is(err, io.EOF) || !errors.Is(err, errOrigin) {
		t.Errorf("got %v, want the end and its cause", err)
	}
	if err := c.explain(errOrigin); strings.Count(err.Error(), errOrigin.Error()) != 1 {
		t.Errorf("got %v, want the cause once", err)
	}
}
