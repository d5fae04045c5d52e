// Copyright The toolscope Authors
// SPDX-License-Identifier: Apache-2.0

package sqldb

import (
	"encoding/json"
	"fmt"
	"strconv"
)

// param is one parameter of a statement: a string, a number, true, false or null.
// Numbers keep their precision: whole ones are int64, others float64.
type param struct{ value any }

// UnmarshalJSON refuses arrays and objects.
func (p *param) UnmarshalJSON(text []byte) error {
	switch text[0] {
	case '{', '[':
		return fmt.Errorf("params: got an array or object, want strings, numbers, booleans and nulls")
	case 'n', 't', 'f', '"':
		return json.Unmarshal(text, &p.value)
	}
	if n, err := strconv.ParseInt(string(text), 10, 64); err == nil {
		p.value = n
		return nil
	}
	f, err := strconv.ParseFloat(string(text), 64)
	if err != nil {
		return fmt.Errorf("params: got a number that is too large, want one that fits into 64 bits")
	}
	p.value = f
	return nil
}

func values(params []param) []any {
	args := make([]any, len(params))
	for i, p := range params {
		args[i] = p.value
	}
	return args
}
