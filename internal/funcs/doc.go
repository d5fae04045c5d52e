// Copyright The toolscope Authors
// SPDX-License-Identifier: Apache-2.0

// Package funcs converts execute functions of other registries, with and without an error and
// of named types, to one form and back.
package funcs
