// Copyright The toolscope Authors
// SPDX-License-Identifier: Apache-2.0

// Package check holds checks of options that several policies have.
package check

import (
	"cmp"
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/toolscope/toolscope/middleware"
	"github.com/toolscope/toolscope/toolkit"
)

// Options collects the errors of one package's options. The zero value but for Package is ready to use.
type Options struct {
	Package string // such as "cache"
	err     error  // the first one
}

// Err is the first error; nil if there is none.
func (o *Options) Err() error { return o.err }

// Fail notes an error: "PACKAGE: Options.FIELD: got GOT, want WANT".
func (o *Options) Fail(field string, got any, want string) {
	o.Wrap(field, fmt.Errorf("got %v, want %s", got, want))
}

// Wrap notes an error of a field; nil is none.
func (o *Options) Wrap(field string, err error) {
	if err != nil && o.err == nil {
		o.err = fmt.Errorf("%s: Options.%s: %w", o.Package, field, err)
	}
}

// If notes an error if the condition holds.
func (o *Options) If(wrong bool, field string, got any, want string) {
	if wrong {
		o.Fail(field, got, want)
	}
}

// Tools checks a list of names of tools.
func (o *Options) Tools(field string, names []string) {
	for i, name := range names {
		o.If(name == "", fmt.Sprintf("%s[%d]", field, i), `""`, "the name of a tool")
	}
}

// ErrorTypes checks the fields On and OnTypes: values of error.type that toolscope gives to errors, and those
// of the application's own errors.
func (o *Options) ErrorTypes(on []toolkit.Kind, own []string) {
	for i, k := range on {
		o.Wrap(fmt.Sprintf("On[%d]", i), errorType(k))
	}
	for i, v := range own {
		o.Wrap(fmt.Sprintf("OnTypes[%d]", i), ownErrorType(v))
	}
}

// Sharing checks the fields Share and Reach, and returns Reach with its default, which is Share.
func (o *Options) Sharing(share, reach middleware.Sharing) middleware.Sharing {
	const widths = "PerSession, PerTenant or Global"
	o.If(share > middleware.Global, "Share", uint8(share), widths)
	o.If(reach > middleware.Global, "Reach", uint8(reach), widths)
	o.If(reach != middleware.PerSession && reach < share, "Reach", reach, "at least Share, which is "+share.String())
	return max(reach, share)
}

// NotNegative checks a time that may be 0.
func (o *Options) NotNegative(field string, d time.Duration) { o.If(d < 0, field, d, "0 or more") }

// Default checks a number that is not below 0, and sets one that is 0 to its default.
func Default[N int | time.Duration](o *Options, field string, n *N, byDefault N) {
	want := "0 or more"
	if byDefault != 0 {
		want = fmt.Sprintf("more than 0, or 0 for %v", byDefault)
	}
	o.If(*n < 0, field, *n, want)
	*n = cmp.Or(*n, byDefault)
}

// errorType returns an error for a kind that toolscope gives to no error: it is none of the constants of package
// toolkit and not [toolkit.TypeOther], so it is likely misspelt.
func errorType(k toolkit.Kind) error {
	if k.Known() || k == toolkit.TypeOther {
		return nil
	}
	var known []string
	for _, kind := range toolkit.Kinds() {
		known = append(known, string(kind))
	}
	return fmt.Errorf("got %.80q, want one of %s, %s (OnTypes has the values of your own errors)",
		string(k), strings.Join(known, ", "), toolkit.TypeOther)
}

var errOwnType = errors.New(`want 1 to 64 letters, digits, "_", "-" or "."`)

// ownErrorType returns an error for a value that no error can have as its error.type: see [toolkit.TypeOf].
func ownErrorType(v string) error {
	valid := len(v) > 0 && len(v) <= 64
	for _, c := range v {
		valid = valid && (c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z' || c >= '0' && c <= '9' || strings.ContainsRune("_-.", c))
	}
	if valid {
		return nil
	}
	return fmt.Errorf("got %.80q, %w", v, errOwnType)
}
