// Copyright The toolscope Authors
// SPDX-License-Identifier: Apache-2.0

package e2e

import (
	"fmt"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"testing"
	"time"
)

// prometheus is a server that runs.
type prometheus struct {
	t       *testing.T
	address string
}

// scrape runs a Prometheus that asks the target each second.
func scrape(t *testing.T, binary, target string, flags ...string) *prometheus {
	t.Helper()
	dir := t.TempDir()
	file := filepath.Join(dir, "prometheus.yml")
	config := "global: {scrape_interval: 1s}\nscrape_configs: [{job_name: toolscope, static_configs: [{targets: " +
		"[\"" + target + "\"]}]}]\n"
	if err := os.WriteFile(file, []byte(config), 0o600); err != nil {
		t.Fatal(err)
	}
	p := &prometheus{t, freeAddress(t)}
	cmd := exec.Command(
		binary,
		append(
			[]string{
				"--config.file=" + file,
				"--storage.tsdb.path=" + filepath.Join(dir, "data"),
				"--web.listen-address=" + p.address,
			},
			flags...)...)
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = cmd.Process.Kill(); _ = cmd.Wait() })
	return p
}

// number is the value of a query that has one; false if it has none yet.
func (p *prometheus) number(query string) (float64, bool) {
	var answer struct {
		Data struct {
			Result []struct{ Value [2]any }
		}
	}
	if get(p.t, "http://"+p.address+"/api/v1/query?query="+url.QueryEscape(query), &answer) != nil ||
		len(answer.Data.Result) != 1 {
		return 0, false
	}
	v, err := strconv.ParseFloat(fmt.Sprint(answer.Data.Result[0].Value[1]), 64)
	return v, err == nil
}

// exemplar is one that Prometheus stored.
type exemplar struct {
	Labels map[string]string
	Value  float64 `json:",string"`
}

// exemplars are those of a selector in the last hour.
func (p *prometheus) exemplars(selector string) (list []exemplar) {
	var answer struct {
		Data []struct{ Exemplars []exemplar }
	}
	now := time.Now()
	q := url.Values{
		"query": {selector},
		"start": {fmt.Sprint(now.Add(-time.Hour).Unix())},
		"end":   {fmt.Sprint(now.Add(time.Hour).Unix())},
	}
	if get(p.t, "http://"+p.address+"/api/v1/query_exemplars?"+q.Encode(), &answer) != nil {
		return nil
	}
	for _, series := range answer.Data {
		list = append(list, series.Exemplars...)
	}
	return list
}

// wait asks until something is so, for a minute at most.
func (p *prometheus) wait(t *testing.T, ready func() bool) {
	t.Helper()
	for deadline := time.Now().Add(time.Minute); !ready(); time.Sleep(200 * time.Millisecond) {
		if time.Now().After(deadline) {
			t.Fatal("Prometheus has not scraped what it should after a minute")
		}
	}
}
