// Copyright The toolscope Authors
// SPDX-License-Identifier: Apache-2.0

package bench

import "os"

// HeapEnv is the variable that says what [Ballast] is.
const HeapEnv = "BENCH_HEAP"

// Ballast is heap that a measuring process holds. By default it is 64 MiB without pointers:
// collections are rare and cheap, and figures are nearly the call's own. With
// BENCH_HEAP=pointers it is about as much of small linked objects, as a service
// has them: then each allocated byte also pays for marking. With BENCH_HEAP=none there
// is none.
func Ballast() any {
	switch os.Getenv(HeapEnv) {
	case "none":
		return nil
	case "pointers":
		type node struct {
			next *node
			_    [7]uint64
		}
		nodes := make([]*node, 1<<20)
		for i := range nodes {
			nodes[i] = new(node)
		}
		for i := range nodes {
			nodes[i].next = nodes[(i*7919+1)%len(nodes)]
		}
		return nodes
	}
	return make([]byte, 64<<20)
}
