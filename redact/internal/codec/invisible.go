// Copyright The toolscope Authors
// SPDX-License-Identifier: Apache-2.0

package codec

import (
	"strconv"
	"strings"
	"unicode/utf8"

	"github.com/toolscope/toolscope/internal/chars"
)

// Characters that are not shown, by their first byte: soft hyphens, zero-width blanks and joiners,
// the byte order mark.
const (
	SoftHyphen Codec = 0xc2
	ZeroWidth  Codec = 0xe2
	ByteOrder  Codec = 0xef
	Entity     Codec = '&' // of HTML
)

var invisible = [...]string{"\u00ad", "\u200b", "\u200c", "\u200d", "\u2060", "\ufeff"}

// InvisibleIn reports whether a character of c stands in s.
func (c Codec) InvisibleIn(s string) bool {
	for _, v := range invisible {
		if v[0] == byte(c) && strings.Contains(s, v) {
			return true
		}
	}
	return false
}

// invisibleAt is the length of the character that is not shown at s[0]; 0 if there is none.
func invisibleAt(s string) int {
	for _, v := range invisible {
		if strings.HasPrefix(s, v) {
			return len(v)
		}
	}
	return 0
}

// maxEntity is the longest entity, in bytes.
const maxEntity = 10

// EntityIn reports whether an entity of HTML stands in s.
func EntityIn(s string) bool {
	for i := strings.IndexByte(s, '&'); i >= 0; {
		if n, _ := entityAt(s[i:]); n > 0 {
			return true
		}
		next := strings.IndexByte(s[i+1:], '&')
		if next < 0 {
			return false
		}
		i += 1 + next
	}
	return false
}

// entities are the names of characters in HTML and what they stand for: ASCII, blanks, dashes, quotes, and the
// letters of Latin 1. Package html knows all 2,125, which are 66 KB of a program.
const entities = " Tab \t NewLine \n excl ! QUOT \" quot \" num # dollar $ percnt % AMP & amp & apos ' lpar ( rpar ) " +
	"ast * midast * plus + comma , period . sol / colon : semi ; LT < lt < equals = GT > gt > quest ? " +
	"commat @ lbrack [ lsqb [ bsol \\ rbrack ] rsqb ] Hat ^ UnderBar _ lowbar _ grave ` lbrace { " +
	"lcub { verbar | vert | rbrace } rcub } zwnj \u200c zwj \u200d NoBreak \u2060 lrm \u200e " +
	"rlm \u200f ensp \u2002 emsp \u2003 thinsp \u2009 hyphen ‐ dash ‐ ndash – mdash — lsquo ‘ rsquo ’ " +
	"sbquo ‚ ldquo “ rdquo ” bdquo „ lsaquo ‹ rsaquo › bull • hellip … euro € nbsp \u00a0 iexcl ¡ " +
	"cent ¢ pound £ curren ¤ yen ¥ brvbar ¦ sect § uml ¨ copy © ordf ª laquo « not ¬ shy \u00ad reg ® " +
	"macr ¯ deg ° plusmn ± sup2 ² sup3 ³ acute ´ micro µ para ¶ middot · cedil ¸ sup1 ¹ ordm º raquo » " +
	"frac14 ¼ frac12 ½ frac34 ¾ iquest ¿ Agrave À Aacute Á Acirc Â Atilde Ã Auml Ä Aring Å AElig Æ " +
	"Ccedil Ç Egrave È Eacute É Ecirc Ê Euml Ë Igrave Ì Iacute Í Icirc Î Iuml Ï ETH Ð Ntilde Ñ " +
	"Ograve Ò Oacute Ó Ocirc Ô Otilde Õ Ouml Ö times × Oslash Ø Ugrave Ù Uacute Ú Ucirc Û Uuml Ü " +
	"Yacute Ý THORN Þ szlig ß agrave à aacute á acirc â atilde ã auml ä aring å aelig æ ccedil ç " +
	"egrave è eacute é ecirc ê euml ë igrave ì iacute í icirc î iuml ï eth ð ntilde ñ ograve ò " +
	"oacute ó ocirc ô otilde õ ouml ö divide ÷ oslash ø ugrave ù uacute ú ucirc û uuml ü yacute ý " +
	"thorn þ yuml ÿ OElig Œ oelig œ Scaron Š scaron š Yuml Ÿ "

// entityAt is the length of the entity at s[0], and what it stands for; 0 if there is none.
func entityAt(s string) (raw int, text string) {
	end := strings.IndexByte(s[:min(len(s), maxEntity)], ';')
	if end < 3 {
		return 0, ""
	}
	name := s[1:end]
	if name[0] == '#' {
		base, digits := 10, name[1:]
		if digits[0]|0x20 == 'x' {
			base, digits = 16, digits[1:]
		}
		n, err := strconv.ParseUint(digits, base, 31)
		if err != nil {
			return 0, ""
		}
		if n == 0 {
			n = utf8.RuneError
		}
		return end + 1, string(rune(n))
	}
	for i := range len(name) {
		if !chars.IsAlnum(name[i]) {
			return 0, ""
		}
	}
	at := strings.Index(entities, " "+name+" ")
	if at < 0 {
		return 0, ""
	}
	text, _, _ = strings.Cut(entities[at+len(name)+2:], " ")
	return end + 1, text
}
