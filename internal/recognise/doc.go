// Copyright The toolscope Authors
// SPDX-License-Identifier: Apache-2.0

// Package recognise finds things by their form in text: e-mail addresses, IP addresses and UUIDs. It
// says what they are; what becomes of them is for the caller, who hides or counts them.
package recognise
