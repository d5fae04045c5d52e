// Copyright The toolscope Authors
// SPDX-License-Identifier: Apache-2.0

package redis

import (
	"cmp"
	"crypto/tls"
	"errors"
	"fmt"
	"log/slog"
	"maps"
	"net/url"
	"regexp"
	"slices"
	"strings"
	"time"

	goredis "github.com/redis/go-redis/v9"
)

// Options of a store.
type Options struct {
	// URL is the server's: redis://host:6379/0, rediss:// for TLS, unix:///path. It may hold the user and the password
	// of an ACL user: then take it from the environment. Of parameters it may have db only.
	URL string
	// Username and Password take the place of those of the URL.
	Username, Password string
	// TLS is for rediss:// and may hold a CA and a client certificate; nil is the system's CAs. It must check the
	// server's certificate.
	TLS *tls.Config
	// Cluster says that the server is one of a cluster, whose others it names. All keys of a namespace are on
	// one node.
	Cluster bool
	// Namespace keeps applications apart that use one server; the default is toolscope. It is readable in Redis.
	Namespace string
	// Secrets are 1 or 2 secrets of 32 bytes or more, the same in all processes. Names and values are made with
	// the first one; those made with the second one are found as well. To change the secret, restart all
	// processes with (old, new), then with (new, old), then with (new).
	Secrets [][]byte
	// Timeout bounds each question. 0 is 100 ms.
	Timeout time.Duration
	// Logger gets a line when the server is not used any more, when it is used again, when it may evict keys, and when
	// other processes use another secret. Nil logs nothing.
	Logger *slog.Logger
	// PoolSize is how many connections a process has; 0 is 10 for each CPU.
	PoolSize int
}

var namespaceForm = regexp.MustCompile(`^[a-z0-9][a-z0-9_.-]{0,63}$`)

const leastSecret = 32

// check returns the options with their defaults, and those of the client. An error never has the URL, which may hold a
// password.
func (o Options) check() (Options, *goredis.UniversalOptions, error) {
	if len(o.Secrets) < 1 || len(o.Secrets) > 2 {
		return o, nil, fmt.Errorf("redis: Options.Secrets: got %d, want 1, or 2 to change it", len(o.Secrets))
	}
	for i, s := range o.Secrets {
		if len(s) < leastSecret {
			return o, nil, fmt.Errorf("redis: Options.Secrets[%d]: got %d bytes, want %d or more", i, len(s), leastSecret)
		}
	}
	if len(o.Secrets) == 2 && string(o.Secrets[0]) == string(o.Secrets[1]) {
		return o, nil, errors.New("redis: Options.Secrets: got the same secret twice, want two")
	}
	o.Namespace = cmp.Or(o.Namespace, "toolscope")
	if !namespaceForm.MatchString(o.Namespace) {
		return o, nil, fmt.Errorf("redis: Options.Namespace: got %.80q, want at most 64 of a-z, 0-9, _, . and -", o.Namespace)
	}
	if o.Timeout < 0 || o.PoolSize < 0 {
		return o, nil, fmt.Errorf("redis: Options.Timeout, PoolSize: got %v and %d, want 0 or more", o.Timeout, o.PoolSize)
	}
	o.Timeout = cmp.Or(o.Timeout, 100*time.Millisecond)
	client, err := o.client()
	return o, client, err
}

// client are the options of the client: each wait is bounded, contexts count, and nothing is asked twice.
func (o Options) client() (*goredis.UniversalOptions, error) {
	if o.URL == "" {
		return nil, errors.New("redis: Options.URL: got nothing, want redis://host:6379/0 or rediss://host:6379/0")
	}
	if name := parameter(o.URL); name != "" {
		return nil, fmt.Errorf("redis: Options.URL: got the parameter %.40q, want none but db", name)
	}
	parsed, err := goredis.ParseURL(o.URL)
	if err != nil {
		return nil, fmt.Errorf("redis: Options.URL: got %s, want redis://host:6379/0, rediss://host:6379/0 or unix:///path",
			describeURL(o.URL))
	}
	u := &goredis.UniversalOptions{
		Addrs: []string{parsed.Addr}, DB: parsed.DB,
		Username: cmp.Or(o.Username, parsed.Username), Password: cmp.Or(o.Password, parsed.Password),
		IsClusterMode: o.Cluster, PoolSize: o.PoolSize, TLSConfig: parsed.TLSConfig,
		DialTimeout: o.Timeout, ReadTimeout: o.Timeout, WriteTimeout: o.Timeout, PoolTimeout: o.Timeout,
		ContextTimeoutEnabled: true, MaxRetries: -1, MaxRedirects: 1, DialerRetries: 1,
		DisableIdentity: true,
	}
	if parsed.Network == "unix" && o.Cluster {
		return nil, errors.New("redis: Options.Cluster: got it with a unix socket, want a host")
	}
	if o.TLS != nil {
		if o.TLS.InsecureSkipVerify && o.TLS.VerifyConnection == nil && o.TLS.VerifyPeerCertificate == nil {
			return nil, errors.New("redis: Options.TLS.InsecureSkipVerify: got true, want false, RootCAs of the server's CA, or " +
				"VerifyConnection as well")
		}
		if u.TLSConfig == nil {
			return nil, errors.New("redis: Options.TLS: got it without rediss:// in the URL, want rediss://")
		}
		name := u.TLSConfig.ServerName
		u.TLSConfig = o.TLS.Clone()
		u.TLSConfig.ServerName = cmp.Or(o.TLS.ServerName, name)
	}
	if u.TLSConfig != nil {
		u.TLSConfig.MinVersion = max(u.TLSConfig.MinVersion, tls.VersionTLS12)
	}
	return u, nil
}

// parameter is one of the URL that is not allowed, such as skip_verify, which would turn the check of the server's
// certificate off; "" if there is none.
func parameter(text string) string {
	u, err := url.Parse(text)
	if err != nil {
		return ""
	}
	for _, name := range slices.Sorted(maps.Keys(u.Query())) {
		if name != "db" {
			return name
		}
	}
	return ""
}

// describeURL is a URL without what may be secret.
func describeURL(text string) string {
	u, err := url.Parse(text)
	if err != nil {
		return "a text that is no URL"
	}
	return fmt.Sprintf("%q", strings.TrimSuffix(u.Scheme+"://"+u.Hostname(), "://"))
}
