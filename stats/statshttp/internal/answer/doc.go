// Copyright The toolscope Authors
// SPDX-License-Identifier: Apache-2.0

// Package answer writes HTTP answers: problem documents, JSON, entity tags and compressed bodies.
package answer
