// Copyright The toolscope Authors
// SPDX-License-Identifier: Apache-2.0

package statshttp_test

import (
	"context"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"

	"github.com/toolscope/toolscope/stats"
	"github.com/toolscope/toolscope/stats/statshttp"
)

// queue is a component of the program that reports its state.
type queue struct{ waiting float64 }

func (q queue) Components() []stats.Component {
	c := stats.Component{Name: "queue", Figures: stats.Figures{{Name: "waiting", Value: q.waiting}}}
	if q.waiting > 100 {
		c.Problems = []string{"more than 100 wait"}
	}
	return []stats.Component{c}
}

// A probe that is to fail while something is wrong asks for it.
func ExampleOptions_health() {
	recorder, err := stats.New(stats.Options{})
	if err != nil {
		fmt.Println(err)
		return
	}
	defer recorder.Close(context.Background())
	handler, err := statshttp.NewHandler(recorder, statshttp.Options{Health: []stats.HealthSource{queue{waiting: 120}}})
	if err != nil {
		fmt.Println(err)
		return
	}
	server := httptest.NewServer(handler)
	defer server.Close()
	for _, path := range []string{"/healthz", "/healthz?fail=degraded"} {
		answer, err := http.Get(server.URL + path)
		if err != nil {
			fmt.Println(err)
			return
		}
		body, err := io.ReadAll(answer.Body)
		answer.Body.Close()
		if err != nil {
			fmt.Println(err)
			return
		}
		fmt.Println(answer.StatusCode, len(body) > 0)
	}
	// Output:
	// 200 true
	// 503 true
}
