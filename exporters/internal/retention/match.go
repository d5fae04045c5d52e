// Copyright The toolscope Authors
// SPDX-License-Identifier: Apache-2.0

package retention

import (
	"bytes"
	"encoding/json"

	"github.com/go-json-experiment/json/jsontext"
)

// decoder reads JSON leniently: what other readers take for a line is one here as well.
func decoder(text []byte) *jsontext.Decoder {
	return jsontext.NewDecoder(bytes.NewReader(text), jsontext.AllowDuplicateNames(true), jsontext.AllowInvalidUTF8(true))
}

// names reports whether a line is the session's. One that is no JSON object, such as one that
// a crash tore, is if it has the session's id as a string.
func (f Forget) names(line []byte) bool {
	if len(bytes.TrimSpace(line)) == 0 {
		return false
	}
	m, ok := read(line)
	if !ok {
		return f.inText(line)
	}
	return m.session == f.Session && (f.Tenant == "" || m.tenant == f.Tenant)
}

// inText reports whether the id stands in a text as a JSON string.
func (f Forget) inText(text []byte) bool {
	quoted, err := json.Marshal(f.Session)
	return err == nil && bytes.Contains(text, quoted) || bytes.Contains(text, []byte(`"`+f.Session+`"`))
}

// members are those of a line that say whose it is and when it was written.
type members struct{ session, tenant, time string }

// read reads a line; of several members of one name the last counts, as for most
// readers. ok is false for what is no object.
func read(line []byte) (m members, ok bool) {
	d := decoder(line)
	ok = eachMember(d, func(name string) bool {
		to := new(string)
		switch name {
		case "session":
			to = &m.session
		case "tenant":
			to = &m.tenant
		case "time":
			to = &m.time
		}
		*to = ""
		if d.PeekKind() != '"' {
			return d.SkipValue() == nil
		}
		value, err := d.ReadToken()
		if err == nil {
			*to = value.String()
		}
		return err == nil
	})
	return m, ok
}

// eachMember reads an object and calls value with each member's name; value reads the value. It
// reports whether all of it was read: what is no object, or has an invalid member, is not.
func eachMember(d *jsontext.Decoder, value func(name string) bool) bool {
	if t, err := d.ReadToken(); err != nil || t.Kind() != '{' {
		return false
	}
	for d.PeekKind() == '"' {
		name, err := d.ReadToken()
		if err != nil || !value(name.String()) {
			return false
		}
	}
	t, err := d.ReadToken()
	return err == nil && t.Kind() == '}'
}

// eachElement does the same for the elements of an array.
func eachElement(d *jsontext.Decoder, element func() bool) bool {
	if _, err := d.ReadToken(); err != nil {
		return false
	}
	for d.PeekKind() != ']' {
		if !element() {
			return false
		}
	}
	_, err := d.ReadToken()
	return err == nil
}
