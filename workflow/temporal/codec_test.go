// Copyright The toolscope Authors
// SPDX-License-Identifier: Apache-2.0

package temporal

import (
	"bytes"
	"crypto/rand"
	"encoding/base64"
	"errors"
	"os"
	"path/filepath"
	"testing"

	commonpb "go.temporal.io/api/common/v1"
	"go.temporal.io/sdk/client"
	"go.temporal.io/sdk/converter"
	sdk "go.temporal.io/sdk/temporal"
	"google.golang.org/protobuf/proto"
)

// newKeyText is a new key as it is in a file.
func newKeyText() string {
	secret := make([]byte, keySize)
	_, _ = rand.Read(secret) // never fails
	return base64.StdEncoding.EncodeToString(secret)
}

func TestKeys(t *testing.T) {
	one, two := newKeyText(), newKeyText()
	for text, want := range map[string]string{
		one: "", one + "\n": "", one + "\n" + two + "\n": "", one + "," + two: "",
		"": "got 0 keys", one + "," + two + "," + newKeyText(): "got 3 keys", one + "," + one: "the same key twice",
		one[:40]: "key 1: got something else than 32 bytes", one + ",secret": "key 2: got something else than 32 bytes",
	} {
		_, err := parseKeys(text)
		if (err == nil) != (want == "") || err != nil && !contains(err, want) {
			t.Errorf("%d bytes: got %v, want %q", len(text), err, want)
		}
		if err != nil && (contains(err, one[:20]) || contains(err, "secret")) {
			t.Errorf("the error contains the key: %v", err)
		}
	}
	file := filepath.Join(t.TempDir(), "keys")
	if err := os.WriteFile(file, []byte(one), 0o600); err != nil {
		t.Fatal(err)
	}
	t.Setenv("TOOLSCOPE_TEST_KEYS", one)
	for name, c := range map[string]struct{ file, variable, want string }{
		"file": {file, "", ""}, "variable": {"", "TOOLSCOPE_TEST_KEYS", ""}, "none": {"", "", "always encrypted"},
		"both": {file, "TOOLSCOPE_TEST_KEYS", "exactly one"}, "no file": {file + "x", "", "KeyFile"},
		"no variable": {"", "TOOLSCOPE_TEST_NO_KEYS", "is not set"},
	} {
		if _, err := readKeys(c.file, c.variable); (err == nil) != (c.want == "") || err != nil && !contains(err, c.want) {
			t.Errorf("%s: got %v, want %q", name, err, c.want)
		}
	}
}

// Dial needs keys, and sets the converters: there is no way to a client without encryption.
func TestDialNeedsKeys(t *testing.T) {
	if _, err := Dial(t.Context(), DialOptions{}); err == nil || !contains(err, "KeyFile, KeyVariable") {
		t.Errorf("got %v", err)
	}
	o := DialOptions{Options: client.Options{DataConverter: converter.GetDefaultDataConverter()}, KeyFile: "x"}
	if _, err := Dial(t.Context(), o); err == nil || !contains(err, "want nil") {
		t.Errorf("got %v", err)
	}
	b := newBench(t, nil, nil)
	for _, c := range []*Client{nil, {}} {
		if _, err := New(Options{Client: c, Set: b.set}); err == nil || !contains(err, "want a client of Dial") {
			t.Errorf("got %v", err)
		}
	}
	if _, err := New(Options{Client: &Client{secured: true}}); err == nil || !contains(err, "Options.Set") {
		t.Errorf("got %v", err)
	}
}

func TestPayloadsAreEncrypted(t *testing.T) {
	secret := newKeyText()
	old, next := testKeys(t), testKeys(t)
	c := newConverter(old)
	p, err := c.ToPayload(map[string]string{"token": secret})
	if err != nil {
		t.Fatal(err)
	}
	raw, err := proto.Marshal(p)
	if err != nil || bytes.Contains(raw, []byte(secret)) || bytes.Contains(raw, []byte("token")) || bytes.Contains(raw, []byte("json")) {
		t.Errorf("got %q, %v", raw, err)
	}
	again, err := c.ToPayload(map[string]string{"token": secret})
	if err != nil || bytes.Equal(again.Data, p.Data) {
		t.Error("the same value was encrypted to the same bytes")
	}
	read := func(c converter.DataConverter, p *commonpb.Payload) error {
		var v map[string]string
		err := c.FromPayload(p, &v)
		if err == nil && v["token"] != secret {
			t.Errorf("got %v", v)
		}
		return err
	}
	rotating, done := newConverter([]key{next[0], old[0]}), newConverter(next)
	fresh, err := rotating.ToPayload(map[string]string{"token": secret})
	if err != nil {
		t.Fatal(err)
	}
	for name, err := range map[string]error{
		"own": read(c, p), "old, rotating": read(rotating, p), "new, rotating": read(rotating, fresh), "new, done": read(done, fresh),
	} {
		if err != nil {
			t.Errorf("%s: got %v", name, err)
		}
	}
	plain, err := converter.GetDefaultDataConverter().ToPayload(map[string]string{"token": secret})
	if err != nil {
		t.Fatal(err)
	}
	altered := proto.Clone(p).(*commonpb.Payload)
	altered.Data[len(altered.Data)/2] ^= 1
	short := proto.Clone(p).(*commonpb.Payload)
	short.Data = short.Data[:5]
	for name, err := range map[string]error{
		"plain": read(c, plain), "altered": read(c, altered), "cut": read(c, short), "empty": read(c, &commonpb.Payload{}),
		"unknown key": read(done, p),
	} {
		if err == nil {
			t.Errorf("%s: got no error", name)
		}
	}
	if !errors.Is(read(c, plain), errPlain) || !errors.Is(read(c, altered), errAltered) {
		t.Errorf("got %v and %v", read(c, plain), read(c, altered))
	}
}

// A run whose input a worker cannot read does not fail: a worker that has the key may take it.
func TestAWorkerWithoutTheKeyDoesNotFailARun(t *testing.T) {
	b := newBench(t, patterns(), nil)
	job, err := b.Engine.set.NewJob(t.Context(), "chain", []byte(`{"n": 1}`))
	if err != nil {
		t.Fatal(err)
	}
	in, err := inputOf(t.Context(), job, runID)
	if err != nil {
		t.Fatal(err)
	}
	p, err := newConverter(testKeys(t)).ToPayload(in)
	if err != nil {
		t.Fatal(err)
	}
	env := b.environment(t)
	payload, err := (codec{testKeys(t)}).Decode([]*commonpb.Payload{p})
	if err != nil {
		t.Fatal(err)
	}
	env.ExecuteWorkflow(workflowName, converter.NewRawValue(payload[0]))
	// The environment ends a run whose code panics; a worker blocks its task, and the server tries it again.
	panicked := (*sdk.PanicError)(nil)
	if err := env.GetWorkflowError(); !errors.As(err, &panicked) || !contains(err, "the input of the run") || len(b.calls) != 0 {
		t.Errorf("got %v", err)
	}
}
