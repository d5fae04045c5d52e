// Copyright The toolscope Authors
// SPDX-License-Identifier: Apache-2.0

// Package config sets up the whole stack from one YAML file, and changes what can be
// changed while calls go on when the file is read again. docs/configuration.md lists every
// field; [Schema] is the same for editors. Options in code do all of it as well.
package config
