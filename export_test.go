// Copyright The toolscope Authors
// SPDX-License-Identifier: Apache-2.0

package toolscope

// RoomBytes is how much room is made on a stack.
const RoomBytes = roomBytes
