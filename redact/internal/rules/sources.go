// Copyright The toolscope Authors
// SPDX-License-Identifier: Apache-2.0

package rules

// A Source says where a rule's prefix is published. The addresses and dates are in the test of the table, since programs
// do not need them.
type Source uint8

// The sources of the table. A row names the first of them that has one of its prefixes.
const (
	gitleaks Source = iota + 1
	betterleaks
	trufflehog
	kingfisher
	noseyparker
	issuerDocs // the issuer's own documentation, as none of the lists has the prefix
)

// Sources are the names of the sources, by number.
const Sources = " gitleaks betterleaks trufflehog kingfisher noseyparker issuer"
