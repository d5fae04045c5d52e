// Copyright The toolscope Authors
// SPDX-License-Identifier: Apache-2.0

package announce_test

import (
	"fmt"
	"os"

	"github.com/toolscope/toolscope/internal/announce"
)

func Example() {
	dir, err := os.MkdirTemp("", "")
	if err != nil {
		fmt.Println(err)
		return
	}
	defer os.RemoveAll(dir)
	os.Setenv("XDG_RUNTIME_DIR", dir)

	withdraw, err := announce.Announce("http://127.0.0.1:9464", "my agent")
	if err != nil {
		fmt.Println(err)
		return
	}
	defer withdraw()
	programs, err := announce.List()
	for _, p := range programs {
		fmt.Println(p.Title, p.URL, err)
	}
	// Output: my agent http://127.0.0.1:9464/ <nil>
}
