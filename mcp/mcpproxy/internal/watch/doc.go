// Copyright The toolscope Authors
// SPDX-License-Identifier: Apache-2.0

// Package watch turns copies of the traffic between clients and a server into spans, metrics, statistics and
// observations. One goroutine decodes the copies; an [Engine] is what its sessions share.
package watch
