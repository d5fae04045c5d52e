// Copyright The toolscope Authors
// SPDX-License-Identifier: Apache-2.0

// Package api makes the JSON answers of the HTTP API.
package api
