// Copyright The toolscope Authors
// SPDX-License-Identifier: Apache-2.0

package redact

// Names of kinds that are used by name. A mark must not hold a word that is a secret
// itself, as "password" often is.
const (
	kindPasswd    = "passwd"
	kindUnscanned = "unscanned"
)

// The kinds that the engine itself finds; detectors add theirs.
var (
	idPassword      = newKind(kindPasswd, groupKey, "the value of a password's name, option or command line argument", true)
	idSecret        = newKind("secret", groupKey, "the value of a name that says secret, credential or signature", true)
	idAPIKey        = newKind("api-key", groupKey, "the value of a name that says API key, access key or the like", true)
	idToken         = newKind("token", groupKey, "the value of a name that says token", true)
	idSignature     = newKind("signature", groupURL, "the signature in a signed URL", true)
	idPrivateKey    = newKind("private-key", groupKey, "a private key in PEM form, or the value of its name", true)
	idVendor        = newKind("vendor-key", groupKey, "a random value beside the name of a service", true)
	idSession       = newKind("session", groupKey, "a random-looking value of a session's name", true)
	idPIN           = newKind("pin", groupKey, "the value of a name that says PIN, one-time code or card code", true)
	idAuthorization = newKind("authorization", groupKey, "the credentials of an Authorization header", true)
	idCookie        = newKind("cookie", groupKey, "the value of a Cookie header", true)
	idURLPassword   = newKind("url-userinfo", groupURL, "the credentials in a URL or a connection string", true)
	idSSN           = newKind("us-ssn", groupPersonal, "a US social security number", true)
	idKnown         = newKind("known-value", groupKnown, "a value given by the host", true)
	idRule          = newKind("rule", groupKnown, "a value that a rule of the host names by its path", true)
	idUnscanned     = newKind(kindUnscanned, groupEngine, "what could not be looked at: nested too deep, too costly, or a failure", true)
)
