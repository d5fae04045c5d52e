// Copyright The toolscope Authors
// SPDX-License-Identifier: Apache-2.0

// Package files gives an agent tools to list, read, search, write, edit, patch, move
// and delete files below directories that the host names, and nowhere else.
//
//	tools, err := files.New(files.Options{Roots: []files.Root{{Name: "work", Path: dir}}})
//	err = registry.Register(tools.Tools()...)
//
// A path is relative to the first root, or "name:path" for another one; an absolute path
// that lies below a root is taken for what it names there.
//
// # What is guaranteed
//
// Nothing outside a root is read or written: other absolute paths, "..", what would be
// ".." if it were decoded, and symbolic links that lead out are refused, and each
// directory on the way is opened by its handle ([os.Root]) and compared with what was
// checked, so that a link put in its place meanwhile is noticed. Credentials (.ssh, .aws,
// .kube, .gnupg, .netrc, .config/gcloud and their like) are refused wherever they lie, and
// so are devices, named pipes, file systems of the kernel such as /proc, and files with
// a hard link elsewhere. Such refusals are of kind [toolkit.ErrPermissionDenied].
//
// Files are replaced whole or not at all, and never written through a hard link. An
// edit is made at the one place that its text stands at, or not at all; several edits of
// one call, and the files of one patch, change together or not at all. Line endings,
// encoding and byte order mark stay as they are. Readers of a file share it and a writer
// has it alone, among the calls of one [Toolset]; waiting ends with the call's context.
// What another process changed since a session ([toolkit.WithSession]) read it is not
// overwritten. The answer reports limits that were reached.
//
// # What is left out
//
// Text is UTF-8, UTF-16 or a one-byte encoding that is taken for windows-1252; other content is
// reported as binary. Other processes are not kept from files by locks; a change of theirs
// between reading and replacing is noticed, unless it comes in the last moment. A patch
// whose last files cannot be put in place gives the others their old content back, which
// can fail as well, and is reported then. Moving and the trash follow names, not handles,
// below a root, so that a process that swaps links in it meanwhile may lead them astray
// within the root, never out of it.
package files
