// Copyright The toolscope Authors
// SPDX-License-Identifier: Apache-2.0

package redact

import (
	b64 "encoding/base64"
	"errors"
	"fmt"
	neturl "net/url"
	"os"
	"path"
	"slices"
	"strings"
)

// An Option sets something of a [Redactor]; see [New].
type Option func(*options) error

// options is what options set.
type options struct {
	off      bool
	on       kindSet
	allow    map[string]bool
	known    []string
	rules    []compiledRule
	callback func(Match) (Action, string)
	key      []byte
	standIns bool
	limits   Limits
}

// preset turns exactly the kinds on that want says.
func (o *options) preset(want func(Kind) bool) {
	o.off, o.on = false, kindSet{}
	for i, k := range kinds {
		if want(k) {
			o.on.add(kindID(i))
		}
	}
}

// Defaults looks for every kind that is on by default. It is what New without a preset
// does; as an option it undoes presets and kinds given before.
func Defaults() Option {
	return func(o *options) error {
		o.preset(func(k Kind) bool { return k.Default })
		return nil
	}
}

// Strict looks for every kind there is, those that are off by default included.
func Strict() Option {
	return func(o *options) error {
		o.preset(func(Kind) bool { return true })
		return nil
	}
}

// SecretsOnly leaves personal data alone.
func SecretsOnly() Option {
	return func(o *options) error {
		o.preset(func(k Kind) bool { return k.Default && k.Group != groupPersonal })
		return nil
	}
}

// Off removes nothing: for data known to be harmless, and for measuring.
func Off() Option {
	return func(o *options) error {
		o.preset(func(Kind) bool { return false })
		o.off = true
		return nil
	}
}

// WithKinds looks for these kinds too. One that [Kinds] does not list is an error.
func WithKinds(names ...string) Option {
	return func(o *options) error {
		return eachKind("WithKinds", names, func(id kindID) { o.off = false; o.on.add(id) })
	}
}

// WithoutKinds leaves these kinds alone. One that [Kinds] does not list is an error.
func WithoutKinds(names ...string) Option {
	return func(o *options) error { return eachKind("WithoutKinds", names, func(id kindID) { o.on.remove(id) }) }
}

func eachKind(option string, names []string, do func(kindID)) error {
	for _, name := range names {
		id, ok := allKinds()[name]
		if !ok {
			return fmt.Errorf("redact: %s: got %.60q, want a kind that redact.Kinds lists", option, name)
		}
		do(id)
	}
	return nil
}

// WithAllow leaves exactly these values alone, such as a published test card. The
// default allows none.
func WithAllow(values ...string) Option {
	return func(o *options) error {
		for _, v := range values {
			if v == "" {
				return errors.New(`redact: WithAllow: got "", want a value`)
			}
			o.allowValue(v)
		}
		return nil
	}
}

func (o *options) allowValue(v string) {
	if o.allow == nil {
		o.allow = make(map[string]bool)
	}
	o.allow[v] = true
}

// minKnown is the shortest known value that is looked for, in bytes: shorter ones would
// remove parts of words.
const minKnown = 6

// maxKnown is how many known values there may be, in all their encodings.
const maxKnown = 10000

// WithKnown removes these values wherever they occur, whatever they look like, also in
// base64 and percent encoding: the host's own secrets. A value under 6 bytes is an
// error. The default knows none.
func WithKnown(values ...string) Option {
	return func(o *options) error {
		for i, v := range values {
			if len(v) < minKnown {
				return fmt.Errorf("redact: WithKnown: value %d: got %d bytes, want %d or more", i, len(v), minKnown)
			}
			o.addKnown(v)
		}
		if len(o.known) > maxKnown {
			return fmt.Errorf("redact: WithKnown: got %d values in all encodings, want %d or fewer", len(o.known), maxKnown)
		}
		return nil
	}
}

// WithKnownEnv removes the values of the environment variables whose names match one of
// the patterns ("*_TOKEN", see [path.Match]; any case), as they are now. Values under 6
// bytes are passed over.
func WithKnownEnv(patterns ...string) Option {
	return func(o *options) error {
		for _, p := range patterns {
			if _, err := path.Match(p, ""); err != nil {
				return fmt.Errorf("redact: WithKnownEnv: got %.60q, want a pattern of path.Match: %w", p, err)
			}
		}
		for _, kv := range os.Environ() {
			name, value, _ := strings.Cut(kv, "=")
			if len(value) < minKnown {
				continue
			}
			if slices.ContainsFunc(patterns, func(p string) bool {
				ok, _ := path.Match(strings.ToUpper(p), strings.ToUpper(name))
				return ok
			}) {
				o.addKnown(value)
			}
		}
		return nil
	}
}

// addKnown adds a value and what it looks like encoded. In base64 of a longer text it
// begins at one of three places; the bytes at the ends depend on what stands beside.
func (o *options) addKnown(v string) {
	add := func(v string) {
		if len(v) >= minKnown && !slices.Contains(o.known, v) {
			o.known = append(o.known, strings.Clone(v))
		}
	}
	add(v)
	add(neturl.QueryEscape(v))
	add(neturl.PathEscape(v))
	if len(v) < 8 {
		return
	}
	for shift := range 3 {
		encoded := b64.RawStdEncoding.EncodeToString([]byte(strings.Repeat("\x00", shift) + v))
		from, to := (shift*8+5)/6, (shift+len(v))*8/6
		add(encoded[from:to])
		add(b64.RawURLEncoding.EncodeToString([]byte(strings.Repeat("\x00", shift) + v))[from:to])
	}
}

// A Match is something found, as a callback sees it. Its value has not left: it must
// not be kept or written anywhere.
type Match struct {
	Path  string // JSON Pointer; "" in text
	Kind  string // as [Kinds] lists it
	Value string
}

// WithCallback asks a function what to do with each thing found: [Mask] it, [Keep] it,
// [Drop] it without a mark, or [Replace] it by the text returned. It is called on the
// goroutine that redacts, and must be safe for concurrent use; if it panics, the whole
// text is removed. The default, and nil, masks.
func WithCallback(decide func(Match) (Action, string)) Option {
	return func(o *options) error { o.callback = decide; return nil }
}

// minKey is the shortest key of [WithHMAC], in bytes.
const minKey = 16

// WithHMAC adds a tag to each mark, [REDACTED:kind:0a1b2c3d], that is the same for the
// same value under the same key: HMAC-SHA-256, cut to 32 bits. The default adds none. A
// key under 16 bytes is an error.
func WithHMAC(key []byte) Option {
	return func(o *options) error {
		if len(key) < minKey {
			return fmt.Errorf("redact: WithHMAC: got a key of %d bytes, want %d or more", len(key), minKey)
		}
		o.key = slices.Clone(key)
		return nil
	}
}

// WithStandIns puts values of the same form that belong to nobody in the place of
// personal data, where there are such: person@example.com. All else is masked. The
// default masks everything.
func WithStandIns() Option {
	return func(o *options) error {
		o.standIns = true
		for _, v := range standIns {
			o.allowValue(v)
		}
		return nil
	}
}

// standIns are values that standards and issuers reserve for examples.
var standIns = map[string]string{
	"email":        "person@example.com",
	"phone-number": "+1-202-555-0100",
	"payment-card": "4111111111111111",
	"us-ssn":       "219-09-9999",
	"iban":         "GB82WEST12345698765432",
	"ipv4":         "192.0.2.1",
	"ipv6":         "2001:db8::1",
	"mac-address":  "00-00-5E-00-53-00",
}

func standIn(kind kindID, _ string) string { return standIns[kinds[kind].Name] }

// finish compiles what the options say.
func (r *Redactor) finish() {
	if r.off {
		return
	}
	r.machine = machineFor(&r.on, r.known)
	r.tools = newToolViews(r.rules)
}
