// Copyright The toolscope Authors
// SPDX-License-Identifier: Apache-2.0

package validate

import (
	"bytes"
	"reflect"
	"strings"
	"testing"

	"github.com/go-json-experiment/json/jsontext"
	"github.com/santhosh-tekuri/jsonschema/v6"
)

var decodeSeeds = []string{
	"{}", " { } ", "[]", "null", "true", `"a\u00e4\n\ud83d\ude00"`, "12345678901234567890.1e-7", "-0",
	`{"a":{"b":[1,2.50,{"c":null}],"":false},"b":[[],{}]}`,
	`{"a":1,"a":2}`, "{", "[1,", `{"a"}`, `{"a":}`, "{]", "[}", "1 2", "{} x", "\xff", `"\xff"`, `"\ud800"`, "nul", "01",
	`{"a":1,}`, "", " ", strings.Repeat("[", 20_000),
}

// agrees tells whether a text is read as the schema's own library reads it, where everybody
// reads it alike, and else refused with a reason.
func agrees(t *testing.T, text []byte) {
	got, err := decode(text)
	if !jsontext.Value(text).IsValid() {
		if err == nil || got != nil {
			t.Errorf("%.60q: got %v and no error, want one", text, got)
		}
		return
	}
	want, wantErr := jsonschema.UnmarshalJSON(bytes.NewReader(text))
	if err != nil || wantErr != nil || !reflect.DeepEqual(got, want) {
		t.Errorf("%.60q: got %#v and %v, want %#v and %v", text, got, err, want, wantErr)
	}
}

func TestDecode(t *testing.T) {
	for _, text := range decodeSeeds {
		agrees(t, []byte(text))
	}
}

// FuzzDecode: as TestDecode, for any text, which is not written to.
func FuzzDecode(f *testing.F) {
	for _, text := range decodeSeeds {
		f.Add([]byte(text))
	}
	f.Fuzz(func(t *testing.T, text []byte) {
		before := bytes.Clone(text)
		agrees(t, text)
		if !bytes.Equal(text, before) {
			t.Errorf("%.60q was written to", before)
		}
	})
}
