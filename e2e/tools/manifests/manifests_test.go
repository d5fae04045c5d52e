// Copyright The toolscope Authors
// SPDX-License-Identifier: Apache-2.0

// Package manifests checks the manifests for Kubernetes against the types of its API, and the Compose files against
// the Compose specification.
package manifests

import (
	"bytes"
	"os"
	"path/filepath"
	"testing"

	apps "k8s.io/api/apps/v1"
	core "k8s.io/api/core/v1"
	"sigs.k8s.io/yaml"
)

// TestManifests decodes each document strictly: fields that are unknown, given twice or of another type are errors.
func TestManifests(t *testing.T) {
	files, err := filepath.Glob("../../../examples/deploy/kubernetes/*.yaml")
	if err != nil {
		t.Fatal(err)
	}
	documents := 0
	for _, file := range files {
		text, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		for document := range bytes.SplitSeq(text, []byte("\n---\n")) {
			var head struct{ APIVersion, Kind string }
			if err := yaml.Unmarshal(document, &head); err != nil {
				t.Fatalf("%s: %v", file, err)
			}
			object := map[string]any{
				"v1 Service": new(core.Service), "apps/v1 Deployment": new(apps.Deployment), "apps/v1 StatefulSet": new(apps.StatefulSet),
			}[head.APIVersion+" "+head.Kind]
			if object == nil {
				t.Errorf("%s: got %s %s, want a kind that this test knows", file, head.APIVersion, head.Kind)
			} else if err := yaml.UnmarshalStrict(document, object); err != nil {
				t.Errorf("%s: %s: %v", file, head.Kind, err)
			}
			documents++
		}
	}
	if documents < 9 {
		t.Errorf("got %d documents, want those of nine objects", documents)
	}
}
