// Copyright The toolscope Authors
// SPDX-License-Identifier: Apache-2.0

package redact

import (
	"encoding/json"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/toolscope/toolscope/internal/canary"
)

// TestSecretsBesideOneAnother puts secrets behind one another in any order: the value
// of a Cookie header, which goes to the end of its line, once swallowed the first line
// of a private key's block and let the rest of it out.
func TestSecretsBesideOneAnother(t *testing.T) {
	rnd := rand.New(rand.NewPCG(1, 2))
	separators := []string{"; ", "\n", ", ", " | ", " ", "\t", " - ", "\r\n"}
	for seed := range uint64(600) {
		secrets := canary.Secrets(seed)
		rnd.Shuffle(len(secrets), func(i, j int) { secrets[i], secrets[j] = secrets[j], secrets[i] })
		var texts []string
		for _, s := range secrets {
			texts = append(texts, s.Text)
		}
		text := "x " + strings.Join(texts, separators[rnd.IntN(len(separators))]) + " y"
		if seed%2 == 1 {
			text = string(must(json.Marshal(map[string]string{"text": text})))
		}
		out, _ := Default().Text(text)
		if found := canary.Find(unescapeAll(out), secrets); found != nil {
			t.Fatalf("%v survives in %q", found, out)
		}
	}
}
