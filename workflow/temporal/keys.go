// Copyright The toolscope Authors
// SPDX-License-Identifier: Apache-2.0

package temporal

import (
	"cmp"
	"crypto/aes"
	"crypto/cipher"
	"crypto/sha256"
	"encoding/base64"
	"encoding/hex"
	"errors"
	"fmt"
	"os"
	"strings"
)

// A key encrypts payloads.
type key struct {
	id   string // tells which key a payload needs
	aead cipher.AEAD
}

const (
	keySize = 32 // bytes: AES-256
	maxKeys = 2
)

// readKeys reads the keys of a file, or of an environment variable if the file is "".
func readKeys(file, variable string) ([]key, error) {
	switch {
	case (file == "") == (variable == ""):
		return nil, errors.New("temporal: KeyFile, KeyVariable: want exactly one of them: payloads are always encrypted")
	case variable != "":
		text, ok := os.LookupEnv(variable)
		if !ok {
			return nil, fmt.Errorf("temporal: KeyVariable: the environment variable %s is not set", variable)
		}
		keys, err := parseKeys(text)
		if err != nil {
			return nil, fmt.Errorf("temporal: KeyVariable %s: %w", variable, err)
		}
		return keys, nil
	}
	text, err := os.ReadFile(file)
	if err != nil {
		return nil, fmt.Errorf("temporal: KeyFile: %w", err)
	}
	keys, err := parseKeys(string(text))
	if err != nil {
		return nil, fmt.Errorf("temporal: KeyFile %s: %w", file, err)
	}
	return keys, nil
}

// parseKeys reads one or two keys, each 32 bytes in base64. Errors do not contain them.
func parseKeys(text string) ([]key, error) {
	fields := strings.FieldsFunc(text, func(r rune) bool { return r == ',' || r == '\n' || r == '\r' || r == ' ' || r == '\t' })
	if len(fields) == 0 || len(fields) > maxKeys {
		return nil, fmt.Errorf("got %d keys, want one, or two during a rotation", len(fields))
	}
	var keys []key
	for i, field := range fields {
		secret, err := base64.StdEncoding.DecodeString(field)
		if err != nil || len(secret) != keySize {
			return nil, fmt.Errorf("key %d: got something else than %d bytes in base64 (openssl rand -base64 32)", i+1, keySize)
		}
		block, err := aes.NewCipher(secret)
		if err != nil {
			return nil, err
		}
		aead, err := cipher.NewGCMWithRandomNonce(block)
		if err != nil {
			return nil, err
		}
		sum := sha256.Sum256(append([]byte("toolscope workflow key\x00"), secret...))
		keys = append(keys, key{hex.EncodeToString(sum[:8]), aead})
	}
	if len(keys) == 2 && cmp.Compare(keys[0].id, keys[1].id) == 0 {
		return nil, errors.New("got the same key twice, want the new key and the old one")
	}
	return keys, nil
}
