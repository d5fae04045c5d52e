// Copyright The toolscope Authors
// SPDX-License-Identifier: Apache-2.0

package redact

import (
	b64 "encoding/base64"
	"fmt"
	neturl "net/url"
	"os"
	"path"
	"slices"
	"strings"

	"github.com/toolscope/toolscope/redact/internal/kinds"
	"github.com/toolscope/toolscope/redact/internal/scan"
)

// Options are what [New] makes a [Redactor] of. The zero value looks for every kind that is on
// by default, as [Default] does. New copies slices.
type Options struct {
	// Preset is the set of kinds that Kinds and WithoutKinds change. The zero value is
	// [Defaults].
	Preset Preset
	// Kinds are looked for as well, also after [Off], which then looks for these only. A name that
	// the function Kinds of this package does not list is an error. Nil adds none.
	Kinds []string
	// WithoutKinds are not looked for, even where Kinds names them. A name that the function Kinds
	// of this package does not list is an error. Nil removes none.
	WithoutKinds []string
	// Allow lists values that are left as they are, such as a published test card. A value is
	// compared as a whole; a '*' in it stands for any text. An empty value and one of stars alone
	// are errors. Nil allows none.
	Allow []string
	// Known lists values to remove wherever they occur, whatever they look like, also in base64
	// and percent encoding: your application's own secrets. A value under 6 bytes is an error, as
	// are more than 10000 values, all encodings counted. Nil lists none.
	Known []string
	// KnownEnv are patterns ("*_TOKEN", see [path.Match]; any case) of the names of environment
	// variables. Their values at the time of New are removed like those of Known. Values under 6
	// bytes are ignored. A malformed pattern is an error. Nil matches none.
	KnownEnv []string
	// Patterns are forms of tokens to look for besides those that Kinds lists. Nil has none.
	Patterns []Pattern
	// Names are names of members, variables, options and columns whose values are secrets, whatever
	// they look like. Case, '_', '-' and '.' do not matter. Nil adds none.
	Names []string
	// WithoutNames are names that say nothing of their values, such as a "token" that is a page's.
	// Values with a form of their own are removed all the same. Nil has none.
	WithoutNames []string
	// Rules decide about places in JSON; the first one that fits a value wins. A rule with a
	// tool's name holds for the redactor that [Redactor.ForTool] returns. Nil has none.
	Rules []Rule
	// Callback decides what to do with each thing found: [Mask] it, [Keep] it, [Drop] it without a
	// mark, or [Replace] it by the text returned. It is called on the goroutine that redacts, and
	// must be safe for concurrent use; if it panics, the whole text is removed. Nil masks.
	Callback func(Match) (Action, string)
	// HMACKey adds a tag to each mark, [REDACTED:kind:0a1b2c3d], that is the same for the same
	// value under the same key: HMAC-SHA-256, cut to 32 bits. Nil adds none. Any other key under
	// 16 bytes is an error, an empty one included.
	HMACKey []byte
	// StandIns puts example values of the same form, such as person@example.com, in the place of
	// personal data, where standards reserve such values. All else is masked. False masks
	// everything.
	StandIns bool
	// Limits bound what is examined. A zero field is its default.
	Limits Limits
}

// A Preset is a set of kinds to look for.
type Preset uint8

// The presets. The zero value is Defaults.
const (
	Defaults    Preset = iota // every kind that is on by default
	Strict                    // every kind there is, those that are off by default included
	SecretsOnly               // as Defaults, without personal data
	Off                       // none, for data known to be harmless and for measuring; rules do not apply either
)

// newSettings checks the options. An error names the field that is wrong, what it got and what
// it wants.
func newSettings(o *Options) (*settings, error) {
	s := new(settings)
	for _, set := range [...]func(*settings, *Options) error{
		(*settings).setKinds, (*settings).setAllowed, (*settings).setKnown, (*settings).setPatterns,
		(*settings).setNames, (*settings).setRules, (*settings).setKey, (*settings).setLimits,
	} {
		if err := set(s, o); err != nil {
			return nil, err
		}
	}
	if o.Callback != nil {
		s.Callback = func(path, kind, value string) (scan.Action, string) {
			a, replacement := o.Callback(Match{Path: path, Kind: kind, Value: value})
			return scan.Action(a), replacement
		}
	}
	if s.StandIns = o.StandIns; s.StandIns {
		for _, v := range scan.StandIns {
			s.allowValue(v)
		}
	}
	return s, nil
}

func (s *settings) setKinds(o *Options) error {
	for i, k := range kinds.All {
		on := k.Default
		switch o.Preset {
		case Defaults:
		case Strict:
			on = true
		case SecretsOnly:
			on = on && k.Group != kinds.GroupPersonal
		case Off:
			on = false
		default:
			return fmt.Errorf("redact: Options.Preset: got %d, want Defaults, Strict, SecretsOnly or Off", o.Preset)
		}
		if on {
			s.On.Add(kinds.ID(i))
		}
	}
	if err := eachKind("Kinds", o.Kinds, &s.On, (*kinds.Set).Add); err != nil {
		return err
	}
	return eachKind("WithoutKinds", o.WithoutKinds, &s.On, (*kinds.Set).Remove)
}

func (s *settings) setAllowed(o *Options) error {
	for _, v := range o.Allow {
		switch {
		case strings.Trim(v, "*") == "":
			return fmt.Errorf(`redact: Options.Allow: got %q, want a value`, v)
		case strings.IndexByte(v, '*') >= 0:
			s.AllowGlobs = append(s.AllowGlobs, v)
			continue
		}
		s.allowValue(v)
	}
	return nil
}

func (s *settings) allowValue(v string) {
	if s.Allow == nil {
		s.Allow = make(map[string]bool)
	}
	s.Allow[v] = true
}

// minKnown is the shortest known value that is looked for, in bytes: shorter ones would
// remove parts of words.
const minKnown = 6

// maxKnown is how many known values there may be, in all their encodings.
const maxKnown = 10000

func (s *settings) setKnown(o *Options) error {
	for i, v := range o.Known {
		if len(v) < minKnown {
			return fmt.Errorf("redact: Options.Known[%d]: got %d bytes, want %d or more", i, len(v), minKnown)
		}
		s.addKnown(v)
	}
	if len(s.Known) > maxKnown {
		return fmt.Errorf("redact: Options.Known: got %d values in all encodings, want %d or fewer", len(s.Known),
			maxKnown)
	}
	for _, p := range o.KnownEnv {
		if _, err := path.Match(p, ""); err != nil {
			return fmt.Errorf("redact: Options.KnownEnv: got %.60q, want a pattern of path.Match: %w", p, err)
		}
	}
	if len(o.KnownEnv) == 0 {
		return nil
	}
	for _, kv := range os.Environ() {
		name, value, _ := strings.Cut(kv, "=")
		if len(value) < minKnown {
			continue
		}
		if slices.ContainsFunc(o.KnownEnv, func(p string) bool {
			ok, _ := path.Match(strings.ToUpper(p), strings.ToUpper(name))
			return ok
		}) {
			s.addKnown(value)
		}
	}
	return nil
}

// addKnown adds a value and what it looks like encoded. In base64 of a longer text it
// begins at one of three places; the bytes at the ends depend on what stands beside.
func (s *settings) addKnown(v string) {
	add := func(v string) {
		if len(v) >= minKnown && !slices.Contains(s.Known, v) {
			s.Known = append(s.Known, strings.Clone(v))
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

// minKey is the shortest HMACKey, in bytes.
const minKey = 16

func (s *settings) setKey(o *Options) error {
	if o.HMACKey != nil && len(o.HMACKey) < minKey {
		return fmt.Errorf("redact: Options.HMACKey: got a key of %d bytes, want %d or more", len(o.HMACKey), minKey)
	}
	s.Key = slices.Clone(o.HMACKey)
	return nil
}
