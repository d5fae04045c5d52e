// Copyright The toolscope Authors
// SPDX-License-Identifier: Apache-2.0

package wire

import (
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"
)

// texts are messages, some of which no reader or not every reader takes for one.
var texts = []string{
	`{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"x","arguments":{"a":[1,{"b":null}]}}}`,
	`{"id":"a\u0041","method":"tools\/call","params":{"name":"\ud83d\ude00","_meta":{"progressToken":1},"arguments":null}}`,
	`{"method":null,"id":null,"params":{"name":null,"requestState":null,"_meta":null,"task":{"ttl":1},"uri":"u"}}`,
	`{"params":{"name":7},"method":"tools/call","id":1.5}`, `{"params":{"cursor":1},"method":"m"}`,
	`{"id":1,"result":{"isError":true,"resultType":"input_required","inputRequests":{"a":{}},"requestState":"s","task":{}}}`,
	`{"id":1,"result":{"isError":null,"content":[]},"error":null}`, `{"id":1,"result":{"isError":"true"}}`,
	`{"id":1,"error":{"code":-32600,"message":"no"}}`, `{"error":{"code":"x"}}`, `{"error":{"code":1.5}}`, `{"error":[]}`,
	`{"id":1,"id":2,"method":"a","method":"b","error":{"code":1},"error":{"message":"m"}}`, `{"method":{}}`,
	` { "method" : "a" } `, `{"method":"a"} {}`, `{"method":"a"}x`, `{"method":"a"`, `{"method":"a",}`, `{"method"}`,
	`{"m\u0065thod":"a","Method":"b","\u0000method":"c"}`, `null`, ` null`, `5`, `"a"`, `[]`, `[{}]`, ``, ` `, `{}`, `nullx`,
	"{\"method\":\"\xff\",\"\xffid\":1}", `{"method":"\ud800"}`, `{"params":"p","method":"m"}`, `{"result":7}`, "\xef\xbb\xbf{}",
}

// What is read member by member is what the library reads into the same structs, also of texts that were damaged.
func TestReadsAsTheLibrary(t *testing.T) {
	random := rand.New(rand.NewPCG(26, 1))
	for _, text := range texts {
		compareReaders(t, text)
		for range 200 {
			damaged := []byte(text + " ")
			for range 1 + random.IntN(2) {
				i := random.IntN(len(damaged))
				damaged[i] = "{}[]:,\"\\ntf0-e. \xffx"[random.IntN(18)]
			}
			compareReaders(t, string(damaged))
		}
	}
}

func compareReaders(t *testing.T, text string) {
	t.Helper()
	for name, options := range map[string][]jsontext.Options{"strict": nil, "lenient": {Lenient}} {
		var want, got Message
		wanted, err := json.Unmarshal([]byte(text), &want, options...), got.read([]byte(text), nil, options...)
		compareRead(t, name+" message", text, got, want, err, wanted)
		if wanted != nil || err != nil {
			continue
		}
		if want.Params.Kind() == '{' {
			var p, q Params
			wanted, err := Unmarshal(want.Params, &q), p.read(got.Params, func([]byte) {})
			compareRead(t, name+" parameters", text, p, q, err, wanted)
		}
		if want.Result.Kind() == '{' {
			var a, b Answer
			wanted, err := Unmarshal(want.Result, &b), a.read(got.Result)
			compareRead(t, name+" answer", text, a, b, err, wanted)
		}
	}
}

func compareRead[V any](t *testing.T, what, text string, got, want V, err, wanted error) {
	t.Helper()
	null := strings.TrimSpace(text) == "null" // which the library reads as nothing, and this as no object
	if (err == nil) != (wanted == nil) && !null {
		t.Errorf("%s of %q: got %v, want %v", what, text, err, wanted)
	}
	if got, want := fmt.Sprintf("%+v", got), fmt.Sprintf("%+v", want); wanted == nil && !null && got != want {
		t.Errorf("%s of %q: got %s, want %s", what, text, got, want)
	}
}
