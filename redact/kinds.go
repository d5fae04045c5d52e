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
	Group string // "key", "token", "url", "command", "personal", "entropy", "known" or "engine"
	About string
	// Default tells whether it is looked for unless options say otherwise.
	Default bool
}

var textKinds = []Kind{
	{kindPasswd, "key", "the value of a password's name, option or command line argument", true},
	{"secret", "key", "the value of a name that says secret, credential or signature", true},
	{"api-key", "key", "the value of an API key's, access key's or access token's name", true},
	{"token", "key", "a random-looking value of a token's name", true},
	{"private-key", "text", "a private key in PEM form, or the value of its name", true},
	{"authorization", "text", "the credentials of an Authorization header", true},
	{"cookie", "text", "the value of a Cookie header", true},
	{"jwt", "token", "a JSON web token", true},
	{"discord-token", "token", "a Discord bot's token", true},
	{"telegram-token", "token", "a Telegram bot's token", true},
	{"terraform-token", "token", "a Terraform Cloud token", true},
	{"azure-secret", "token", "an Azure AD client secret", true},
	{"kubernetes-secret", "text", "a value of a Kubernetes Secret", true},
	{"url-userinfo", "text", "the password in a URL", true},
	{"webhook-url", "text", "a webhook's address, which is its secret", true},
	{"email", "personal", "an e-mail address", true},
	{"payment-card", "personal", "a payment card number with issuer and check digit", true},
	{"iban", "personal", "an international bank account number with its check digits", true},
	{"phone-number", "personal", "a phone number", true},
	{"us-ssn", "personal", "a US social security number", true},
	{"mac-address", "personal", "a MAC address", true},
	{"crypto-address", "personal", "a Bitcoin or Ethereum address", true},
	{"known-value", "own", "a value given by the host", true},
	{kindUnscanned, "own", "what could not be looked at: nested too deep, or a failure", true},
}

// Kinds lists every kind, sorted by name.
func Kinds() []Kind { return slices.Clone(allKinds()) }

var allKinds = sync.OnceValue(func() []Kind {
	all := slices.Clone(textKinds)
	for _, r := range tokenRules {
		if !slices.ContainsFunc(all, func(k Kind) bool { return k.Name == r.kind }) {
			all = append(all, Kind{r.kind, "token", "by its prefix " + r.prefix + "…", true})
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
