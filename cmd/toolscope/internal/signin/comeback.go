// Copyright The toolscope Authors
// SPDX-License-Identifier: Apache-2.0

package signin

import (
	"context"
	"crypto/subtle"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/url"
	"os"
	"os/exec"
	"runtime"
	"strings"
	"time"

	"github.com/modelcontextprotocol/go-sdk/auth"
)

// maxHead is how long a request of the browser may be, in bytes.
const maxHead = 64 << 10

// A comeBack is the loopback address that the authorization server sends the person's browser to.
type comeBack struct {
	url    string
	server *http.Server
	come   chan url.Values
}

func newReturn(l net.Listener) *comeBack {
	b := &comeBack{url: "http://" + l.Addr().String() + "/callback", come: make(chan url.Values)}
	b.server = &http.Server{Handler: http.HandlerFunc(b.serve), ReadHeaderTimeout: dialTime, MaxHeaderBytes: maxHead}
	go func() { _ = b.server.Serve(l) }()
	return b
}

// serve takes what the browser brings. A request that wait does not expect changes nothing.
func (b *comeBack) serve(w http.ResponseWriter, r *http.Request) {
	w.Header().Set("Content-Type", "text/plain; charset=utf-8")
	w.Header().Set("Cache-Control", "no-store")
	w.Header().Set("Referrer-Policy", "no-referrer")
	if r.Method != http.MethodGet || r.URL.Path != "/callback" || "http://"+r.Host+"/callback" != b.url {
		http.Error(w, "not found", http.StatusNotFound)
		return
	}
	select {
	case b.come <- r.URL.Query():
		_, _ = io.WriteString(w, "toolscope has the answer of the authorization server. You can close this page.\n")
	case <-r.Context().Done():
	case <-time.After(requestTime):
	}
}

// wait waits for an answer with the state that was sent.
func (b *comeBack) wait(ctx context.Context, state string) (*auth.AuthorizationResult, error) {
	for {
		select {
		case <-ctx.Done():
			return nil, errors.New("no person signed in within the time limit")
		case q := <-b.come:
			if subtle.ConstantTimeCompare([]byte(q.Get("state")), []byte(state)) != 1 {
				continue // another page's
			}
			if code := q.Get("error"); code != "" {
				return nil, fmt.Errorf(
					"the authorization server answered %s",
					clean(strings.TrimSpace(code+" "+q.Get("error_description"))),
				)
			}
			return &auth.AuthorizationResult{Code: q.Get("code"), State: q.Get("state"), Iss: q.Get("iss")}, nil
		}
	}
}

// close ends the server once its answer is out.
func (b *comeBack) close() {
	ctx, cancel := context.WithTimeout(context.Background(), time.Second)
	defer cancel()
	_ = errors.Join(b.server.Shutdown(ctx), b.server.Close())
}

// Browser opens a page in the user's browser: in $BROWSER, or in the one of the system.
func Browser(page string) error {
	var cmd *exec.Cmd
	switch own := os.Getenv("BROWSER"); {
	case own != "":
		cmd = exec.Command(own, page)
	case runtime.GOOS == "windows":
		cmd = exec.Command("rundll32", "url.dll,FileProtocolHandler", page)
	case runtime.GOOS == "darwin":
		cmd = exec.Command("open", page)
	default:
		cmd = exec.Command("xdg-open", page)
	}
	if err := cmd.Start(); err != nil {
		return err
	}
	go func() { _ = cmd.Wait() }()
	return nil
}
