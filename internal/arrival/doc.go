// Copyright The toolscope Authors
// SPDX-License-Identifier: Apache-2.0

// Package arrival connects policies that let a call wait with proxies that forward messages in the order in which they
// arrive. A policy calls [Pass] before it waits for a person, a slot or another call, so that the messages behind the call
// do not wait with it.
package arrival
