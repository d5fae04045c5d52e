// Copyright The toolscope Authors
// SPDX-License-Identifier: Apache-2.0

// Package canary makes up secrets that tests and the demo plant wherever data
// flows, to look for them in everything that comes out. They are valid by form,
// belong to no real account, and differ with the seed.
package canary

import (
	"encoding/base64"
	"fmt"
	"math/rand/v2"
	"strings"
)

// A Secret is one made-up secret.
type Secret struct {
	Kind  string // what it looks like
	Value string // what must not come out
	Text  string // a line it would stand in, in a log or an error
}

const (
	lower  = "abcdefghijklmnopqrstuvwxyz"
	digits = "0123456789"
	alnum  = lower + "ABCDEFGHIJKLMNOPQRSTUVWXYZ" + digits
	upper  = "ABCDEFGHIJKLMNOPQRSTUVWXYZ234567"
)

// Secrets returns the secrets of a seed, the same ones for the same seed.
func Secrets(seed uint64) []Secret {
	r := rand.New(rand.NewPCG(seed, 0x746f6f6c73636f70))
	take := func(n int, from string) string {
		b := make([]byte, n)
		for i := range b {
			b[i] = from[r.IntN(len(from))]
		}
		return string(b)
	}
	password := "pW-" + take(14, alnum)
	bearer := take(40, alnum)
	github := "ghp" + "_" + take(36, alnum)
	aws := "AKIA" + take(16, upper)
	apiKey := "key-" + take(28, lower+digits)
	urlPassword := take(18, alnum)
	basic := base64.StdEncoding.EncodeToString([]byte("svc:" + take(16, alnum)))
	jwt := part(`{"alg":"HS256","typ":"JWT"}`) + "." + part(`{"sub":"`+take(12, digits)+`"}`) + "." + take(43, alnum)
	pem := take(64, alnum)
	card := luhn("4" + take(14, digits))
	mail := take(8, lower) + "." + take(6, lower) + "@" + take(7, lower) + ".io"
	return []Secret{
		{"password", password, `{"user":"admin","password":"` + password + `"}`},
		{"bearer token", bearer, "Authorization: Bearer " + bearer},
		{"GitHub token", github, "remote: token " + github + " was refused"},
		{"AWS key id", aws, "aws_access_key_id = " + aws},
		{"API key", apiKey, "api_key=" + apiKey},
		{"URL password", urlPassword, "postgres://app:" + urlPassword + "@db.internal:5432/orders"},
		{"basic credentials", basic, "Authorization: Basic " + basic},
		{"JSON web token", jwt, "cookie: session=" + jwt},
		{"private key", pem, "-----BEGIN PRIVATE" + " KEY-----\n" + pem + "\n-----END PRIVATE" + " KEY-----"},
		{"payment card", card, "charged card " + card},
		{"e-mail address", mail, "sent to " + mail},
	}
}

// Find returns the secrets of which text holds a run of at least max(8, half
// their length) characters.
func Find(text string, secrets []Secret) []Secret {
	var found []Secret
	for _, s := range secrets {
		n := max(8, len(s.Value)/2)
		for i := 0; i+n <= len(s.Value); i++ {
			if strings.Contains(text, s.Value[i:i+n]) {
				found = append(found, s)
				break
			}
		}
	}
	return found
}

// String names the kind, never the value.
func (s Secret) String() string { return fmt.Sprintf("a planted %s", s.Kind) }

func part(s string) string { return base64.RawURLEncoding.EncodeToString([]byte(s)) }

// luhn appends the check digit of ISO/IEC 7812-1.
func luhn(number string) string {
	sum := 0
	for i := range len(number) {
		d := int(number[len(number)-1-i] - '0')
		if i%2 == 0 {
			d *= 2
			if d > 9 {
				d -= 9
			}
		}
		sum += d
	}
	return number + string(rune('0'+(10-sum%10)%10))
}
