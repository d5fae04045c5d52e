// Copyright The toolscope Authors
// SPDX-License-Identifier: Apache-2.0

// Package docs has tests that follow README.md and the pages of docs: every command of a code block is run, its
// output compared, and every Go block is type-checked. Marks, HTML comments above a block, steer the tests:
//
//	<!-- not run: why -->         the block is neither run nor checked; the tests print how many there are
//	<!-- output varies: why -->   the output is not compared
//	<!-- exit: 2 -->              commands of the block may end with this code
//	<!-- file: NAME -->           the block is the content of a file that later commands use
//	<!-- setup … -->              commands that readers do not need, such as creating input files
//	<!-- go … -->                 declarations for the Go blocks of the page, such as var registry *toolkit.Registry
package docs
