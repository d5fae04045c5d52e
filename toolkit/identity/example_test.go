// Copyright The toolscope Authors
// SPDX-License-Identifier: Apache-2.0

package identity_test

import (
	"fmt"

	"github.com/toolscope/toolscope/toolkit/identity"
)

// Spelling does not count, values do.
func ExampleEqual() {
	first := []byte(`{"path": "a.txt", "limit": 10}`)
	fmt.Println(identity.Equal(first, []byte(`{"limit":1e1,"path":"\u0061.txt"}`)))
	fmt.Println(identity.Equal(first, []byte(`{"path":"a.txt","limit":11}`)))
	fmt.Println(identity.Equal([]byte(`{"id":9007199254740993}`), []byte(`{"id":9007199254740992}`)))
	// Output:
	// true
	// false
	// false
}

// Keys outside the process use the canonical form, without members that change each time.
func ExampleOf() {
	a, ok := identity.Of([]byte(`{"request_id":"7f3", "query":"go\/json", "limit":5.0}`), []string{"request_id"}, nil)
	fmt.Println(string(a.AppendCanonical(nil)), ok)

	_, ok = identity.Of([]byte(`{"path":"a","path":"b"}`), nil, nil)
	fmt.Println(ok)
	// Output:
	// {"limit":5,"query":"go/json"} true
	// false
}
