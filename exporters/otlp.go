// Copyright The toolscope Authors
// SPDX-License-Identifier: Apache-2.0

package exporters

import (
	"crypto/tls"
	"crypto/x509"
	"fmt"
	"net/http"
	"net/url"
	"os"
	"strconv"
	"strings"
	"time"

	"github.com/toolscope/toolscope/exporters/internal/spool"
)

// The OTLP protocols. OpenTelemetry's own default is HTTP; ours is gRPC, which is
// what Jaeger and the collectors listen for at the port that everybody writes, 4317.
const (
	grpcProtocol = "grpc"
	httpProtocol = "http/protobuf"
)

// forSignal is the value of the signal's own variable, else of the general one,
// and the name of the one that it came from. The signal is TRACES or METRICS.
func forSignal(signal, suffix string) (name, value string) {
	name = "OTEL_EXPORTER_OTLP_" + signal + "_" + suffix
	if value = get(name); value != "" {
		return name, value
	}
	name = "OTEL_EXPORTER_OTLP_" + suffix
	return name, get(name)
}

func endpoint(signal string) (name, value string) { return forSignal(signal, "ENDPOINT") }

func protocol(signal string) string {
	if _, value := forSignal(signal, "PROTOCOL"); value != "" {
		return strings.ToLower(value)
	}
	return grpcProtocol
}

// sentTo is where traces go over OTLP, without user and password.
func sentTo() string {
	_, e := endpoint("TRACES")
	if e == "" { // the exporters' own defaults
		if protocol("TRACES") == grpcProtocol {
			return "https://localhost:4317"
		}
		return "https://localhost:4318"
	}
	u, err := url.Parse(e)
	if err != nil {
		return e
	}
	u.User = nil
	return u.String()
}

// httpClient is a client of our own for OTLP over HTTP: the exporters' default
// keeps connections, and with them goroutines, for a minute and a half after its
// shutdown. What is no OTLP is no success for it.
func (p *Providers) httpClient(signal string) (*http.Client, error) {
	tlsConfig, err := tlsConfig(signal)
	if err != nil {
		return nil, err
	}
	transport := http.DefaultTransport.(*http.Transport).Clone()
	transport.TLSClientConfig = tlsConfig
	p.idle = append(p.idle, transport.CloseIdleConnections)
	timeout := 10 * time.Second // the OTLP specification's default
	if _, value := forSignal(signal, "TIMEOUT"); value != "" {
		ms, _ := strconv.Atoi(value) // checked
		timeout = time.Duration(ms) * time.Millisecond
	}
	return &http.Client{Transport: spool.Transport(transport), Timeout: timeout}, nil
}

// tlsConfig is nil if no variable asks for anything.
func tlsConfig(signal string) (*tls.Config, error) {
	c := &tls.Config{MinVersion: tls.VersionTLS12}
	_, roots := forSignal(signal, "CERTIFICATE")
	if roots != "" {
		pem, err := os.ReadFile(roots)
		if err != nil {
			return nil, err
		}
		c.RootCAs = x509.NewCertPool()
		c.RootCAs.AppendCertsFromPEM(pem) // checked
	}
	name, certificate := forSignal(signal, "CLIENT_CERTIFICATE")
	_, key := forSignal(signal, "CLIENT_KEY")
	if certificate != "" && key != "" {
		pair, err := tls.LoadX509KeyPair(certificate, key)
		if err != nil {
			return nil, fmt.Errorf("exporters: %s: with its key: %w", name, err)
		}
		c.Certificates = []tls.Certificate{pair}
	}
	if c.RootCAs == nil && c.Certificates == nil {
		return nil, nil
	}
	return c, nil
}

// certificates checks a file of PEM certificates.
func certificates(path string) string {
	pem, err := os.ReadFile(path)
	if err != nil {
		return fmt.Sprintf("a file of PEM certificates: %v", reason(err))
	}
	if !x509.NewCertPool().AppendCertsFromPEM(pem) {
		return "a file of PEM certificates"
	}
	return ""
}
