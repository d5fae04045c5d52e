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
	if t, err := d.ReadToken(); err != nil || t.Kind() != '{' {
		return m, false
	}
	for d.PeekKind() == '"' {
		name, err := d.ReadToken()
		if err != nil {
			return m, false
		}
		to := new(string)
		switch name.String() {
		case "session":
			to = &m.session
		case "tenant":
			to = &m.tenant
		case "time":
			to = &m.time
		}
		*to = ""
		if d.PeekKind() != '"' {
			if d.SkipValue() != nil {
				return m, false
			}
			continue
		}
		value, err := d.ReadToken()
		if err != nil {
			return m, false
		}
		*to = value.String()
	}
	t, err := d.ReadToken()
	return m, err == nil && t.Kind() == '}'
}
