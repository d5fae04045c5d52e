// Copyright The toolscope Authors
// SPDX-License-Identifier: Apache-2.0

package data

// textInput is what the tool text takes; which members count depends on the operation.
type textInput struct {
	Operation   string `json:"operation"`
	Text        string `json:"text"`
	Other       string `json:"other"`
	Find        string `json:"find"`
	Pattern     string `json:"pattern"`
	Replacement string `json:"replacement"`
	IgnoreCase  bool   `json:"ignore_case"`
	To          string `json:"to"`
	What        string `json:"what"`
	Encoding    string `json:"encoding"`
	Algorithm   string `json:"algorithm"`
	Limit       *int   `json:"limit"`
}
