// Copyright The toolscope Authors
// SPDX-License-Identifier: Apache-2.0

package redact

import "testing"

// TestKeepPages: what pages of commands, logs and lists in programs have near names of secrets, and is none.
func TestKeepPages(t *testing.T) {
	kept(t,
		"`qm remote-migrate {{vmid}} 'apitoken=PVEAPIToken={{user}}@{{realm}}!{{token}}={{secret}},host={{address}}'`",
		"`cosign sign --key k8s://{{namespace}}/{{key}} {{image}}`", "`redis-cli -a {{password}}`",
		"`printf \"{{user_1}}:{{new_password_1}}\\n{{user_2}}:{{new_password_2}}\" | sudo chpasswd`",
		"tool --model m --api-key openrouter=<your-key>", " 26│@app.route('/subtract/<int:x>/<int:y>')",
		"Failed password for user from aaaa:bbbb:cccc:1234::1:1 port 20000 ssh1", "the group 33:33:00:00:00:02 is up",
		"[cisco asa: login]\nlog 1 pass = %ASA-6-605005: Login permitted from 192.0.2.1/5 to in:192.0.2.2/ssh for x",
		`("OPENAI_API_KEY", "gpt-4o"),`, "    def test_api_set_ui_settings_sufficient_global_permissions(self) -> None:",
		`{"session":"2a5e755afa79","protocol":"ssh"`, "- Log into a registry with password from `stdin`:",
	)
	removedFrom(t,
		"pass = Ember1994! # for the wiki", "user = ann\npass = Ember1994! and what else there is to say of it",
		"--password={{user}}Zq9LmT4xRw2v", "redis-cli -a Ember1994!", "the host 34:33:00:00:00:02 is up",
		`("OPENAI_API_KEY", "kX93kdLq0sPz7Rt2Lm4Qw8dd"),`, "- Log into a registry with password from `Ember1994!`:",
	)
	if out, _ := Default().Text("`redis-cli -a Ember1994!`, then"); out != "`redis-cli -a [REDACTED:passwd]`, then" {
		t.Errorf("got %q", out)
	}
}
