// Copyright The toolscope Authors
// SPDX-License-Identifier: Apache-2.0

package redis

import (
	"crypto/aes"
	"crypto/cipher"
	"crypto/hkdf"
	"crypto/hmac"
	"crypto/rand"
	"crypto/sha256"
	"encoding/base64"
	"encoding/hex"
	"errors"
	"fmt"
)

// A sealer names keys and seals values with one secret.
type sealer struct {
	id    [4]byte // says which secret sealed a value
	mark  string  // says to other processes which secret this one has
	names []byte
	seal  cipher.AEAD
}

func newSealer(secret []byte) (*sealer, error) {
	derive := func(use string, n int) ([]byte, error) { return hkdf.Key(sha256.New, secret, nil, "toolscope "+use, n) }
	id, err := derive("id", 4)
	if err != nil {
		return nil, fmt.Errorf("redis: Options.Secrets: %w", err)
	}
	names, err := derive("names of keys", sha256.Size)
	if err != nil {
		return nil, fmt.Errorf("redis: Options.Secrets: %w", err)
	}
	mark, err := derive("mark", 16)
	if err != nil {
		return nil, fmt.Errorf("redis: Options.Secrets: %w", err)
	}
	values, err := derive("values", 32)
	if err != nil {
		return nil, fmt.Errorf("redis: Options.Secrets: %w", err)
	}
	block, err := aes.NewCipher(values)
	if err != nil {
		return nil, fmt.Errorf("redis: Options.Secrets: %w", err)
	}
	gcm, err := cipher.NewGCMWithRandomNonce(block)
	if err != nil {
		return nil, fmt.Errorf("redis: Options.Secrets: %w", err)
	}
	s := &sealer{mark: hex.EncodeToString(mark), names: names, seal: gcm}
	copy(s.id[:], id)
	return s, nil
}

// name is what a logical name is called in Redis.
func (s *sealer) name(kind byte, logical string) string {
	mac := hmac.New(sha256.New, s.names)
	mac.Write([]byte{kind})
	mac.Write([]byte(logical))
	return string(kind) + ":" + base64.RawURLEncoding.EncodeToString(mac.Sum(nil)[:18])
}

// sealed is a value that only who knows the secret can read, bound to the key that it is stored under.
func (s *sealer) sealed(kind byte, logical string, value []byte) []byte {
	return s.seal.Seal(s.id[:len(s.id):len(s.id)], nil, value, []byte(s.name(kind, logical)))
}

var errSealed = errors.New("redis: a value cannot be read: another secret sealed it, or it was changed")

// open reads a value that one of the secrets sealed for the key.
func (s *Store) open(kind byte, logical string, value []byte) ([]byte, error) {
	for _, sealer := range s.sealers {
		if n := len(sealer.id); len(value) > n && string(value[:n]) == string(sealer.id[:]) {
			plain, err := sealer.seal.Open(nil, nil, value[n:], []byte(sealer.name(kind, logical)))
			if err != nil {
				return nil, errSealed
			}
			return plain, nil
		}
	}
	return nil, errSealed
}

// token is 128 random bits.
func token() string {
	var b [16]byte
	_, _ = rand.Read(b[:]) // never fails
	return base64.RawURLEncoding.EncodeToString(b[:])
}
