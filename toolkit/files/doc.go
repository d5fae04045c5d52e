// Copyright The toolscope Authors
// SPDX-License-Identifier: Apache-2.0

// Package files gives an agent tools to list, read, search, write and edit files
// below directories that the host names, and nowhere else.
//
//	tools, err := files.New(files.Options{Roots: []files.Root{{Name: "work", Path: dir}}})
//	err = registry.Register(tools.Tools()...)
//
// A path is relative to the first root, or "name:path" for another one.
//
// # What is guaranteed
//
// Nothing outside a root is read or written: absolute paths, "..", and symbolic
// links that lead out are refused, and each directory on the way is opened by its
// handle ([os.Root]) and compared with what was checked, so that a link put in its place
// meanwhile is noticed. Credentials (.ssh, .aws, .kube, .gnupg, .netrc,
// .config/gcloud) are refused wherever they lie, and so are devices and named pipes.
// Such refusals are of kind [toolkit.ErrPermissionDenied].
//
// Files are replaced whole or not at all, and never written through a hard link.
// Readers of a file share it and a writer has it alone, among the calls of one
// [Toolset]; waiting ends with the call's context. Limits are told in the answer.
//
// # What is left out
//
// Text that is not UTF-8 is told as binary. A hard link to a file outside can be
// read. Other processes are not kept from files by locks; a change of theirs between
// reading and replacing is noticed, unless it comes in the last moment.
package files
