// Copyright The toolscope Authors
// SPDX-License-Identifier: Apache-2.0

// Package catalog builds a registry of this repository's tools from one struct of options.
//
//	tools, err := catalog.New(catalog.Options{Dir: workspace})
//	defer tools.Close()
//	answer := tools.Registry.Execute(ctx, call)
//
// # What is guaranteed
//
// The zero [Options] give what can do no harm: file_list, file_read, file_search and
// file_info over the current directory, credentials excepted, and the tools of package data,
// which compute. Nothing of it writes, starts a process or uses the network. Each further
// tool has a field that must be set.
//
// # What is left out
//
// Policies and observers: the application chooses what wraps the registry, and
// [Options.Wrap] lets sub-agents share it. A host that wants a part only takes the packages
// themselves; this one depends on all of them.
package catalog
