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
		"var authToken = await _identity.GetAuthToken();", "\tauthToken      string\n\tauthRefresh    string",
		"AccessTokenLifetime = 60*60*2, // 2 hours", "DEBUG: process.env.X ? 'pw:mcp*' : 'pw:mcp:test',",
		"GUID Password (CVE-2025-57788)", `"Authorization": "Bearer {env:GITHUB_TOKEN}"`,
		"In his address on January 30, 1961, President John F. Kennedy presents a candid assessment of a nation",
		`["-e", "GITHUB_PERSONAL_ACCESS_TOKEN", "ghcr.io/github/github-mcp-server"]`, "id: ee39a9f7-5a79-4b0a-9815-d36b3cf28d3e",
		`{"session":"2a5e755afa79","protocol":"ssh"`, "- Log into a registry with password from `stdin`:",
	)
	removedFrom(t,
		"pass = Ember1994! # for the wiki", "user = ann\npass = Ember1994! and what else there is to say of it",
		"ngrok config add-authtoken kX93kdLq0sPz7Rt2Lm4Qw8dd", "authtoken: kX93kdLq0sPz7Rt2Lm4Qw8dd",
		"account DE89 3704 0044 0532 0130 00 is closed",
		"account DE89 3704 0044 0532 0130 00-7 is closed", "account DE89370400440532013000-rent",
		"--password={{user}}Zq9LmT4xRw2v", "redis-cli -a Ember1994!", "the host 34:33:00:00:00:02 is up",
		`("OPENAI_API_KEY", "kX93kdLq0sPz7Rt2Lm4Qw8dd"),`, "- Log into a registry with password from `Ember1994!`:",
	)
	if out, _ := Default().Text("`redis-cli -a Ember1994!`, then"); out != "`redis-cli -a [REDACTED:passwd]`, then" {
		t.Errorf("got %q", out)
	}
}
