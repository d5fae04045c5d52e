// Copyright The toolscope Authors
// SPDX-License-Identifier: Apache-2.0

package data

import "fmt"

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

func (in *textInput) limit() (int, error) {
	if in.Limit == nil {
		return 100, nil
	}
	if *in.Limit < 1 || *in.Limit > 1000 {
		return 0, invalid("limit", fmt.Sprint(*in.Limit), "1 to 1000")
	}
	return *in.Limit, nil
}
