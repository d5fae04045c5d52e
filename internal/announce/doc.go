// Copyright The toolscope Authors
// SPDX-License-Identifier: Apache-2.0

// Package announce lets programs that serve their statistics be found by
// `toolscope stats` without an address: each writes a small file into a directory
// of its user, and takes it away when it ends. Files of programs that died are
// removed by the next process that lists them.
//
//	withdraw, err := announce.Announce("http://127.0.0.1:9464/", "my agent")
//	defer withdraw()
//
// The directory is toolscope below $XDG_RUNTIME_DIR, or else below the user's
// cache directory; it and the files are the user's alone (0700 and 0600). Only
// loopback addresses are announced and listed, so that a file cannot direct a client, or its
// token, to another machine. Files of other hosts, in a home directory that
// several share, are passed over.
package announce
