// Copyright The toolscope Authors
// SPDX-License-Identifier: Apache-2.0

// Package wire reads and writes the messages of JSON-RPC that peers of MCP exchange: as most readers do, in the one
// way in which every reader reads them ([ReadStrict]), and by a few members of a text that is too long (package skim). A
// member of a message can be replaced with every other byte unchanged ([Splice]).
package wire
