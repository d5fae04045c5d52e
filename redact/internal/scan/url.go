// Copyright The toolscope Authors
// SPDX-License-Identifier: Apache-2.0

package scan

import (
	"strings"

	"github.com/toolscope/toolscope/internal/chars"
	"github.com/toolscope/toolscope/redact/internal/chance"
	"github.com/toolscope/toolscope/redact/internal/kinds"
	"github.com/toolscope/toolscope/redact/internal/marks"
	"github.com/toolscope/toolscope/redact/internal/names"
	"github.com/toolscope/toolscope/redact/internal/operands"
	"github.com/toolscope/toolscope/redact/internal/values"
)

// maxURL is how much of a URL is examined, in bytes.
const maxURL = 2 << 10

// urlHit looks at the userinfo of the URL (RFC 3986, 3.2.1) whose "://" is at i. Secrets
// in its query and fragment have names, and are found by those.
func (sc *Scanner) urlHit(s string, i int) int {
	if i == 0 || !chars.IsAlnum(s[i-1]) {
		return 0
	}
	p := i + 3
	limit := min(len(s), p+maxURL)
	if p == limit {
		return 0
	}
	if sc.at.find(s, "@", p) >= limit {
		return 0 // no userinfo
	}
	if i < sc.url { // within another one, it ends where the next one begins
		if next := strings.Index(s[p:limit], "://"); next >= 0 {
			limit = p + next
		}
	}
	end := operands.URLEnd(s, p, limit)
	sc.url = max(sc.url, end)
	sc.spend(end - p)
	sc.pay(costOfByte * (end - p))
	at, colon := operands.Userinfo(s, p, end)
	if at < 0 {
		return 0
	}
	if strings.HasPrefix(s[p:at], marks.Head) { // an id that an earlier pass has removed
		return sc.takeNamed(s, p, at, kinds.URLPassword)
	}
	if colon < 0 {
		if v := s[p:at]; len(v) >= 16 && chance.Random(v) && !values.IsReference(v) {
			return sc.takeNamed(s, p, at, kinds.URLPassword)
		}
		return 0
	}
	v := s[colon+1 : at]
	if v == "x-oauth-basic" { // the name is a token
		if u := s[p:colon]; len(u) >= 16 && !values.IsReference(strings.TrimLeft(u, `\`)) && !chance.IsRepeated(u) {
			return sc.takeNamed(s, p, colon, kinds.URLPassword)
		}
		return 0
	}
	if strings.ToUpper(v) == v && names.Classify(v).Level == names.Secret { // USER:PASSWORD@HOST
		return 0
	}
	if v == "" || chars.OneOf("user username", s[p:colon]) && values.IsFieldName(v) ||
		values.IsReference(v) || chance.IsRepeated(v) || strings.HasPrefix(v, "${") ||
		strings.HasPrefix(v, "{") && strings.HasSuffix(v, "}") || strings.HasPrefix(v, "$") &&
		chars.IsIdentifier(v[1:]) {
		return 0
	}
	if u := s[p:colon]; len(u) >= 8 && chars.IsHex(u) && chars.HasDigit(u) {
		return sc.takeNamed(s, p, at, kinds.URLPassword) // the name is drawn by chance as well
	}
	return sc.takeNamed(s, colon+1, at, kinds.URLPassword)
}
