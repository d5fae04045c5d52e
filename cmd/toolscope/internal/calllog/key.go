// Copyright The toolscope Authors
// SPDX-License-Identifier: Apache-2.0

package calllog

import (
	"crypto/hmac"
	"crypto/rand"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io/fs"
	"os"

	"github.com/toolscope/toolscope/toolkit/identity"
)

// A Key makes fingerprints of arguments: equal ones for equal arguments, also where redaction has removed what differs.
// Without the key a fingerprint tells nothing of the arguments, not even to who guesses them. A nil Key makes none.
type Key struct{ secret []byte }

// keySize is in bytes.
const keySize = 32

// OpenKey reads the key in a file, which it makes if it is not there and only its owner may read.
func OpenKey(path string) (*Key, error) {
	secret, err := os.ReadFile(path)
	if errors.Is(err, fs.ErrNotExist) {
		return makeKey(path)
	}
	if err == nil && len(secret) != keySize {
		err = fmt.Errorf("%s: got %d bytes, want %d", path, len(secret), keySize)
	}
	if err != nil {
		return nil, err
	}
	return &Key{secret}, nil
}

// makeKey makes the file appear whole: of several processes the first one's stays.
func makeKey(path string) (*Key, error) {
	secret := make([]byte, keySize)
	_, _ = rand.Read(secret) // never fails
	made := path + "." + rand.Text()[:8]
	if err := os.WriteFile(made, secret, 0o600); err != nil {
		return nil, err
	}
	err := os.Link(made, path)
	if errors.Is(err, errors.ErrUnsupported) {
		return &Key{secret}, os.Rename(made, path)
	}
	_ = os.Remove(made)
	if errors.Is(err, fs.ErrExist) {
		return OpenKey(path)
	}
	if err != nil {
		return nil, err
	}
	return &Key{secret}, nil
}

// Fingerprint is that of arguments in any spelling, "" for those without an identity ([identity.Of]).
func (k *Key) Fingerprint(arguments []byte) string {
	if k == nil {
		return ""
	}
	a, ok := identity.Of(arguments, nil, nil)
	if !ok {
		return ""
	}
	mac := hmac.New(sha256.New, k.secret)
	mac.Write(a.AppendCanonical(nil))
	return hex.EncodeToString(mac.Sum(nil)[:16])
}
