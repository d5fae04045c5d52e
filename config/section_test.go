// Copyright The toolscope Authors
// SPDX-License-Identifier: Apache-2.0

package config_test

import (
	"bytes"
	"context"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/toolscope/toolscope"
	"github.com/toolscope/toolscope/config"
	"github.com/toolscope/toolscope/middleware"
	"github.com/toolscope/toolscope/toolkit"
	"github.com/toolscope/toolscope/toolkit/tooltest"
)

// shared are the settings of a section that a package beside this one may define.
type shared struct {
	Address string        `yaml:"address" doc:"Where the store is."`
	Mode    string        `yaml:"mode" doc:"How it is used." allowed:"read,write"`
	Wait    time.Duration `yaml:"wait" doc:"For an answer."`
}

// section is one whose part refuses every call and counts.
func section(closed *int) config.Section {
	return config.NewSection("shared", func(s shared) (config.Part, error) {
		if s.Address == "" {
			return config.Part{}, errors.New("address: got nothing, want host:port")
		}
		refuse := middleware.At(middleware.StagePermit, func(toolkit.Handler) toolkit.Handler {
			return func(context.Context, toolkit.Call) (toolkit.Result, error) {
				return toolkit.Result{}, &toolkit.Error{Kind: toolkit.ErrPermissionDenied, Message: s.Address}
			}
		})
		return config.Part{Policies: []middleware.Policy{refuse}, Close: func() error { *closed++; return nil }}, nil
	})
}

func TestARegisteredSectionGoverns(t *testing.T) {
	path := filepath.Join(t.TempDir(), "toolscope.yaml")
	write := func(text string) {
		t.Helper()
		if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	write("shared: {address: 'h:1', mode: read, wait: 2s}\npolicies: {timeout: {}}\n")
	closed := 0
	file, err := config.Open(path, section(&closed))
	if err != nil {
		t.Fatal(err)
	}
	scope, err := toolscope.New(file.Options(toolscope.Options{}))
	if err != nil {
		t.Fatal(err)
	}
	registry := new(toolkit.Registry)
	if err := registry.Register(tooltest.Echo(toolkit.Definition{Name: "echo"})); err != nil {
		t.Fatal(err)
	}
	handle := scope.WrapRegistry(registry)
	refused := func() {
		t.Helper()
		if _, err := handle(t.Context(), toolkit.Call{Name: "echo"}); !errors.Is(err, toolkit.ErrPermissionDenied) {
			t.Errorf("got %v, want a call that the section's policy refuses", err)
		}
	}
	refused()

	write("shared: {address: 'h:2'}\npolicies: {timeout: {}}\n")
	if notes, err := file.Reload(scope); err != nil || len(notes) != 1 ||
		!strings.Contains(notes[0], "shared: a change holds after a restart") {
		t.Errorf("got notes %q and error %v, want a note that the section changed", notes, err)
	}
	refused()
	write("policies: {timeout: {}}\n")
	if _, err := file.Reload(scope); err == nil ||
		!strings.Contains(err.Error(), "shared: got nothing, want the section as before") {
		t.Errorf("got %v, want an error of the section that is gone", err)
	}
	refused()
	if err := errors.Join(scope.Shutdown(t.Context()), file.Close()); err != nil || closed != 1 {
		t.Errorf("got %v and %d parts closed, want one", err, closed)
	}
}

func TestSectionsAreCheckedAsTheRest(t *testing.T) {
	closed := 0
	for _, tt := range []struct{ text, want string }{
		{"shared: {adress: 'h:1'}", "f.yaml:1: shared.adress: got an unknown field (did you mean \"address\"?), want " +
			"one of address, mode, wait"},
		{"a: {}\nshared: {address: 'h:1', mode: other}", "f.yaml:2: shared.mode: got \"other\", want read or write"},
		{"shared:", "f.yaml:1: shared: got nothing, want a mapping"},
		{"shared: {wait: 2}", "shared.wait: got \"2\", want a time with its unit"},
		{"shared: {address: 'h:1'}\nshared: {address: 'h:1'}", "shared"},
		{"shared: {}", "f.yaml:1: shared: address: got nothing, want host:port"},
		{"other: {}", "f.yaml:1: other: got a section that this program does not register, want one of"},
	} {
		_, err := config.OpenText("f.yaml", []byte(tt.text), section(&closed))
		if err == nil || !strings.Contains(err.Error(), tt.want) {
			t.Errorf("%q: got %v, want %q", tt.text, err, tt.want)
		}
	}
	if _, err := config.OpenText("f.yaml", []byte("shared: {address: 'h:1'}")); err == nil ||
		!strings.Contains(err.Error(), "does not register") {
		t.Errorf("got %v, want an error of a section that is not registered", err)
	}
	if !bytes.Contains(config.Schema(section(&closed)), []byte(`"Where the store is."`)) {
		t.Error("got a schema without the section")
	}
}

func TestSectionsHaveNamesOfTheirOwn(t *testing.T) {
	closed := 0
	nothing := func(struct{}) (config.Part, error) { return config.Part{}, nil }
	for name, sections := range map[string][]config.Section{
		"the zero value": {{}},
		"a field":        {config.NewSection("policies", nothing)},
		"twice":          {section(&closed), section(&closed)},
		"no name":        {config.NewSection("", nothing)},
		"no struct":      {config.NewSection("x", func(int) (config.Part, error) { return config.Part{}, nil })},
		"no function":    {config.NewSection[shared]("x", nil)},
		"a long name":    {config.NewSection(strings.Repeat("x", 65), nothing)},
		"a newline":      {config.NewSection("a\nb", nothing)},
		"no tag":         {config.NewSection("x", func(struct{ A string }) (config.Part, error) { return config.Part{}, nil })},
		"a tag twice": {config.NewSection("x", func(struct {
			A string `yaml:"a"`
			B string `yaml:"a"`
		}) (config.Part, error) {
			return config.Part{}, nil
		})},
		"another kind": {config.NewSection("x", func(struct {
			A any `yaml:"a"`
		}) (config.Part, error) {
			return config.Part{}, nil
		})},
		"an embedded pointer": {config.NewSection("x", func(struct{ *shared }) (config.Part, error) { return config.Part{}, nil })},
		"a type in itself":    {config.NewSection("x", func(endless) (config.Part, error) { return config.Part{}, nil })},
	} {
		if _, err := config.OpenText("f.yaml", []byte("{}"), sections...); err == nil {
			t.Errorf("%s: got no error, want one", name)
		}
	}
}

// endless holds itself.
type endless struct {
	Next *endless `yaml:"next"`
}

// closing is a policy that counts how often it is closed.
type closing struct {
	middleware.Policy
	closed *int
}

func (c closing) Close() error { *c.closed++; return nil }

func TestASectionThatFailsLeavesNothingOpen(t *testing.T) {
	for name, second := range map[string]func(struct{}) (config.Part, error){
		"error": func(struct{}) (config.Part, error) { return config.Part{}, errors.New("no") },
		"panic": func(struct{}) (config.Part, error) { panic("no") },
	} {
		parts, policies := 0, 0
		first := config.NewSection("first", func(struct{}) (config.Part, error) {
			return config.Part{
				Policies: []middleware.Policy{closing{
					middleware.At(middleware.StagePermit, func(next toolkit.Handler) toolkit.Handler { return next }), &policies}},
				Close: func() error { parts++; panic("no") },
			}, nil
		})
		_, err := config.OpenText("f.yaml", []byte("first: {}\nsecond: {}"), first, config.NewSection("second", second))
		if err == nil || !strings.Contains(err.Error(), "f.yaml:2: second: ") || parts != 1 || policies != 1 {
			t.Errorf("%s: got error %v, %d parts and %d policies closed, want an error of the second section and one of each",
				name, err, parts, policies)
		}
	}
}

func TestASectionThatReadsTheSameHasNotChanged(t *testing.T) {
	path := filepath.Join(t.TempDir(), "toolscope.yaml")
	text := "# a comment\nshared:\n  address: \"h:1\" # another\n"
	if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	closed := 0
	file, err := config.OpenText(path, []byte("shared: {address: 'h:1'}\n"), section(&closed))
	if err != nil {
		t.Fatal(err)
	}
	scope, err := toolscope.New(file.Options(toolscope.Options{}))
	if err != nil {
		t.Fatal(err)
	}
	if notes, err := file.Reload(scope); err != nil || len(notes) > 0 {
		t.Errorf("got notes %q and error %v, want none", notes, err)
	}
	if err := errors.Join(scope.Shutdown(t.Context()), file.Close()); err != nil {
		t.Error(err)
	}
}

func TestASectionOfTheRepositoryNamesItsImport(t *testing.T) {
	defer config.SetSectionImport("redis", "example.com/redis")()
	_, err := config.OpenText("f.yaml", []byte("redis: {}"))
	if err == nil || !strings.Contains(err.Error(), `want config.Open with the section of "example.com/redis"`) {
		t.Errorf("got %v, want an error that names the import", err)
	}
}

// TestPathsOfSectionsAreBesideTheFile: build gets paths of files as other sections of the file have them.
func TestPathsOfSectionsAreBesideTheFile(t *testing.T) {
	type paths struct {
		File     string `yaml:"file" path:"file" doc:"A file."`
		Absolute string `yaml:"absolute" path:"file" doc:"A file."`
		None     string `yaml:"none" path:"file" doc:"A file."`
		Word     string `yaml:"word" doc:"No file."`
	}
	var got paths
	section := config.NewSection("paths", func(p paths) (config.Part, error) { got = p; return config.Part{}, nil })
	dir := t.TempDir()
	text := "paths: {file: a/b, absolute: /c, word: d}\n"
	file, err := config.OpenText(filepath.Join(dir, "f.yaml"), []byte(text), section)
	if err != nil {
		t.Fatal(err)
	}
	defer file.Close()
	if want := (paths{File: filepath.Join(dir, "a/b"), Absolute: "/c", Word: "d"}); got != want {
		t.Errorf("got %+v, want %+v", got, want)
	}
}

// TestRefusingWithoutASharedStoreIsAnError: calls would never be refused.
func TestRefusingWithoutASharedStoreIsAnError(t *testing.T) {
	_, err := config.OpenText("f.yaml", []byte("policies:\n  limit: {rate: {when_away: refuse}}\n"))
	if err == nil || !strings.Contains(err.Error(), "rate.when_away: got refuse") {
		t.Errorf("got %v, want an error that names the field", err)
	}
}
