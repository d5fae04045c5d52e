// Copyright The toolscope Authors
// SPDX-License-Identifier: Apache-2.0

// Package data gives an agent tools that compute: a calculator with exact decimals and
// units, text, JSON, CSV, and dates with time zones.
//
//	tools, err := data.New(data.Options{})
//	err = registry.Register(tools.Tools()...)
//
// # What is guaranteed
//
// The answers depend on the arguments only, but for date_now; nothing is read, written or
// asked for elsewhere. The work of a call is bounded: sizes, depth and digits are
// limited; a regular expression ends with the time limit; a JSONPath query, and a
// JSON Schema, is refused before it begins if it could take too long on the document, or
// for ever. What is too much is an error that says so.
//
// The calculator is a parser of this package over cockroachdb/apd, because the kept
// expression libraries compute with binary floating point and know no units. Sums, products
// and powers are exact up to 1,000 digits, and quotients that end; all else is computed with 60
// digits, shown with 34, and marked with ≈. Units are exact by definition. RFC 9535 (JSONPath),
// 6901, 6902 (pointer, patch), 7396 (merge patch) and 4180 (CSV) are followed; numbers in JSON
// stay as they are written.
//
// # What is left out
//
// jq programs run only with [Options.JQ]: gojq can be stopped in time, but not kept
// from asking for more memory than there is. References of a JSON Schema stay
// within it. Currencies, months and years are no units of the calculator. The data base of time
// zones is built in (time/tzdata, about 450 KB), as machines differ in what they have.
package data
