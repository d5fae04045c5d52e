// Copyright The toolscope Authors
// SPDX-License-Identifier: Apache-2.0

package redact

import (
	"slices"
	"strings"
	"sync"
)

// A Kind is a kind of secret or personal data that is found.
type Kind struct {
	Name  string
	Group string // "key", "token", "text", "personal" or "own"
	About string
}

var textKinds = []Kind{
	{"password", "key", "the value of a password's name, option or command line argument"},
	{"secret", "key", "the value of a name that says secret, credential or signature"},
	{"api-key", "key", "the value of an API key's, access key's or access token's name"},
	{"token", "key", "a random-looking value of a token's name"},
	{"private-key", "text", "a private key in PEM form, or the value of its name"},
	{"authorization", "text", "the credentials of an Authorization header"},
	{"cookie", "text", "the value of a Cookie header"},
	{"jwt", "token", "a JSON web token"},
	{"url-password", "text", "the password in a URL"},
	{"webhook-url", "text", "a webhook's address, which is its secret"},
	{"email", "personal", "an e-mail address"},
	{"payment-card", "personal", "a payment card number with issuer and check digit"},
	{"iban", "personal", "an international bank account number with its check digits"},
	{"phone-number", "personal", "a phone number"},
	{"us-ssn", "personal", "a US social security number"},
	{"mac-address", "personal", "a MAC address"},
	{"crypto-address", "personal", "a Bitcoin or Ethereum address"},
	{"known-value", "own", "a value given by the host"},
	{kindUnscanned, "own", "what could not be looked at: nested too deep, or a failure"},
}

// Kinds lists every kind, sorted by name.
func Kinds() []Kind { return slices.Clone(allKinds()) }

var allKinds = sync.OnceValue(func() []Kind {
	all := slices.Clone(textKinds)
	for _, r := range tokenRules {
		if !slices.ContainsFunc(all, func(k Kind) bool { return k.Name == r.kind }) {
			all = append(all, Kind{r.kind, "token", "by its prefix " + r.prefix + "…"})
		}
	}
	slices.SortFunc(all, func(a, b Kind) int { return strings.Compare(a.Name, b.Name) })
	return all
})

var knownKinds = sync.OnceValue(func() map[string]bool {
	m := make(map[string]bool)
	for _, k := range allKinds() {
		m[k.Name] = true
	}
	return m
})
