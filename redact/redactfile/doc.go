// Copyright The toolscope Authors
// SPDX-License-Identifier: Apache-2.0

// Package redactfile reads how to redact from a YAML file:
//
//	preset: default            # default, strict, secrets-only or off
//	kinds:
//	  on: [ipv4, in-aadhaar]   # kinds to look for as well; toolscope redact --list lists them
//	  off: [email]
//	rules:                     # the first one that fits a value wins
//	  - tool: db.*             # a name, or a beginning and '*'; without it: every tool
//	    path: $.sql            # RFC 9535: names, indices, slices, '*' and '..'
//	    action: mask           # mask, keep or drop
//	allow: ["4111111111111111"]
//	known:
//	  environment: ["*_TOKEN", "*_PASSWORD"]
//	  file: known.txt          # a value on each line
//	patterns:                  # forms of your own
//	  - {literal: acme-, regexp: 'acme-[0-9a-f]{8}', keywords: [ticket]}
//	names: {on: [customer_code], off: [page_token]}
//	mode: tag                  # mask, tag or stand-in
//	key_environment: REDACT_KEY
//	limits: {nesting: 512, inner: 8, work: 64}
//
// Every field may be left out, and an empty file is the default redactor. Values that
// are secrets are not written into the file: known values and the key of tags come from
// the environment. An unknown name is an error, so that a misspelt one does
// not turn anything off.
package redactfile
