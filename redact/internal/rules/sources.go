// Copyright The toolscope Authors
// SPDX-License-Identifier: Apache-2.0

package rules

// A Source says where a rule's prefix is published.
type Source struct {
	URL     string
	Checked string // the date when the prefix was found there; "" if that was not checked
}

// The sources of the table. A row names the first of them that has one of its prefixes.
var (
	gitleaks = &Source{"https://github.com/gitleaks/gitleaks/blob/b58d3f10/config/gitleaks.toml", "2026-11-22"}

	betterleaks = &Source{"https://github.com/betterleaks/betterleaks/blob/6381fa4/config/betterleaks.toml", "2026-11-22"}

	trufflehog = &Source{"https://github.com/trufflesecurity/trufflehog/tree/3ab759fef/pkg/detectors", "2026-11-22"}

	kingfisher = &Source{"https://github.com/mongodb/kingfisher/tree/ee7c0db/data/rules", "2026-11-22"}

	noseyparker = &Source{"https://github.com/praetorian-inc/noseyparker/tree/2e6e7f36", "2026-11-22"}
)

// issuer is the documentation of an issuer whose prefix none of the lists has.
func issuer(page string) *Source { return &Source{URL: "https://" + page} }
