// Copyright The toolscope Authors
// SPDX-License-Identifier: Apache-2.0

// Package configfile opens configuration files with the sections that the command knows in addition to the
// core's: "redis", for policies that share their state.
package configfile

import (
	"github.com/toolscope/toolscope/config"
	"github.com/toolscope/toolscope/store/redis"
)

// Open is [config.Open] with these sections.
func Open(path string) (*config.File, error) { return config.Open(path, redis.Section()) }

// OpenText is [config.OpenText] with these sections.
func OpenText(name string, text []byte) (*config.File, error) {
	return config.OpenText(name, text, redis.Section())
}

// Check is [config.Check] with these sections.
func Check(name string, text []byte) error { return config.Check(name, text, redis.Section()) }
