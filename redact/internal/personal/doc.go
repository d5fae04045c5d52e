// Copyright The toolscope Authors
// SPDX-License-Identifier: Apache-2.0

// Package personal finds personal data, by check digits and by form: payment cards, IBAN,
// e-mail addresses, phone and social security numbers, national ids, IP, MAC and crypto addresses.
package personal
