// Copyright The toolscope Authors
// SPDX-License-Identifier: Apache-2.0

// Package errorgroups counts errors in groups, those that differ only in numbers, ids, paths and
// the like as one, in a bounded [Table].
//
// It uses the Space-Saving algorithm (Metwally, Agrawal, El Abbadi 2005): when all groups are in
// use, a new one replaces the least frequent, and starts from its count as the most that may have
// been counted of the new one before. So a group more frequent than all errors divided by the
// number of groups is never lost.
//
// Times are numbers on the caller's time line. Texts must have been redacted.
package errorgroups
