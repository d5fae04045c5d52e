// Copyright The toolscope Authors
// SPDX-License-Identifier: Apache-2.0

package redis

import (
	"bytes"
	"cmp"
	"crypto/tls"
	"crypto/x509"
	"errors"
	"fmt"
	"log/slog"
	"os"
	"slices"
	"strings"
	"time"

	"github.com/toolscope/toolscope/config"
	"github.com/toolscope/toolscope/internal/secretfile"
)

// settings are the section redis of a configuration file.
type settings struct {
	URL      string `yaml:"url" doc:"Server without a password, as rediss://redis.example:6379/0; default: url_env's."`
	URLEnv   string `yaml:"url_env" doc:"Environment variable with the URL; default TOOLSCOPE_REDIS_URL."`
	Username string `yaml:"username" doc:"ACL user; default the URL's."`

	PasswordEnv  string `yaml:"password_env" doc:"Environment variable with the password; default: the URL's password."`
	PasswordFile string `yaml:"password_file" path:"file" doc:"File with the password, instead of password_env."`

	CAFile     string `yaml:"ca_file" path:"file" doc:"File with CA certificates for rediss://; default the system's."`
	CertFile   string `yaml:"cert_file" path:"file" doc:"File with the client's certificate; default none."`
	KeyFile    string `yaml:"key_file" path:"file" doc:"File with the key of cert_file."`
	ServerName string `yaml:"server_name" doc:"Name in the server's certificate; default the URL's host."`

	SecretEnv      string `yaml:"secret_env" doc:"Environment variable with the secret, 32 bytes or more."`
	SecretFile     string `yaml:"secret_file" path:"file" doc:"File with the secret, instead of secret_env."`
	NextSecretEnv  string `yaml:"other_secret_env" doc:"While the secret is changed: environment variable with the other one."`
	NextSecretFile string `yaml:"other_secret_file" path:"file" doc:"While the secret is changed: file with the other one."`

	Cluster   bool          `yaml:"cluster" doc:"The server is a node of a cluster; default false."`
	Namespace string        `yaml:"namespace" doc:"Keeps applications apart on one server; default toolscope."`
	Timeout   time.Duration `yaml:"timeout" doc:"How long a call waits for the server; default 100ms."`
	Share     []string      `yaml:"share" doc:"What processes share: approvals, breaker, budgets, cache, duplicates, loops, rates."`
}

// Section is the section redis of configuration files, for [config.Open]: the policies of the file that share names
// keep their state in Redis. Paths are relative to the file's directory.
func Section() config.Section { return config.NewSection("redis", build) }

func build(s settings) (config.Part, error) {
	if err := s.checkShare(); err != nil {
		return config.Part{}, err
	}
	o, err := s.options()
	if err != nil {
		return config.Part{}, err
	}
	o.Logger = slog.Default()
	store, err := Open(o)
	if err != nil {
		return config.Part{}, errors.New(fieldNames.Replace(err.Error()))
	}
	part := config.Part{Close: store.Close}
	for _, name := range s.Share {
		shares[name](store, &part.Stores)
	}
	return part, nil
}

// fieldNames makes an error about [Options] one about the section.
var fieldNames = strings.NewReplacer("redis: Options.URL", "url", "redis: Options.Secrets", "secret_file",
	"redis: Options.Namespace", "namespace", "redis: Options.Timeout, PoolSize", "timeout", "redis: Options.Cluster", "cluster",
	"redis: Options.TLS", "ca_file, cert_file, server_name")

// shares are what can be shared, by name.
var shares = map[string]func(*Store, *config.Stores){
	"approvals":  func(s *Store, to *config.Stores) { to.Requests = s.Requests() },
	"breaker":    func(s *Store, to *config.Stores) { to.Peers = s.Peers() },
	"cache":      func(s *Store, to *config.Stores) { to.Cache = s.Cache() },
	"loops":      func(s *Store, to *config.Stores) { to.Histories = s.Histories() },
	"rates":      func(s *Store, to *config.Stores) { to.Rates = s.Rates() },
	"duplicates": func(s *Store, to *config.Stores) { to.Flights = s.Flights() },
	"budgets":    func(s *Store, to *config.Stores) { to.Ledger = s.Ledger() },
}

func (s settings) checkShare() error {
	var names []string
	for name := range shares {
		names = append(names, name)
	}
	slices.Sort(names)
	want := "one or more of " + strings.Join(names, ", ")
	if len(s.Share) == 0 {
		return fmt.Errorf("share: got nothing, want %s", want)
	}
	for i, name := range s.Share {
		if shares[name] == nil || slices.Contains(s.Share[:i], name) {
			return fmt.Errorf("share[%d]: got %.60q, want %s, each once", i, name, want)
		}
	}
	return nil
}

func (s settings) options() (Options, error) {
	o := Options{Username: s.Username, Cluster: s.Cluster, Namespace: s.Namespace, Timeout: s.Timeout, URL: s.URL}
	if o.URL == "" {
		if o.URL = os.Getenv(cmp.Or(s.URLEnv, "TOOLSCOPE_REDIS_URL")); o.URL == "" && s.URLEnv != "" {
			return o, fmt.Errorf("url_env: got %.60q, which is not set, want a variable that is", s.URLEnv)
		}
	} else if s.URLEnv != "" {
		return o, errors.New("url_env: got it together with url, want one of them")
	} else if strings.Contains(o.URL, "@") {
		return o, errors.New("url: got a user or password, want url_env for such a URL, or username and password_env")
	}
	password, err := valueOf("password", s.PasswordEnv, s.PasswordFile)
	if err != nil {
		return o, err
	}
	o.Password = string(password)
	secret, err := valueOf("secret", s.SecretEnv, s.SecretFile)
	if err == nil && secret == nil {
		err = errors.New("secret_env: got nothing, want it or secret_file")
	}
	if err != nil {
		return o, err
	}
	o.Secrets = [][]byte{secret}
	if secret, err = valueOf("other_secret", s.NextSecretEnv, s.NextSecretFile); err != nil {
		return o, err
	}
	if secret != nil {
		o.Secrets = append(o.Secrets, secret)
	}
	o.TLS, err = s.tls()
	return o, err
}

// valueOf reads a secret value from the environment or a file; nil if neither is named.
func valueOf(field, env, file string) ([]byte, error) {
	switch {
	case env != "" && file != "":
		return nil, fmt.Errorf("%s_env: got it together with %s_file, want one of them", field, field)
	case env != "":
		value := os.Getenv(env)
		if value == "" {
			return nil, fmt.Errorf("%s_env: got %.60q, which is not set, want a variable that is", field, env)
		}
		return []byte(value), nil
	case file != "":
		text, err := os.ReadFile(file)
		if err != nil {
			return nil, fmt.Errorf("%s_file: %w", field, err)
		}
		secretfile.Warn(file)
		if text = bytes.TrimSpace(text); len(text) == 0 {
			return nil, fmt.Errorf("%s_file: got an empty file, want one with the value", field)
		}
		return text, nil
	}
	return nil, nil
}

// tls is nil if the section says nothing of TLS.
func (s settings) tls() (*tls.Config, error) {
	if s.CAFile == "" && s.CertFile == "" && s.KeyFile == "" && s.ServerName == "" {
		return nil, nil
	}
	c := &tls.Config{ServerName: s.ServerName, MinVersion: tls.VersionTLS12}
	if s.CAFile != "" {
		text, err := os.ReadFile(s.CAFile)
		if err != nil {
			return nil, fmt.Errorf("ca_file: %w", err)
		}
		c.RootCAs = x509.NewCertPool()
		if !c.RootCAs.AppendCertsFromPEM(text) {
			return nil, errors.New("ca_file: got no certificate in PEM form, want one or more")
		}
	}
	if s.CertFile != "" || s.KeyFile != "" {
		pair, err := tls.LoadX509KeyPair(s.CertFile, s.KeyFile)
		if err != nil {
			return nil, fmt.Errorf("cert_file: %w", err)
		}
		secretfile.Warn(s.KeyFile)
		c.Certificates = []tls.Certificate{pair}
	}
	return c, nil
}
