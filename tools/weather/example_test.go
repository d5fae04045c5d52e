// Copyright The toolscope Authors
// SPDX-License-Identifier: Apache-2.0

package weather_test

import (
	"context"
	"fmt"
	"net/http"
	"net/http/httptest"

	"github.com/toolscope/toolscope/toolkit"
	"github.com/toolscope/toolscope/tools/weather"
)

func ExampleNew() {
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		fmt.Fprint(w, `{"timezone": "Europe/Oslo", "current": {"time": "2026-03-01T12:15", "temperature_2m": 4.2, `+
			`"weather_code": 3}, "current_units": {"temperature_2m": "°C"}}`)
	}))
	defer server.Close()
	tools, err := weather.New(weather.Options{ForecastURL: server.URL})
	if err != nil {
		fmt.Println(err)
		return
	}
	defer tools.Close()
	registry := new(toolkit.Registry)
	if err := registry.Register(tools.Tools()...); err != nil {
		fmt.Println(err)
		return
	}
	answer := registry.Execute(context.Background(),
		toolkit.Call{Name: "weather", Arguments: []byte(`{"latitude": 59.91, "longitude": 10.75}`)})
	fmt.Println(answer.Result.Output)
	// Output:
	// Weather (latitude 59.91, longitude 10.75), times of Europe/Oslo
	// Now (2026-03-01T12:15): overcast, 4.2 °C
}
