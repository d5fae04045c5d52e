// Copyright The toolscope Authors
// SPDX-License-Identifier: Apache-2.0

package toolscope

import (
	"context"
	"net/http"
	"reflect"
	"testing"
)

// TestWrappingLinksNoHTTP walks the types in a generic type. The linker keeps the exported methods of all of them,
// and net/http.Request leads to the parsers of certificates: 118 KB of a program that serves nothing.
func TestWrappingLinksNoHTTP(t *testing.T) {
	seen := map[reflect.Type]bool{}
	var walk func(r reflect.Type, path string)
	walk = func(r reflect.Type, path string) {
		if seen[r] {
			return
		}
		seen[r] = true
		path += " > " + r.String()
		if r == reflect.TypeFor[http.Request]() {
			t.Error(path)
			return
		}
		switch r.Kind() {
		case reflect.Pointer, reflect.Slice, reflect.Array, reflect.Chan:
			walk(r.Elem(), path)
		case reflect.Map:
			walk(r.Key(), path)
			walk(r.Elem(), path)
		case reflect.Struct:
			for f := range r.Fields() {
				walk(f.Type, path)
			}
		case reflect.Func:
			for in := range r.Ins() {
				walk(in, path)
			}
			for out := range r.Outs() {
				walk(out, path)
			}
		case reflect.Interface:
			for m := range r.Methods() {
				walk(m.Type, path)
			}
		}
	}
	walk(reflect.TypeFor[funcWrapper[func(context.Context, string) string, string, string]](), "")
}
