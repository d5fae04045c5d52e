// Copyright The toolscope Authors
// SPDX-License-Identifier: Apache-2.0

package weather_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"net/http/httptest"
	"net/url"
	"strings"
	"testing"
	"time"

	"go.uber.org/goleak"

	"github.com/toolscope/toolscope/toolkit"
	"github.com/toolscope/toolscope/tools/weather"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

type object map[string]any

// server answers like Open-Meteo, and keeps what it was asked.
type server struct {
	*httptest.Server
	places, forecast string
	status           int
	asked            []url.Values
}

const springfields = `{"results":[
	{"name":"Springfield","admin1":"Missouri","country":"United States","latitude":37.21533,"longitude":-93.29824},
	{"name":"Springfield","admin1":"Illinois","country":"United States","latitude":39.80172,"longitude":-89.64371},
	{"name":"Springfield","country":"New  Zealand","latitude":-43.33333,"longitude":171.93333}]}`

const sunny = `{"timezone":"America/Chicago",
	"current_units":{"time":"iso8601","temperature_2m":"°C","apparent_temperature":"°C","relative_humidity_2m":"%",` +
	`"precipitation":"mm","weather_code":"wmo code","wind_speed_10m":"km/h","wind_gusts_10m":"km/h","wind_direction_10m":"°"},
	"current":{"time":"2026-03-01T12:15","interval":900,"temperature_2m":4.2,"apparent_temperature":-1.0,` +
	`"relative_humidity_2m":81,"precipitation":0.00,"weather_code":61,"wind_speed_10m":12,"wind_gusts_10m":null,` +
	`"wind_direction_10m":315},
	"daily_units":{"time":"iso8601","temperature_2m_max":"°C","temperature_2m_min":"°C","precipitation_sum":"mm",` +
	`"precipitation_probability_max":"%","wind_speed_10m_max":"km/h","sunrise":"iso8601","sunset":"iso8601"},
	"daily":{"time":["2026-03-01","2026-03-02"],"weather_code":[63,123],"temperature_2m_max":[6.1,7],` +
	`"temperature_2m_min":[0.5],"precipitation_sum":[3.2,null],"precipitation_probability_max":[80,10],` +
	`"wind_speed_10m_max":[25.4,8],"sunrise":["2026-03-01T06:40","2026-03-02T06:38"],"sunset":["2026-03-01T17:52",` +
	`"2026-03-02T17:53"]}}`

func start(t *testing.T) *server {
	t.Helper()
	s := &server{places: springfields, forecast: sunny, status: http.StatusOK}
	s.Server = httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		s.asked = append(s.asked, r.URL.Query())
		w.WriteHeader(s.status)
		switch r.URL.Path {
		case "/places":
			fmt.Fprint(w, s.places)
		case "/forecast":
			fmt.Fprint(w, s.forecast)
		}
	}))
	t.Cleanup(s.Close)
	return s
}

func (s *server) call(ctx context.Context, t *testing.T, o weather.Options, args object) toolkit.Result {
	t.Helper()
	o.GeocodingURL, o.ForecastURL = s.URL+"/places", s.URL+"/forecast"
	tools, err := weather.New(o)
	if err != nil {
		t.Fatal(err)
	}
	defer tools.Close()
	r := new(toolkit.Registry)
	if err := r.Register(tools.Tools()...); err != nil {
		t.Fatal(err)
	}
	text, err := json.Marshal(args)
	if err != nil {
		t.Fatal(err)
	}
	return r.Execute(ctx, toolkit.Call{Name: "weather", Arguments: text}).Result
}

func TestWeather(t *testing.T) {
	s := start(t)
	res := s.call(t.Context(), t, weather.Options{}, object{"place": " Springfield "})
	const want = `Weather for Springfield, Missouri, United States (latitude 37.21533, longitude -93.29824), times ` +
		`of America/Chicago
Now (2026-03-01T12:15): light rain, 4.2 °C, feels like -1 °C, humidity 81%, precipitation 0 mm, wind 12 km/h, wind from 315°
2026-03-01: rain, low 0.5 °C, high 6.1 °C, precipitation 3.2 mm, chance of it 80%, wind up to 25.4 km/h, sunrise ` +
		`2026-03-01T06:40, sunset 2026-03-01T17:52
2026-03-02: weather code 123, high 7 °C, chance of it 10%, wind up to 8 km/h, sunrise 2026-03-02T06:38, sunset 2026-03-02T17:53
Other places of that name: Springfield, Illinois, United States; Springfield, New Zealand`
	if res.Fault != nil || res.Output != want {
		t.Errorf("got\n%s\nwant\n%s", res.Output, want)
	}
	if len(s.asked) != 2 || s.asked[0].Get("name") != "Springfield" || s.asked[1].Get("latitude") != "37.21533" ||
		s.asked[1].Get("forecast_days") != "3" || s.asked[1].Has("apikey") || s.asked[1].Has("temperature_unit") {
		t.Errorf("the server was asked %v", s.asked)
	}
}

func TestPlaces(t *testing.T) {
	for _, test := range []struct {
		name string
		args object
		want string
		kind toolkit.Kind
	}{
		{"region", object{"place": "Springfield, illinois"},
			"Weather for Springfield, Illinois, United States (latitude 39.8", ""},
		{"region and country", object{"place": "Springfield, Illinois, United"}, "Springfield, Illinois", ""},
		{"country", object{"place": "Springfield,Zealand"}, "Weather for Springfield, New Zealand (latitude -43.3", ""},
		{"no such region", object{"place": "Springfield, Mars"}, "of that name it knows Springfield, Missouri",
			toolkit.ErrInvalidArguments},
		{"coordinates", object{"latitude": 0, "longitude": -180}, "Weather (latitude 0, longitude -180), times", ""},
		{"nothing", object{}, "place: got none", toolkit.ErrInvalidArguments},
		{"blank", object{"place": " "}, "place: got none", toolkit.ErrInvalidArguments},
		{"half", object{"latitude": 1}, "place: got none", toolkit.ErrInvalidArguments},
		{"both", object{"place": "x", "latitude": 1}, "a place and coordinates", toolkit.ErrInvalidArguments},
		{"too far north", object{"latitude": 90.5, "longitude": 0}, "latitude: got 90.5", toolkit.ErrInvalidArguments},
		{"too far east", object{"latitude": 0, "longitude": 181}, "longitude: got 181", toolkit.ErrInvalidArguments},
		{"long", object{"place": strings.Repeat("x", 201)}, "201 bytes", toolkit.ErrInvalidArguments},
		{"no day", object{"place": "x", "days": 0}, "days: got 0", toolkit.ErrInvalidArguments},
		{"many days", object{"place": "x", "days": 17}, "days: got 17", toolkit.ErrInvalidArguments},
		{"units", object{"place": "x", "units": "kelvin"}, "want metric or imperial", toolkit.ErrInvalidArguments},
		{"no number", object{"latitude": "north", "longitude": 1}, "latitude", toolkit.ErrInvalidArguments},
	} {
		res := start(t).call(t.Context(), t, weather.Options{}, test.args)
		if !strings.Contains(res.Output, test.want) || test.kind == "" && res.Fault != nil ||
			test.kind != "" && !errors.Is(res.Fault, test.kind) {
			t.Errorf("%s: got %s, want %q, %s", test.name, res.Output, test.want, test.kind)
		}
	}
	s := start(t)
	s.places = "{}"
	if res := s.call(t.Context(), t, weather.Options{}, object{"place": "Atlantis"}); !errors.Is(res.Fault,
		toolkit.ErrInvalidArguments) || !strings.Contains(res.Output, `place: got "Atlantis", want a place`) {
		t.Errorf("got %s", res.Output)
	}
}

func TestUnits(t *testing.T) {
	s := start(t)
	s.call(t.Context(), t, weather.Options{}, object{"latitude": 1, "longitude": 2, "units": "imperial", "days": 16})
	if len(s.asked) != 1 || s.asked[0].Get("temperature_unit") != "fahrenheit" ||
		s.asked[0].Get("wind_speed_unit") != "mph" || s.asked[0].Get("precipitation_unit") != "inch" ||
		s.asked[0].Get("forecast_days") != "16" {
		t.Errorf("the server was asked %v", s.asked)
	}
}

func TestBadServer(t *testing.T) {
	key := "key" + strings.Repeat("7", 20)
	for _, test := range []struct {
		status           int
		places, forecast string
		kind             toolkit.Kind
	}{
		{400, "bad key " + key, "", toolkit.ErrTool},
		{429, key, "", toolkit.ErrRateLimited},
		{302, key, "", toolkit.ErrTool},
		{200, "<html>" + key, "", toolkit.ErrTool},
		{200, `{"results": 5}`, "", toolkit.ErrTool},
		{200, strings.Repeat(" ", 2<<20), "", toolkit.ErrTool},
		{200, springfields, "{}", toolkit.ErrTool},
		{200, springfields, `{"daily": {"time": 5}}`, toolkit.ErrTool},
		{200, springfields, "", toolkit.ErrTool},
	} {
		s := start(t)
		s.status, s.places, s.forecast = test.status, test.places, test.forecast
		res := s.call(t.Context(), t, weather.Options{APIKey: key}, object{"place": "Springfield"})
		if !errors.Is(res.Fault, test.kind) || strings.Contains(res.Output, key) || strings.Contains(res.Output, s.URL) {
			t.Errorf("%d %.30s %.30s: got %s, want %s without key and address", test.status, test.places,
				test.forecast, res.Output, test.kind)
		}
		if s.asked[0].Get("apikey") != key {
			t.Error("the key was not sent")
		}
	}
	// Values of other types than expected are left out; text that is too long is cut.
	s := start(t)
	s.forecast = `{"timezone":"` + strings.Repeat("z", 5000) + `","current":{"time":5,"weather_code":"x",` +
		`"temperature_2m":[1]},"daily":{"time":[null,{}],"weather_code":[1e300]}}`
	if res := s.call(t.Context(), t, weather.Options{}, object{"latitude": 1, "longitude": 1}); res.Fault != nil ||
		len(res.Output) > 600 {
		t.Errorf("got %s", res.Output)
	}
	s.Close()
	if res := s.call(t.Context(), t, weather.Options{APIKey: key}, object{"place": "x"}); !errors.Is(res.Fault,
		toolkit.ErrTool) || strings.Contains(res.Output, key) || strings.Contains(res.Output, "127.0.0.1") {
		t.Errorf("gone: got %s", res.Output)
	}
}

func TestTimes(t *testing.T) {
	slow := httptest.NewServer(http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) { <-r.Context().Done() }))
	defer slow.Close()
	s := &server{Server: slow}
	if res := s.call(t.Context(), t, weather.Options{Timeout: 50 * time.Millisecond},
		object{"place": "x"}); !errors.Is(res.Fault, toolkit.ErrTimeout) {
		t.Errorf("got %s, want a timeout", res.Output)
	}
	ctx, cancel := context.WithCancel(t.Context())
	time.AfterFunc(20*time.Millisecond, cancel)
	if res := s.call(ctx, t, weather.Options{}, object{"place": "x"}); !errors.Is(res.Fault, toolkit.ErrCanceled) {
		t.Errorf("got %s, want canceled", res.Output)
	}
}

func TestNew(t *testing.T) {
	for field, o := range map[string]weather.Options{
		"Timeout": {Timeout: -1}, "GeocodingURL": {GeocodingURL: "ftp://x"}, "ForecastURL": {ForecastURL: "https://u:p@x/"},
	} {
		if _, err := weather.New(o); err == nil ||
			!strings.Contains(err.Error(), "weather: Options."+field+": got ") || strings.Contains(err.Error(), "u:p") {
			t.Errorf("%s: got %v, want an error that names it", field, err)
		}
	}
	key := "key" + strings.Repeat("8", 20)
	tools, err := weather.New(weather.Options{APIKey: key})
	if err != nil {
		t.Fatal(err)
	}
	if text := fmt.Sprintf("%v %+v %#v", tools, tools, tools); strings.Contains(text, key) {
		t.Errorf("printing the tools shows the key: %s", text)
	}
	def := tools.Tools()[0].Definition()
	if err := def.Validate(); err != nil {
		t.Error(err)
	}
	if def.ReadOnly != toolkit.Yes || def.OpenWorld != toolkit.Yes || def.CacheTTL != 10*time.Minute ||
		!json.Valid(def.InputSchema) {
		t.Errorf("got %+v", def)
	}
}
