// Copyright The toolscope Authors
// SPDX-License-Identifier: Apache-2.0

package configfile

import (
	"fmt"
	"os"

	"github.com/spf13/pflag"
	"go.yaml.in/yaml/v4"

	"github.com/toolscope/toolscope/internal/strictyaml"
)

// TenantFlag defines --tenant: the tenant of all sessions of a command.
func TenantFlag(f *pflag.FlagSet, to *string) {
	f.StringVar(to, "tenant", os.Getenv("TOOLSCOPE_TENANT"), "the tenant of all sessions is `NAME`, for budgets and "+
		"answers that a tenant's sessions share; the default is $TOOLSCOPE_TENANT")
	f.Lookup("tenant").DefValue = ""
}

// CheckTenant is an error if the file, "" for none, has a policy for tenants, and tenant is "": the policy would never
// apply. What else is wrong with the file is reported when it is opened.
func CheckTenant(path, tenant string) error {
	if path == "" || tenant != "" {
		return nil
	}
	text, err := strictyaml.ReadFile(path)
	if err != nil {
		return nil
	}
	type reuse struct {
		Enabled *bool  `yaml:"enabled"`
		Share   string `yaml:"share"`
	}
	var file struct {
		Policies struct {
			Budget struct {
				Enabled *bool `yaml:"enabled"`
				Tenant  struct {
					Calls int     `yaml:"calls"`
					Time  string  `yaml:"time"`
					Cost  float64 `yaml:"cost"`
				} `yaml:"tenant"`
			} `yaml:"budget"`
			Cache  reuse `yaml:"cache"`
			Dedupe reuse `yaml:"dedupe"`
		} `yaml:"policies"`
	}
	if yaml.Unmarshal(text, &file) != nil {
		return nil
	}
	p := &file.Policies
	on := func(enabled *bool) bool { return enabled == nil || *enabled }
	for _, field := range []struct {
		name string
		used bool
	}{
		{"budget.tenant", on(p.Budget.Enabled) && (p.Budget.Tenant.Calls > 0 || p.Budget.Tenant.Cost > 0 ||
			p.Budget.Tenant.Time != "" && p.Budget.Tenant.Time != "0s")},
		{"cache.share", on(p.Cache.Enabled) && p.Cache.Share == "tenant"},
		{"dedupe.share", on(p.Dedupe.Enabled) && p.Dedupe.Share == "tenant"},
	} {
		if field.used {
			return fmt.Errorf("%s: policies.%s: got a policy for tenants, and sessions without one: want --tenant NAME or "+
				"TOOLSCOPE_TENANT", path, field.name)
		}
	}
	return nil
}
