// Copyright The toolscope Authors
// SPDX-License-Identifier: Apache-2.0

package retention

import (
	"bytes"
	"cmp"
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

// ofSession forgets a session only.
func (f Forget) ofSession() Forget {
	f.Call = ""
	return f
}

// namer reports for the lines of a file, in their order, whether they are the session's, or the call's and its steps'.
func (f Forget) namer() func(line []byte) bool {
	if f.Call == "" {
		return f.names
	}
	calls := map[string]bool{f.Call: true}
	return func(line []byte) bool {
		if len(bytes.TrimSpace(line)) == 0 {
			return false
		}
		m, ok := read(line)
		switch {
		case !ok:
			return f.inText(line)
		case m.parent != "" && calls[m.parent]:
			calls[m.call] = true
			return true
		}
		return m.call != "" && calls[m.call]
	}
}

// inText reports whether the id stands in a text as a JSON string.
func (f Forget) inText(text []byte) bool {
	id := cmp.Or(f.Call, f.Session)
	quoted, err := json.Marshal(id)
	return err == nil && bytes.Contains(text, quoted) || bytes.Contains(text, []byte(`"`+id+`"`))
}

// members are those of a line that say whose it is and when it was written.
type members struct{ session, tenant, time, call, parent string }

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
		case "call":
			to = &m.call
		case "parent_call":
			to = &m.parent
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
