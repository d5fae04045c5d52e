// Copyright The toolscope Authors
// SPDX-License-Identifier: Apache-2.0

package kinds

// Names of kinds that are used by name. A mark must not hold a word that is a secret
// itself, as "password" often is.
const (
	PasswdName    = "passwd"
	UnscannedName = "unscanned"
)

// The kinds that the engine itself finds; detectors add theirs.
var (
	Password   = New(PasswdName, GroupKey, "the value of a password's name, option or command line argument", true)
	Secret     = New("secret", GroupKey, "the value of a name that says secret, credential or signature", true)
	Credential = New("credential", GroupKey, "a random-looking value of a name that says credential, or below "+
		"it", true)
	APIKey        = New("api-key", GroupKey, "the value of a name that says API key, access key or the like", true)
	Token         = New("token", GroupKey, "the value of a name that says token", true)
	Signature     = New("signature", GroupURL, "the signature in a signed URL", true)
	PrivateKey    = New("private-key", GroupKey, "a private key in PEM form, or the value of its name", true)
	Vendor        = New("vendor-key", GroupKey, "a random value beside the name of a service", true)
	Session       = New("session", GroupKey, "a random-looking value of a session's name", true)
	PIN           = New("pin", GroupKey, "the value of a name that says PIN, one-time code or card code", true)
	Authorization = New("authorization", GroupKey, "the credentials of an Authorization header", true)
	Cookie        = New("cookie", GroupKey, "the value of a Cookie header", true)
	URLPassword   = New("url-userinfo", GroupURL, "the credentials in a URL or a connection string", true)
	SSN           = New("us-ssn", GroupPersonal, "a US social security number", true)
	Known         = New("known-value", groupKnown, "a value given by the host", true)
	Custom        = New("custom", groupKnown, "what a pattern of the host matches", true)
	Rule          = New("rule", groupKnown, "a value that a rule of the host names by its path", true)
	Binary        = New("binary", groupEngine, "what is no text, as a whole", true)
	Unscanned     = New(UnscannedName, groupEngine,
		"what could not be looked at: nested too deep, too costly, or a failure", true)
)
