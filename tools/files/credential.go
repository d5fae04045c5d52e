// Copyright The toolscope Authors
// SPDX-License-Identifier: Apache-2.0

package files

import (
	"path/filepath"
	"strings"
)

// credentialNames are the files and folders in which people's programs keep
// credentials, wherever they lie.
var credentialNames = map[string]bool{
	".ssh": true, ".aws": true, ".kube": true, ".gnupg": true, ".netrc": true, "_netrc": true, ".azure": true, ".oci": true,
	".git-credentials": true, ".pgpass": true, ".password-store": true, ".vault-token": true,
}

// credentialPairs are those that only count below a certain folder.
var credentialPairs = map[[2]string]bool{
	{".config", "gcloud"}: true, {".config", "gh"}: true, {".config", "rclone"}: true, {".docker", "config.json"}: true,
}

// credential finds the credential folder or file that a path leads into; "" if
// none. Case, and the blanks and dots that Windows passes over, do not count.
func credential(p string) string {
	before := ""
	for part := range strings.SplitSeq(filepath.ToSlash(p), "/") {
		part = strings.ToLower(strings.TrimRight(part, " ."))
		if credentialNames[part] {
			return part
		}
		if credentialPairs[[2]string{before, part}] {
			return before + "/" + part
		}
		before = part
	}
	return ""
}

// forbidden says why a path below the root may not be used; "" if it may.
func (r *root) forbidden(rel string) string {
	if c := credential(r.slashed + "/" + rel); c != "" {
		return "lies in " + c + ", which holds credentials"
	}
	for i := range r.refused {
		if r.refused[i].above(strings.ToLower(rel)) {
			return "is refused by the pattern " + r.refused[i].source + " of this host"
		}
	}
	return ""
}
