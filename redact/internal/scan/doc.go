// Copyright The toolscope Authors
// SPDX-License-Identifier: Apache-2.0

// Package scan finds what is to be removed from text and JSON, and removes it. It decodes strings,
// walks JSON, asks the detectors of the other packages, and decides on values by their names.
package scan
