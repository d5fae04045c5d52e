// Copyright The toolscope Authors
// SPDX-License-Identifier: Apache-2.0

package main

import (
	"encoding/base64"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"io"
	"runtime/debug"
	"strings"
	"time"
)

// component is a component of CycloneDX 1.6.
type component struct {
	Type    string     `json:"type"`
	Ref     string     `json:"bom-ref"`
	Name    string     `json:"name"`
	Version string     `json:"version"`
	PURL    string     `json:"purl,omitempty"`
	Hashes  []hashed   `json:"hashes,omitempty"`
	Details []property `json:"properties,omitempty"`
}

type property struct {
	Name  string `json:"name"`
	Value string `json:"value"`
}

type hashed struct {
	Algorithm string `json:"alg"`
	Content   string `json:"content"`
}

type dependency struct {
	Ref       string   `json:"ref"`
	DependsOn []string `json:"dependsOn"`
}

// writeBill writes the bill of materials of a binary, as CycloneDX 1.6: what the go command recorded
// in it, which is what was linked.
func writeBill(w io.Writer, info *debug.BuildInfo, created time.Time) error {
	main := component{Type: "application", Ref: "main", Name: info.Path, Version: info.Main.Version}
	main.PURL = "pkg:golang/" + info.Main.Path + "@" + info.Main.Version
	for _, s := range info.Settings {
		main.Details = append(main.Details, property{"go:build:" + s.Key, s.Value})
	}
	parts := []component{{
		Type: "library", Ref: "std", Name: "std", Version: info.GoVersion,
		PURL: "pkg:golang/std@" + strings.TrimPrefix(info.GoVersion, "go"),
	}}
	for _, m := range info.Deps {
		sum, err := base64.StdEncoding.DecodeString(strings.TrimPrefix(m.Sum, "h1:"))
		if err != nil || len(sum) == 0 {
			return fmt.Errorf("%s %s: got checksum %q, want one of the form h1:…", m.Path, m.Version, m.Sum)
		}
		purl := "pkg:golang/" + m.Path + "@" + m.Version
		parts = append(parts, component{
			Type: "library", Ref: purl, Name: m.Path, Version: m.Version, PURL: purl,
			Hashes: []hashed{{"SHA-256", hex.EncodeToString(sum)}},
		})
	}
	links := dependency{Ref: main.Ref}
	for _, p := range parts {
		links.DependsOn = append(links.DependsOn, p.Ref)
	}
	out := json.NewEncoder(w)
	out.SetIndent("", "  ")
	out.SetEscapeHTML(false)
	return out.Encode(map[string]any{
		"bomFormat": "CycloneDX", "specVersion": "1.6", "version": 1,
		"metadata":   map[string]any{"timestamp": created.Format(time.RFC3339), "component": main},
		"components": parts, "dependencies": []dependency{links},
	})
}
