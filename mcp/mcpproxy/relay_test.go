// Copyright The toolscope Authors
// SPDX-License-Identifier: Apache-2.0

//go:build unix

package mcpproxy

import (
	"bufio"
	"fmt"
	"io"
	"strings"
	"testing"
	"time"

	"github.com/toolscope/toolscope/middleware"
)

// Short calls in a row are read by their own goroutine. Whatever comes instead of the next one, or of its answer, passes.
func TestShortCallsAndWhatInterruptsThem(t *testing.T) {
	recovers, err := middleware.Recover()
	if err != nil {
		t.Fatal(err)
	}
	w := newWatched(t, Options{}, recovers)
	p := connectTo(t, w, func(in io.Reader, out io.WriteCloser) error {
		for lines := bufio.NewScanner(in); lines.Scan(); {
			line := lines.Text()
			_, id, _ := strings.Cut(line, `"id":`)
			id, _, _ = strings.Cut(id, ",")
			answer := fmt.Sprintf(`{"jsonrpc":"2.0","id":%s,"result":{"content":[]}}`+"\n", id)
			note := `{"jsonrpc":"2.0","method":"notifications/message","params":{"of":` + id + "}}\n"
			switch {
			case strings.Contains(line, "before"):
				answer = note + answer
			case strings.Contains(line, "behind"):
				answer += note
			case strings.Contains(line, "parts"):
				_, _ = io.WriteString(out, answer[:20])
				answer = answer[20:]
				time.Sleep(time.Millisecond) // so that the parts are read one by one
			case strings.Contains(line, "long"):
				time.Sleep(10 * time.Millisecond) // a call that is not short
			}
			_, _ = io.WriteString(out, answer)
			if strings.Contains(line, "later") {
				time.Sleep(time.Millisecond) // while nothing runs
				_, _ = io.WriteString(out, note)
			}
		}
		return nil
	})
	id := 0
	call := func(tool string) string {
		id++
		return fmt.Sprintf(`{"jsonrpc":"2.0","id":%d,"method":"tools/call","params":{"name":%q}}`+"\n", id, tool)
	}
	want := func(text string) {
		t.Helper()
		line, err := p.from.ReadString('\n')
		if err != nil || !strings.Contains(line, text) {
			t.Fatalf("got %s and %v, want %s", line, err, text)
		}
	}
	answered := func() { t.Helper(); want(fmt.Sprintf(`"id":%d,`, id)) }
	noted := func() { t.Helper(); want(fmt.Sprintf(`"of":%d}`, id)) }
	for range 5 {
		for _, kind := range []string{"before", "behind", "later", "parts", "long", "two", "ping"} {
			for range 8 {
				p.write(call("x"))
				answered()
			}
			switch kind {
			case "two":
				first := call("x")
				p.write(first + call("x"))
				answers := []string{fmt.Sprintf(`"id":%d,`, id-1), fmt.Sprintf(`"id":%d,`, id)}
				for range 2 { // in any order
					line, err := p.from.ReadString('\n')
					if err != nil || !strings.Contains(line, answers[0]) && !strings.Contains(line, answers[1]) {
						t.Fatalf("got %s and %v, want one of %q", line, err, answers)
					}
				}
			case "ping":
				id++
				p.write(fmt.Sprintf(`{"jsonrpc":"2.0","id":%d,"method":"ping"}`+"\n", id))
				answered()
			case "before":
				p.write(call(kind))
				noted()
				answered()
			case "behind", "later":
				p.write(call(kind))
				one, err := p.from.ReadString('\n') // policies may hold the answer a little longer than what is behind it
				two, failed := p.from.ReadString('\n')
				if both := one + two; err != nil || failed != nil || !strings.Contains(both, fmt.Sprintf(`"id":%d,`, id)) ||
					!strings.Contains(both, fmt.Sprintf(`"of":%d}`, id)) {
					t.Fatalf("got %s, %v, %v", both, err, failed)
				}
			default:
				p.write(call(kind))
				answered()
			}
		}
	}
	p.end()
}
