// Copyright The toolscope Authors
// SPDX-License-Identifier: Apache-2.0

// Package hostile makes calls whose spans go to destinations, and through disks, that misbehave in
// every way we could think of, and prints what that did: to the calls, to memory, and whether
// toolscope said so and recovered without a restart. The test fails if a call waited,
// memory grew, nothing was said or nothing came after the destination was well again.
//
//	go test ./hostile -v -for 5s
//	go test ./hostile -v -for 3s -outages 10
package hostile
