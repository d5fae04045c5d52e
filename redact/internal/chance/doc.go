// Copyright The toolscope Authors
// SPDX-License-Identifier: Apache-2.0

// Package chance tells strings that look drawn by chance, as secrets are, from words, names and
// fillers.
package chance
