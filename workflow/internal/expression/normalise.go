// Copyright The toolscope Authors
// SPDX-License-Identifier: Apache-2.0

package expression

import (
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"reflect"
	"strings"
)

const (
	maxDepth = 64      // levels of a value
	maxBytes = 8 << 20 // of the texts of a value, with 16 for each element
)

// Decode reads one value of JSON. Whole numbers are ints, those beyond 64 bits keep their digits ([json.Number]).
func Decode(text []byte) (any, error) {
	d := json.NewDecoder(strings.NewReader(string(text)))
	d.UseNumber()
	var v any
	if err := d.Decode(&v); err != nil {
		return nil, err
	}
	if d.More() {
		return nil, errors.New("more than one value of JSON")
	}
	return Normalise(v)
}

// Normalise returns v with the types of JSON only: nil, bool, int, float64, [json.Number] for numbers that no int holds,
// string, []any and map[string]any. What has no form in JSON, and what is too large, is an error.
func Normalise(v any) (any, error) {
	n := normaliser{left: maxBytes}
	return n.value(v, 0)
}

type normaliser struct{ left int }

var errTooLarge = fmt.Errorf("the value is larger than %d MiB or has more than %d levels", maxBytes>>20, maxDepth)

func (n *normaliser) value(v any, depth int) (any, error) {
	if n.left -= 16; n.left < 0 || depth > maxDepth {
		return nil, errTooLarge
	}
	switch v := v.(type) {
	case nil, bool, int:
		return v, nil
	case json.Number:
		return number(v), nil
	case float64:
		if math.IsNaN(v) || math.IsInf(v, 0) {
			return nil, errors.New("the value is a number that JSON does not have")
		}
		return v, nil
	case string:
		if n.left -= len(v); n.left < 0 {
			return nil, errTooLarge
		}
		return v, nil
	}
	return n.reflected(reflect.ValueOf(v), depth)
}

func (n *normaliser) reflected(v reflect.Value, depth int) (any, error) {
	switch v.Kind() {
	case reflect.Slice, reflect.Array:
		list := make([]any, v.Len())
		for i := range list {
			var err error
			if list[i], err = n.value(v.Index(i).Interface(), depth+1); err != nil {
				return nil, err
			}
		}
		return list, nil
	case reflect.Map:
		m := make(map[string]any, v.Len())
		for entries := v.MapRange(); entries.Next(); {
			key, ok := entries.Key().Interface().(string)
			if !ok {
				return nil, errors.New("the value has a key that is no text")
			}
			n.left -= len(key)
			value, err := n.value(entries.Value().Interface(), depth+1)
			if err != nil {
				return nil, err
			}
			m[key] = value
		}
		return m, nil
	case reflect.Int8, reflect.Int16, reflect.Int32, reflect.Int64:
		return int(v.Int()), nil
	case reflect.Uint8, reflect.Uint16, reflect.Uint32:
		return int(v.Uint()), nil
	case reflect.String:
		return n.value(v.String(), depth)
	case reflect.Float32:
		return n.value(v.Float(), depth)
	}
	return nil, fmt.Errorf("the value has no form in JSON: %s", v.Type())
}

// number is an int where it is one, and else a float64 where that has its digits.
func number(v json.Number) any {
	if i, err := v.Int64(); err == nil && int64(int(i)) == i {
		return int(i)
	}
	if f, err := v.Float64(); err == nil && (strings.ContainsAny(v.String(), ".eE") || math.Abs(f) < 1<<53) {
		return f
	}
	return v
}
