// Copyright The toolscope Authors
// SPDX-License-Identifier: Apache-2.0

// Package identity tells whether two calls have the same arguments, whatever their
// spelling: one fingerprint for the cache, for duplicates and for loops.
//
//	a, ok := identity.Of(call.Arguments, tool.Volatile, nil)
//	if ok && a.Equal(stored) { … }
//
// Two JSON texts are the same arguments if they have the same members in any order,
// white space apart, with the same values: strings by their characters, however they are
// escaped, and numbers by their exact decimal value, so that 1, 1.0 and 10e-1 are the
// same and 9007199254740993 is not 9007199254740992. No arguments at all (nil, or
// nothing but white space) are the same as {}.
//
// Some texts have no identity, because two readers may understand them differently:
// invalid JSON, an object with two members of one name, invalid UTF-8, half of a
// surrogate pair. Nor has what is nested deeper than 128 levels, or a number whose exponent
// has more than 17 digits. A call without an identity must not be stored or shared.
//
// [Arguments.Hash] is 64 bits, keyed anew in each process, made in one pass without
// sorting and without allocation. It finds candidates; [Arguments.Equal] decides. What
// is kept outside the process uses [Arguments.AppendCanonical] instead.
package identity
