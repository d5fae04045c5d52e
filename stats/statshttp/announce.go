// Copyright The toolscope Authors
// SPDX-License-Identifier: Apache-2.0

package statshttp

import "github.com/toolscope/toolscope/internal/announce"

// Announce lets `toolscope stats` find this process without an address: url is where
// it serves a handler of [NewHandler] on a loopback address, with the port and the prefix, such as
// "http://127.0.0.1:8080/debug/tools/"; title, of at most 80 bytes, is for people who run several,
// and may be "". Call the function returned when serving ends.
//
// The announcement is a file that only this user can read, in $XDG_RUNTIME_DIR/toolscope or the
// user's cache directory; the file of a process that died is removed by the next process that lists them.
func Announce(url, title string) (withdraw func(), err error) {
	return announce.Announce(url, title)
}
