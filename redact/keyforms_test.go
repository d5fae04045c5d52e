// Copyright The toolscope Authors
// SPDX-License-Identifier: Apache-2.0

package redact

import (
	"crypto/ecdsa"
	"crypto/ed25519"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/rsa"
	"crypto/x509"
	b64 "encoding/base64"
	"strings"
	"testing"

	"github.com/toolscope/toolscope/internal/canary"
)

// TestPrivateKeysWithoutPEM: private keys are found by their encoding alone, on one line
// or on several; public keys stay.
func TestPrivateKeysWithoutPEM(t *testing.T) {
	rsaKey := must(rsa.GenerateKey(rand.Reader, 2048))
	ecKey := must(ecdsa.GenerateKey(elliptic.P256(), rand.Reader))
	edPublic, edKey, err := ed25519.GenerateKey(rand.Reader)
	if err != nil {
		t.Fatal(err)
	}
	for name, der := range map[string][]byte{
		"PKCS #1":         x509.MarshalPKCS1PrivateKey(rsaKey),
		"PKCS #8 RSA":     must(x509.MarshalPKCS8PrivateKey(rsaKey)),
		"PKCS #8 EC":      must(x509.MarshalPKCS8PrivateKey(ecKey)),
		"PKCS #8 Ed25519": must(x509.MarshalPKCS8PrivateKey(edKey)),
		"SEC 1":           must(x509.MarshalECPrivateKey(ecKey)),
		"OpenSSH":         append([]byte("openssh-key-v1\x00\x00\x00\x00\x04none\x00\x00\x00\x04none"), edKey...),
	} {
		key := b64.StdEncoding.EncodeToString(der)
		for _, text := range []string{key, object("data", key), "data: " + strings.Join(split(key, 64), "\n  ") + "\nnext: 1"} {
			out, found := Default().Text(text)
			if canary.Find(unescapeAll(out), []canary.Secret{{Value: key[8:]}}) != nil || found.Count() != 1 {
				t.Errorf("%s: %q became %q", name, text, out)
			}
			if strings.HasSuffix(text, "next: 1") && !strings.HasSuffix(out, "\nnext: 1") {
				t.Errorf("%s: %q became %q, want the next line kept", name, text, out)
			}
		}
	}
	for name, der := range map[string][]byte{
		"RSA":     must(x509.MarshalPKIXPublicKey(&rsaKey.PublicKey)),
		"PKCS #1": x509.MarshalPKCS1PublicKey(&rsaKey.PublicKey),
		"EC":      must(x509.MarshalPKIXPublicKey(&ecKey.PublicKey)),
		"Ed25519": must(x509.MarshalPKIXPublicKey(edPublic)),
	} {
		text := "data: " + b64.StdEncoding.EncodeToString(der)
		if out, _ := Default().Text(text); out != text {
			t.Errorf("public %s: %q became %q", name, text, out)
		}
	}
}

func split(s string, n int) (out []string) {
	for len(s) > n {
		out, s = append(out, s[:n]), s[n:]
	}
	return append(out, s)
}

// TestKeyForms: forms that have a variant beside the one of TestEveryKind.
func TestKeyForms(t *testing.T) {
	m := newMaker(3)
	lines := m.drawn(64) + "\n" + m.drawn(64) + "\n" + m.drawn(40)
	for _, c := range []struct{ value, text string }{
		{lines, "PuTTY-User-Key-File-3: ssh-rsa\nPrivate-Lines: 3\n" + lines + "\nPrivate-MAC: 00"},
		{m.drawn(43), "$argon2" + "id$v=19$m=65536,t=3,p=4$" + m.drawn(22) + "$"},
		{"SU" + m.randomText(56, upLetters), "-----BEGIN USER NKEY SEED-----\n"},
		{m.drawn(52) + "JQ" + "QJ99" + m.drawn(27), ""},
		{m.drawn(42) + "Az" + "Se" + m.drawn(8)[:6], "key is "},
	} {
		text := c.text
		if !strings.Contains(text, c.value) {
			text += c.value
		}
		if out, _ := Default().Text(text); canary.Find(out, []canary.Secret{{Value: c.value}}) != nil {
			t.Errorf("%q became %q", text, out)
		}
	}
	for _, text := range []string{
		"the mii of the card", "pk_12345_short", "cost $2a$ or $2b$", "cargon2 wasm", "see _mmk and NRAL",
		"an azdo pipeline, azfunc, azsecurity",
		"Private-Lines: 0\n",
	} {
		if out, _ := Default().Text(text); out != text {
			t.Errorf("%q became %q", text, out)
		}
	}
}
