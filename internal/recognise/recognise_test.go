// Copyright The toolscope Authors
// SPDX-License-Identifier: Apache-2.0

package recognise

import (
	"strings"
	"testing"
)

func TestUUID(t *testing.T) {
	const uuid = "3f2504e0-4f89-11d3-9a0c-0305e82c3301"
	for v, want := range map[string]bool{
		uuid: true, strings.ToUpper(uuid): true, uuid[1:]: false, uuid + "0": false, "": false,
		strings.Replace(uuid, "-", "_", 1): false, strings.Replace(uuid, "3", "g", 1): false,
	} {
		if got := UUID(v); got != want {
			t.Errorf("%s: got %v, want %v", v, got, want)
		}
	}
}

// check finds in each text what stands between angles, and nothing where there are none.
func check(t *testing.T, texts []string, mark string, find func(s string, i int) (from, to int, ok bool)) {
	t.Helper()
	for _, text := range texts {
		from, to := strings.IndexByte(text, '<'), strings.IndexByte(text, '>')-1
		s := strings.NewReplacer("<", "", ">", "").Replace(text)
		i := strings.Index(s, mark)
		if i < 0 {
			t.Fatalf("%q has no %q", text, mark)
		}
		a, b, ok := find(s, i)
		if ok != (from >= 0) || ok && (a != from || b != to) {
			t.Errorf("%q: got [%d,%d), %v, want [%d,%d)", text, a, b, ok, from, to)
		}
	}
}

func TestEmail(t *testing.T) {
	check(t, []string{
		"mail <jane.doe@mail.example.org>, now", "<a+b@c.de>", "'<o'neil@example.org>'", "=<x@example.org>",
		"<jörg@münchen.de>.", "<a@b.xn--p1ai>",
		"a@b", "a@.org", "@example.org", "a.@example.org", "a@example.o", "a@10.0.0.1", "a@", "x @example.org",
	}, "@", func(s string, i int) (int, int, bool) {
		from, to := Email(s, i)
		return from, to, to > 0
	})
}

func TestIPv4(t *testing.T) {
	check(t, []string{
		"from <10.0.0.7>:5432", "<192.0.0.1>.", "<0.0.0.0>", "[<1.0.0.1>]",
		"10.0.0.256", "10.0.0", "v10.0.0.7", "10.0.0.7.1", "10.0.0.7x", "10.0.0.7_", "010.0.0.7", "1.0.0.1.1.1.1.1.1.1.1.1",
	}, "0.0", func(s string, i int) (int, int, bool) {
		_, from, to, ok := IPv4(s, i)
		return from, to, ok
	})
}

func TestIPv6(t *testing.T) {
	check(t, []string{
		"from [<2001:db8::1>]:443", "<::1>", "<fe80::1%eth0>:", "<::ffff:10.0.0.7>.", "<1:2:3:4:5:6:7:8>",
		"12:34:56", "1::2::3", "x2001:db8::1", "2001:db8::1x", "1:2:3:4:5:6:7:8:9",
	}, ":", func(s string, i int) (int, int, bool) {
		_, from, to, ok := IPv6(s, i)
		return from, to, ok
	})
}

// FuzzRecognise: no text makes it panic or leave the text, and what is found is found again.
func FuzzRecognise(f *testing.F) {
	f.Add("a@b.org 10.0.0.7 fe80::1%eth0", 1)
	f.Fuzz(func(t *testing.T, s string, i int) {
		if i < 0 || i >= len(s) {
			t.Skip()
		}
		if _, from, to, ok := IPv4(s, i); ok && (from > i || to < i || to > len(s)) {
			t.Errorf("IPv4 of %q around %d: got [%d,%d)", s, i, from, to)
		}
		if _, from, to, ok := IPv6(s, i); ok && (from > i || to < i || to > len(s)) {
			t.Errorf("IPv6 of %q around %d: got [%d,%d)", s, i, from, to)
		}
		if from, to := Email(s, i); to > 0 && (from >= i || to <= i || to > len(s)) {
			t.Errorf("Email of %q around %d: got [%d,%d)", s, i, from, to)
		}
		UUID(s)
	})
}
