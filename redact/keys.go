// Copyright The toolscope Authors
// SPDX-License-Identifier: Apache-2.0

package redact

import (
	"strings"
	"unsafe"
)

// sensitivity is how much a name says of its value.
type sensitivity uint8

const (
	harmless sensitivity = iota
	vendor               // a long random-looking value in quotes or alone is a secret
	telling              // a random-looking value is a secret
	secret               // any value that is not a reference is a secret
)

// maxKey is the longest name that is looked at, in bytes; of a longer one, its end.
const maxKey = 64

// classifyKey splits a name into words (camelCase, snake_case, kebab-case, dots) and
// says how much it tells, and of what kind.
func classifyKey(name string) (sensitivity, string) {
	if len(name) > maxKey {
		name = name[len(name)-maxKey:]
	}
	var folded [maxKey]byte
	words, n := splitWords(name, &folded)
	if n == 0 {
		return harmless, ""
	}
	for i := range n {
		w := words[i]
		level, kind := classifyWord(w, i, words[:n])
		if level == harmless {
			continue
		}
		if i+1 < n && counters[words[i+1]] || i > 0 && countersBefore[words[i-1]] || counters[words[n-1]] {
			continue
		}
		return level, kind
	}
	return harmless, ""
}

// splitWords lower-cases name into folded and cuts it into words; digits end a
// word and are dropped. The words point into folded, so that nothing is allocated.
func splitWords(name string, folded *[maxKey]byte) (words [16]string, n int) {
	start, length := 0, 0
	for i := 0; i <= len(name); i++ {
		letter, begins := false, false
		var c byte
		if i < len(name) {
			c = name[i]
			switch {
			case c >= 'a' && c <= 'z':
				letter = true
			case c >= 'A' && c <= 'Z':
				letter = true
				afterLower := i > 0 && name[i-1] >= 'a' && name[i-1] <= 'z'
				afterUpper := i > 0 && name[i-1] >= 'A' && name[i-1] <= 'Z'
				beforeLower := i+1 < len(name) && name[i+1] >= 'a' && name[i+1] <= 'z'
				begins = afterLower || afterUpper && beforeLower
			}
		}
		if (!letter || begins) && length > start {
			if n < len(words) {
				words[n] = unsafe.String(&folded[start], length-start)
				n++
			}
			start = length
		}
		if letter {
			folded[length] = c | 0x20
			length++
		}
	}
	return words, n
}

// classifyWord says what one word of a name tells.
func classifyWord(w string, i int, words []string) (sensitivity, string) {
	next := ""
	if i+1 < len(words) {
		next = words[i+1]
	}
	last := next == ""
	switch w {
	case "password", "passwords", "passwd", "passphrase", "pwd", "passwort", "passcode", "psw", "pswd":
		return secret, kindPasswd
	case "pass", "pw":
		if last || i > 0 {
			return secret, kindPasswd
		}
	case "secret", "secrets", "secrete", "clientsecret", "psk":
		if next == "key" || next == "token" || next == "access" || last || !nounAfterSecret[next] {
			return secret, "secret"
		}
	case "credential", "credentials", "creds":
		return telling, "secret"
	case "authorization":
		return secret, "authorization"
	case "cookie", "cookies":
		return secret, "cookie"
	case "cvv", "cvc", "pin", "ssn", "otp":
		if last {
			return secret, "secret"
		}
	case "apikey", "accesskey", "secretkey", "privatekey", "authkey", "authtoken", "accesstoken", "refreshtoken", "apitoken", "sessiontoken", "bearertoken":
		return secret, "api-key"
	case "api", "access", "private", "encryption", "signing", "master", "account", "service", "storage", "session", "refresh", "bearer", "oauth", "app", "application", "user", "server", "id", "client", "consumer", "hmac", "deploy", "license", "subscription":
		if next == "key" || next == "token" {
			if w == "private" && next == "key" {
				return secret, "private-key"
			}
			if w == "api" || w == "access" || w == "oauth" || w == "bearer" || w == "encryption" || w == "signing" {
				return secret, "api-key"
			}
			return telling, "api-key"
		}
	case "token", "jwt", "tok":
		return telling, "token"
	case "key":
		if last {
			return telling, "api-key"
		}
	case "auth", "authentication":
		if last {
			return telling, "secret"
		}
		if next == "key" || next == "token" {
			return secret, "api-key"
		}
	case "contribsys":
		return secret, "secret"
	case "pat", "sas", "webhook", "dsn":
		return telling, "secret"
	}
	if len(w) >= 3 && vendors[w] {
		return vendor, "api-key"
	}
	switch {
	case len(w) > 8 && (strings.HasSuffix(w, "password") || strings.HasSuffix(w, "passwd") || strings.HasSuffix(w, "passphrase")):
		return secret, kindPasswd
	case len(w) > 6 && (strings.HasSuffix(w, "apikey") || strings.HasSuffix(w, "secret") || strings.HasPrefix(w, "apikey")):
		return secret, "api-key"
	case len(w) > 5 && strings.HasSuffix(w, "token"):
		return telling, "token"
	case len(w) > 3 && strings.HasSuffix(w, "pwd"):
		return secret, kindPasswd
	}
	return harmless, ""
}

// vendors are names that issue keys without a form of their own: such a name is
// often the whole of the variable's.
var vendors = words("adafruit airtable algolia alibaba asana bitbucket bittrex clojars cloudflare codecov coinbase confluent contentful droneci " +
	"etsy fastly finicity finnhub flickr freshbooks gitter gocardless heroku hubspot intercom jfrog kraken kucoin linkedin mailchimp mattermost " +
	"messagebird nytimes okta openweather openweathermap owm pyowm rapidapi sendbird snyk sonar squarespace sumologic travis trello twitch twitter zendesk beamer " +
	"yandex dynatrace telegram discord shippo lob plaid looker privateai cohere mistral deepgram elevenlabs assemblyai stability wandb influxdb")

// kindPasswd is spelled so that the mark does not hold the word it stands for.
const kindPasswd = "passwd"

// nounAfterSecret makes "secret" an adjective of something harmless.
var nounAfterSecret = map[string]bool{"santa": true, "sauce": true, "service": true, "garden": true, "manager": true, "store": true}

// counters are words that make a name one about secrets, not of one.
var counters = words("count counts max min limit limits policy policies name names type types length len ttl expires expiry expiration expired size " +
	"url uri endpoint file files path dir algorithm hint field label prompt version style column index page rotation required enabled disabled " +
	"usage used budget bucket strength reset attempts retries ref refs reference id ids arn provider manager store class format schema validation " +
	"pressed down up event code codes frame frames word words press release manager header prefix suffix mode status at age days issuer audience scope scopes")

// countersBefore are words that make what follows harmless.
var countersBefore = words("max min num number total count n primary foreign sort partition public next previous page hot csrf xsrf input output prompt completion " +
	"cached reasoning idempotency cache dedup partition object s3 unique composite lookup map dict has is show hide forgot reset change confirm stop pad eos bos cls sep unk mask")

func words(list string) map[string]bool {
	m := make(map[string]bool)
	for _, w := range strings.Fields(list) {
		m[w] = true
	}
	return m
}
