// Copyright The toolscope Authors
// SPDX-License-Identifier: Apache-2.0

// Package query reads and checks the parameters of HTTP requests.
package query
