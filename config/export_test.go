// Copyright The toolscope Authors
// SPDX-License-Identifier: Apache-2.0

package config

// SetSectionImport makes a package the one that defines a section, until the function returned is
// called.
func SetSectionImport(name, path string) (undo func()) {
	sectionImports[name] = path
	return func() { delete(sectionImports, name) }
}
