// Copyright The toolscope Authors
// SPDX-License-Identifier: Apache-2.0

// Package revision knows the revisions of the Model Context Protocol, in order, and what each has. A new revision is a
// constant and a row here.
package revision
