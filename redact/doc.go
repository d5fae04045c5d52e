// Copyright The toolscope Authors
// SPDX-License-Identifier: Apache-2.0

// Package redact removes secrets and personal data from JSON, text, errors and log records before
// a process exports them. All spans, metrics, pages and files of toolscope pass it.
//
//	clean, findings := redact.Default().JSON(arguments)
//
// It finds by key (`"dbPassword": …`, `API_KEY=…`, `--token …`), by form (issuers'
// token prefixes, JSON web tokens, PEM, URL credentials, Authorization headers), by
// randomness near a telling word, and personal data by check digits (payment cards,
// IBAN, e-mail, phone numbers, US social security numbers, MAC and crypto
// addresses).
//
// # What is guaranteed
//
// What is removed is replaced by a mark that names the kind only,
// `[REDACTED:github-token]`. Valid JSON stays valid JSON, byte for byte where nothing
// was removed: numbers, order, duplicates and white space. Clean input comes back
// as it is, without a copy. Strings are decoded before they are scanned, and JSON
// within strings is walked as well. Redacting twice changes nothing more. At a
// limit, and after a panic inside this package, the whole value is removed, never passed on.
// Nothing inside the data can switch it off.
//
// # What it does not do
//
// It cannot know that a random-looking string is a secret where nothing near it
// says so, and it does not look for names and street addresses. IP addresses stay.
package redact
