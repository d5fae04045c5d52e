// Copyright The toolscope Authors
// SPDX-License-Identifier: Apache-2.0

// Package telemetry sets up what the commands export, and the statistics that they push.
package telemetry
