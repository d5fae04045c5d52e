// Copyright The toolscope Authors
// SPDX-License-Identifier: Apache-2.0

// Package cli is what all commands of toolscope share: cobra set up the way toolscope reports errors,
// prints help and suggests names. It knows nothing of any command.
//
// A command is a [cobra.Command] with a RunE. An error made by [Usage] ends the program with
// exit code 2 and a hint at --help, an [Exit] with its code and no message, any other with 1.
package cli
