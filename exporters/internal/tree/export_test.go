// Copyright The toolscope Authors
// SPDX-License-Identifier: Apache-2.0

package tree

// MaxWaiting is how many spans a console lets wait.
const MaxWaiting = maxWaiting
