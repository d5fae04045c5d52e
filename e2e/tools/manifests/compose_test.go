// Copyright The toolscope Authors
// SPDX-License-Identifier: Apache-2.0

package manifests

import (
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/compose-spec/compose-go/v2/loader"
	"github.com/compose-spec/compose-go/v2/types"
)

// compose loads a Compose file as docker compose does: against the schema, with its variables and references.
func compose(t *testing.T, file string, text []byte, env map[string]string) (*types.Project, error) {
	t.Helper()
	return loader.LoadWithContext(t.Context(), types.ConfigDetails{
		WorkingDir:  filepath.Dir(file),
		ConfigFiles: []types.ConfigFile{{Filename: file, Content: text}},
		Environment: maps.Clone(env), // the loader writes into it
	}, func(o *loader.Options) { o.SetProjectName("deploy", true) })
}

// TestCompose checks that the Compose files load, that their bind mounts exist, that the production file names a
// required variable that is missing, and that a misspelt field of each kind is an error.
func TestCompose(t *testing.T) {
	for name, env := range map[string]map[string]string{
		"compose.yaml":            {},
		"compose.production.yaml": {"TOKEN_FILE": "./prometheus.production.yml", "GRAFANA_PASSWORD": "generated"},
	} {
		file := filepath.Join("../../../examples/deploy", name)
		text, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		project, err := compose(t, file, text, env)
		if err != nil {
			t.Errorf("%s: %v", name, err)
			continue
		}
		if got := slices.Sorted(maps.Keys(project.Services)); strings.Join(got, " ") != "collector grafana jaeger prometheus" {
			t.Errorf("%s: got the services %q", name, got)
		}
		for _, service := range project.Services {
			for _, volume := range service.Volumes {
				if volume.Type != types.VolumeTypeBind {
					continue
				}
				if _, err := os.Stat(volume.Source); err != nil {
					t.Errorf("%s: service %s: a mount: %v", name, service.Name, err)
				}
			}
		}
		for variable := range env {
			rest := maps.Clone(env)
			delete(rest, variable)
			if _, err := compose(t, file, text, rest); err == nil || !strings.Contains(err.Error(), variable) {
				t.Errorf("%s without %s: got %v, want an error that names it", name, variable, err)
			}
		}
		for _, field := range []string{"services", "image", "command", "volumes", "environment", "restart", "user"} {
			misspelt := strings.Replace(string(text), field+":", field+"x:", 1)
			if _, err := compose(t, file, []byte(misspelt), env); err == nil {
				t.Errorf("%s with %sx: loaded, want an error", name, field)
			}
		}
	}
}
