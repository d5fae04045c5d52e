// Copyright The toolscope Authors
// SPDX-License-Identifier: Apache-2.0

package strictyaml

import (
	"errors"
	"reflect"
	"strings"
	"testing"
	"time"
)

type example struct {
	Name    string            `yaml:"name" name:"any"`
	Order   string            `yaml:"order" allowed:"fifo,lifo,none"`
	On      *bool             `yaml:"on"`
	Size    int               `yaml:"size"`
	Share   float64           `yaml:"share"`
	Wait    time.Duration     `yaml:"wait"`
	Tools   []string          `yaml:"tools"`
	Where   map[string]string `yaml:"where" keys:"any"`
	Items   []item            `yaml:"items"`
	Ignored func()            `yaml:"-"`
	embedded
}

type item struct {
	Name string `yaml:"name"`
}

type embedded struct {
	Level map[string]int `yaml:"level"`
}

var reader = Reader{
	Empty: "something",
	Names: true,
	Types: map[reflect.Type]Scalar{
		reflect.TypeFor[time.Duration](): {Want: "a time such as 30s", Parse: func(text string) (any, bool) {
			d, err := time.ParseDuration(text)
			return d, err == nil
		}},
	},
}

func TestRead(t *testing.T) {
	const text = `name: a
order: lifo
on: false
size: -3
share: 2
wait: 1m
tools: [x, "y"]
where: {" a": b}
items:
  - name: inner
level: {high: 3}
more: {size: 4}
`
	var got, more example
	r := reader
	r.Sections = map[string]any{"more": &more}
	d := r.Read("f", []byte(text), &got)
	if err := d.Err(); err != nil {
		t.Fatal(err)
	}
	off := false
	want := example{
		Name: "a", Order: "lifo", On: &off, Size: -3, Share: 2, Wait: time.Minute, Tools: []string{"x", "y"},
		Where: map[string]string{" a": "b"}, Items: []item{{Name: "inner"}}, embedded: embedded{Level: map[string]int{"high": 3}},
	}
	if !reflect.DeepEqual(got, want) || more.Size != 4 {
		t.Errorf("got %+v and %+v\nwant %+v and size 4", got, more, want)
	}
	for field, line := range map[string]int{
		"items[0].name": 10, "items[0].none": 10, "level.high": 11, "none": 1, "more": 12, "tools[1]": 7,
	} {
		if got := d.Line(field); got != line {
			t.Errorf("%s is at line %d, want %d", field, got, line)
		}
	}
	if !d.Has("tools[1]") || d.Has("tools[2]") {
		t.Error("Has does not say which fields the file has")
	}
	if err := r.CheckType(reflect.TypeFor[example]()); err != nil {
		t.Error(err)
	}
}

func TestErrors(t *testing.T) {
	for text, want := range map[string]string{
		"":                           "f: got an empty file, want something",
		"~":                          "f:1: got an empty document, want something",
		"a: 1\n---\nb: 2":            "f:2: got a second document, want one",
		"a: 1\n}":                    "f:2: not YAML: did not find expected key",
		"a: \x00":                    "f: not YAML: control characters are not allowed",
		"- a":                        "f:1: got a list, want a mapping",
		"nam: x":                     `f:1: nam: got an unknown field (did you mean "name"?), want one of name, order, on, size`,
		"strange: x":                 "f:1: strange: got an unknown field, want one of name, order, on, size",
		"items: [{a: {b: c}}]":       "f:1: items[0].a: got an unknown field, want one of name",
		"name: a\nname: b":           "f:2: name: got the field a second time, want it once",
		"name:":                      "f:1: name: got nothing, want a text",
		"name: ' a'":                 `f:1: name: got " a", want a name without blanks at its ends`,
		"order: up":                  `f:1: order: got "up", want fifo, lifo or none`,
		"on: 1":                      `f:1: on: got "1", want true or false`,
		"on: !!bool x":               `f:1: on: got "x", want true or false`,
		"size: '3'":                  `f:1: size: got "3", want a whole number`,
		"size: 99999999999999999999": `f:1: size: got "99999999999999999999", want a whole number`,
		"share: .nan":                `f:1: share: got ".nan", want a number`,
		"wait: 3":                    `f:1: wait: got "3", want a time such as 30s`,
		"tools: a":                   `f:1: tools: got "a", want a list`,
		"tools: [[]]":                "f:1: tools[0]: got a list, want a text",
		"tools: ['']":                `f:1: tools[0]: got "", want a name without blanks at its ends`,
		"level: {'': 1}":             `f:1: level: got the name "", want a name`,
		"level:":                     "f:1: level: got nothing, want a mapping, or {} for none",
		"where: {[a]: b}":            "f:1: where: got a key that is no text, want a name",
		"where: {<<: {a: b}}":        "f:1: where: got a key that is no text, want a name",
		"name: &x a":                 "f:1: name: got an anchor or alias, want the value itself",
		"items: &x [*x]":             "f:1: items: got an anchor or alias, want the value itself",
		"name: !own a":               `f:1: name: got the tag "!own", want none`,
		"name: !!binary aGVsbG8=":    `f:1: name: got the tag "!!binary", want none`,
		"on: 1\nsize: x\nnone: 3":    "want true or false\nf:2: size: got",
		"tools: " + strings.Repeat("[", 40) + strings.Repeat("]", 40): "got a deeper nesting, want at most 32 levels",
		strings.Repeat("#", maxSize+1):                                "f: got 1048577 bytes, want at most 1048576",
	} {
		err := reader.Read("f", []byte(text), new(example)).Err()
		if e := (*Error)(nil); !errors.As(err, &e) || !strings.Contains(err.Error(), want) {
			t.Errorf("%.60q: got %v\nwant %s", text, err, want)
		}
	}
	if err := (Reader{}).Read("f", nil, new(embedded)).Err(); err != nil {
		t.Errorf("a reader that allows empty files says %v", err)
	}
	err := reader.Read("f", []byte(strings.Repeat("x: 1\n", 100)), new(example)).Err()
	if n := strings.Count(err.Error(), "\n") + 1; n != maxErrors {
		t.Errorf("got %d errors, want %d", n, maxErrors)
	}
}

func TestOptionsOfReaders(t *testing.T) {
	var got example
	r := Reader{SingleTexts: true, KeepEmpty: true, UnknownSection: func(name string) (string, string) { return "it", "another" }}
	if err := r.Read("f", []byte("tools: x\nlevel: {}\nitems: []"), &got).Err(); err != nil {
		t.Fatal(err)
	}
	if want := (example{Tools: []string{"x"}, Items: []item{},
		embedded: embedded{Level: map[string]int{}}}); !reflect.DeepEqual(got, want) {
		t.Errorf("got %+v, want %+v", got, want)
	}
	d := r.Read("f", []byte("strange: 1\ntools: {}"), &got)
	d.Fail("tools", "a second error of a field", "")
	d.Fail("items", "nothing", "some")
	want := "f:1: items: got nothing, want some"
	if err := d.Err(); strings.Count(err.Error(), "\n") != 2 || !strings.Contains(err.Error(), want) ||
		!strings.Contains(err.Error(), "f:1: strange: got it, want another") ||
		!strings.Contains(err.Error(), "f:2: tools: got a mapping, want a text or a list of texts") {
		t.Errorf("got %v", err)
	}
}

func TestNearest(t *testing.T) {
	known := []string{"policies", "tools", "on", "rules"}
	for name, want := range map[string]string{
		"polices": "policies", "ruels": "rules", "onn": "on", "tolls": "tools", "x": "", "redact": "", "": "",
		strings.Repeat("x", 65): "",
	} {
		if got := Nearest(name, known); got != want {
			t.Errorf("the nearest to %q is %q, want %q", name, got, want)
		}
	}
}

// Whatever the text, reading it does not panic, and errors name the file.
func FuzzRead(f *testing.F) {
	f.Add("name: a\nitems: [{size: 1}]\nlevel: {a: 2}")
	f.Add("on: !!bool x\nwait: 1s\nwhere: {<<: *a}")
	f.Fuzz(func(t *testing.T, text string) {
		if err := reader.Read("f", []byte(text), new(example)).Err(); err != nil && !strings.HasPrefix(err.Error(), "f:") {
			t.Errorf("%q: %v", text, err)
		}
	})
}
