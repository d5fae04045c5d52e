// Copyright The toolscope Authors
// SPDX-License-Identifier: Apache-2.0

// Package weather gives an agent the weather of a place: now, and day by day. It asks
// Open-Meteo (https://open-meteo.com) or a server that answers alike.
//
//	tools, err := weather.New(weather.Options{})
//	err = registry.Register(tools.Tools()...)
//
// The public servers are free for uses that earn nothing; others need a key
// ([Options.APIKey]) or a server of their own. The key is in no error and no answer. Time and
// size of what the servers say are limited.
//
// # What is left out
//
// Warnings, hours, the past, and places without a name that the server knows: those can be
// given by latitude and longitude.
package weather
