// Copyright The toolscope Authors
// SPDX-License-Identifier: Apache-2.0

//go:build unix

package redis_test

import (
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/tls"
	"crypto/x509"
	"crypto/x509/pkix"
	"encoding/pem"
	"io"
	"math/big"
	"net"
	"os"
	"path/filepath"
	"sync"
	"sync/atomic"
	"testing"
	"time"
)

// proxy is between a store and its server, and delays answers.
type proxy struct {
	delay atomic.Int64 // nanoseconds
}

// startProxy starts the server's proxy, and returns its address.
func (s *server) startProxy(t *testing.T) string {
	t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	s.proxy = new(proxy)
	var wg sync.WaitGroup
	t.Cleanup(func() { l.Close(); wg.Wait() })
	wg.Go(func() {
		for {
			client, err := l.Accept()
			if err != nil {
				return
			}
			server, err := net.Dial("tcp", s.addr)
			if err != nil {
				client.Close()
				continue
			}
			wg.Go(func() { _, _ = io.Copy(server, client); server.Close() })
			wg.Go(func() { s.proxy.copy(client, server); client.Close() })
		}
	})
	return l.Addr().String()
}

func (p *proxy) copy(to io.Writer, from io.Reader) {
	buf := make([]byte, 64<<10)
	for {
		n, err := from.Read(buf)
		if n > 0 {
			time.Sleep(time.Duration(p.delay.Load())) // this is what the proxy is for
			if _, err := to.Write(buf[:n]); err != nil {
				return
			}
		}
		if err != nil {
			return
		}
	}
}

// authority is a CA of a test.
type authority struct {
	pool *x509.CertPool
	cert tls.Certificate
}

func newAuthority(t *testing.T) *authority {
	t.Helper()
	a := &authority{pool: x509.NewCertPool()}
	a.cert = a.issue(t, &x509.Certificate{IsCA: true, BasicConstraintsValid: true, KeyUsage: x509.KeyUsageCertSign,
		Subject: pkix.Name{CommonName: "test CA"}})
	leaf, err := x509.ParseCertificate(a.cert.Certificate[0])
	if err != nil {
		t.Fatal(err)
	}
	a.pool.AddCert(leaf)
	return a
}

// issue makes a certificate, which signs itself if the authority has none yet.
func (a *authority) issue(t *testing.T, template *x509.Certificate) tls.Certificate {
	t.Helper()
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		t.Fatal(err)
	}
	template.SerialNumber = big.NewInt(time.Now().UnixNano())
	template.NotBefore, template.NotAfter = time.Now().Add(-time.Hour), time.Now().Add(time.Hour)
	parent, signer := template, any(key)
	if a.cert.PrivateKey != nil {
		if parent, err = x509.ParseCertificate(a.cert.Certificate[0]); err != nil {
			t.Fatal(err)
		}
		signer = a.cert.PrivateKey
	}
	der, err := x509.CreateCertificate(rand.Reader, template, parent, &key.PublicKey, signer)
	if err != nil {
		t.Fatal(err)
	}
	return tls.Certificate{Certificate: [][]byte{der}, PrivateKey: key}
}

// startTLSServer starts a server that speaks TLS only.
func startTLSServer(t *testing.T) (*server, *authority) {
	t.Helper()
	a := newAuthority(t)
	cert := a.issue(t, &x509.Certificate{IPAddresses: []net.IP{net.IPv4(127, 0, 0, 1)},
		ExtKeyUsage: []x509.ExtKeyUsage{x509.ExtKeyUsageServerAuth}})
	key, err := x509.MarshalPKCS8PrivateKey(cert.PrivateKey)
	if err != nil {
		t.Fatal(err)
	}
	dir := t.TempDir()
	file := func(name, kind string, der []byte) string {
		path := filepath.Join(dir, name)
		if err := os.WriteFile(path, pem.EncodeToMemory(&pem.Block{Type: kind, Bytes: der}), 0o600); err != nil {
			t.Fatal(err)
		}
		return path
	}
	ca := file("ca.pem", "CERTIFICATE", a.cert.Certificate[0])
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	addr := l.Addr().String()
	l.Close()
	_, port, _ := net.SplitHostPort(addr)
	s := newServer(t, addr, "--port", "0", "--tls-port", port, "--tls-ca-cert-file", ca, "--tls-auth-clients", "no",
		"--tls-cert-file", file("cert.pem", "CERTIFICATE", cert.Certificate[0]),
		"--tls-key-file", file("key.pem", "PRIVATE KEY", key))
	return s, a
}
