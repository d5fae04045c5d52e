// Copyright The toolscope Authors
// SPDX-License-Identifier: Apache-2.0

package personal

import (
	"strings"

	"github.com/toolscope/toolscope/internal/chars"
	"github.com/toolscope/toolscope/redact/internal/names"
)

// thingWords are what numbers of things are called, which look like those of people.
var thingWords = names.Set("isbn issn ean upc gtin sku imei iccid asin order invoice ticket build version " +
	"release revision rev " +
	"part parts model serial sn item product catalog tracking shipment parcel barcode lot batch case bug issue pr " +
	"rfc doi pmid " +
	"timestamp ts epoch time offset size bytes length trace span request build_id commit seq sequence lat lon " +
	"lng latitude longitude " +
	"coordinates point port pid uid gid inode block nonce transaction txn ref reference job run step row page " +
	"message event session")

// linkWords stand between what a number is called and the number.
var linkWords = names.Set("number numbers no nr num id ids is code s")

// NamesThing reports whether the name directly before the number at i, or name if that is not
// empty, says that it is the number of a thing: order_id, ISBN-13, part number.
func NamesThing(s string, i int, name string) bool {
	if name == "" {
		p := chars.SkipBackAny(s, max(0, i-8), i, " \t:=\"'\\#(")
		low := max(0, p-names.MaxName)
		start := p
		for n := 0; n < 3; n++ { // up to two words more
			start = chars.SkipBack(s, low, start, chars.Name)
			if word := s[start:p]; n > 0 && !strings.ContainsAny(word, " ") || start <= low+1 ||
				s[start-1] != ' ' || !linkTail(word) {
				break
			}
			start--
		}
		name = s[start:p]
	}
	return lastIsThing(name)
}

// linkTail reports whether v is "number", "no." or the like, so that the word before says more.
func linkTail(v string) bool { return linkWords[strings.ToLower(strings.Trim(v, ". "))] }

// lastIsThing looks at the last word of a name that is no link word. An id is that of a thing unless
// its name says of whom.
func lastIsThing(name string) bool {
	rest := chars.TrimEnd(strings.ToLower(chars.TrimEnd(name, ".")), "0123456789-_ ")
	id := false
	for rest != "" {
		at := strings.LastIndexAny(rest, "_-. ") + 1
		word := rest[at:]
		switch {
		case thingWords[word]:
			return true
		case word == "id" || word == "ids" || strings.HasSuffix(name, "Id") || strings.HasSuffix(name, "ID"):
			id = true
			if at == 0 {
				return !strings.Contains(word, "card") && !strings.Contains(word, "tax") && !strings.Contains(word,
					"national")
			}
		case linkWords[word]:
		default:
			return id && !chars.OneOf("card tax national payment social security person patient", word)
		}
		rest = strings.TrimRight(rest[:at], "_-. ")
	}
	return id
}
