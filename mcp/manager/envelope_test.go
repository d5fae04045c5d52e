// Copyright The toolscope Authors
// SPDX-License-Identifier: Apache-2.0

package manager

import (
	"bytes"
	"encoding/json"
	"io"
	"strings"
	"testing"
	"testing/iotest"
)

func TestEnvelope(t *testing.T) {
	for _, c := range []struct{ text, id string }{
		{`{"jsonrpc":"2.0","id":5,"result":{}}`, "5"},
		{`{"result":{"id":7,"method":"x","a":["id",{"id":8}]},"jsonrpc":"2.0", "id" : "a\"},b" }`, `"a\"},b"`},
		{`{"result":"\"id\":9,","id":-3}`, "-3"},
		{`{"id":5,"method":"tools/list"}`, ""},
		{`{"method":"x","params":{"id":5}}`, ""},
		{`{"result":"id"}`, ""},
		{`[{"id":5}]`, ""},
		{`{"id":`, ""},
		{`{"id":"` + strings.Repeat("x", 1000) + `"}`, ""},
		{``, ""},
	} {
		for _, pieces := range []int{1, 3, len(c.text) + 1} {
			var e envelope
			for rest := c.text; rest != ""; {
				n := min(pieces, len(rest))
				e.feed([]byte(rest[:n]))
				rest = rest[n:]
			}
			got := e.instead(10)
			if c.id == "" {
				if got != nil {
					t.Errorf("%s: got %s, want nothing", c.text, got)
				}
				continue
			}
			var m struct {
				ID    json.RawMessage
				Error struct{ Code int }
			}
			if err := json.Unmarshal(got, &m); err != nil || string(m.ID) != c.id || m.Error.Code != codeTooLarge {
				t.Errorf("%s: got %s (%v), want the id %s", c.text, got, err, c.id)
			}
		}
	}
}

func TestStream(t *testing.T) {
	large := strings.Repeat("x", 200<<10)
	const limit = 128 << 10
	for _, c := range []struct{ name, in, want string }{
		{"as it is", ": hello\n\nevent: message\r\ndata: {}\r\n\r\nid: 4\ndata: a\ndata: b\n\n",
			": hello\n\nevent: message\r\ndata: {}\r\n\r\nid: 4\ndata: a\ndata: b\n\n"},
		{"without an end", "data: {}\n\ndata: {", "data: {}\n\ndata: {"},
		{"an answer", "data: 1\n\nid: 9\ndata: {\"result\":\"" + large + "\",\"id\":5}\n\ndata: 2\n\n",
			"data: 1\n\ndata: " + `{"jsonrpc":"2.0","id":5,"error":`},
		{"an answer in lines", "data: {\"id\":5,\ndata: \"result\":\"" + large + "\"\ndata: }\n\ndata: 2\n\n",
			"data: " + `{"jsonrpc":"2.0","id":5,"error":`},
		{"a notification", "data: 1\n\ndata: {\"method\":\"" + large + "\",\"id\":5}\n\ndata: 2\n\n", "data: 1\n\ndata: 2\n\n"},
		{"a comment", ":" + large + "\n\ndata: 2\n\n", "data: 2\n\n"},
	} {
		t.Run(c.name, func(t *testing.T) {
			for _, from := range []io.Reader{strings.NewReader(c.in), iotest.OneByteReader(strings.NewReader(c.in))} {
				got, err := io.ReadAll(newStream(from, limit))
				if err != nil || !strings.HasPrefix(string(got), c.want) || len(got) > len(c.want)+300 {
					t.Errorf("got %.300q, %v, want %q", got, err, c.want)
				}
				if strings.HasSuffix(c.in, "2\n\n") && !strings.HasSuffix(string(got), "data: 2\n\n") {
					t.Errorf("got %.300q, want the event after it", got)
				}
			}
		})
	}
}

// What is within the limit passes as it is, and no event is larger, whatever comes.
func FuzzStream(f *testing.F) {
	f.Add([]byte("data: {}\n\n: x\n\n"), 10)
	f.Add([]byte("data: {\"id\":5,\ndata: \"result\":1}\n\n"), 3)
	f.Fuzz(func(t *testing.T, in []byte, limit int) {
		limit = max(1, min(limit, 1<<20))
		got, err := io.ReadAll(newStream(bytes.NewReader(in), limit))
		if err != nil {
			t.Fatal(err)
		}
		if len(in) <= limit && !bytes.Equal(got, in) {
			t.Errorf("got %q, want %q", got, in)
		}
		if len(got) > len(in)+300 {
			t.Errorf("got %d bytes of %d", len(got), len(in))
		}
	})
}

func TestMessagesPassOverWhatIsNone(t *testing.T) {
	for line, want := range map[string]int{
		`{"jsonrpc":"2.0","id":1,"result":{}}`: 1, `[{"jsonrpc":"2.0","id":1,"result":{}},{"jsonrpc":"2.0","method":"x"},5]`: 2,
		"": 0, "   ": 0, "hello": 0, "{}": 0, "[]": 0, "null": 0, `{"jsonrpc":"2.0","id":{},"result":1}`: 0,
		strings.Repeat("[", 100_000): 0, `{"jsonrpc":"2.0","id":1,"result":` + strings.Repeat("[", 5000): 0,
	} {
		if got := len(messages([]byte(line))); got != want {
			t.Errorf("%.60s: got %d messages, want %d", line, got, want)
		}
	}
}
