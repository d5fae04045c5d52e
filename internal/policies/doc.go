// Copyright The toolscope Authors
// SPDX-License-Identifier: Apache-2.0

// Package policies is the table of toolscope's policies: what everything outside a policy's own package has to know
// of it. Configuration files, their JSON Schema, docs/configuration.md, docs/telemetry.md and tests that all policies
// have to pass follow from it. docs/adding.md describes how to add a policy.
package policies
