// Copyright The toolscope Authors
// SPDX-License-Identifier: Apache-2.0

package weather

import (
	"context"
	"fmt"
	"net/url"
	"strconv"
	"strings"

	"github.com/toolscope/toolscope/tools/internal/arg"
)

// forecast is what the server says: values by name, and their units. A value
// that it does not know is null.
type forecast struct {
	Timezone     string
	Current      map[string]any
	CurrentUnits map[string]string `json:"current_units"`
	Daily        map[string][]any
	DailyUnits   map[string]string `json:"daily_units"`
}

const (
	currentNames = "temperature_2m,apparent_temperature,relative_humidity_2m,precipitation,weather_code," +
		"wind_speed_10m,wind_gusts_10m,wind_direction_10m"
	dailyNames = "weather_code,temperature_2m_max,temperature_2m_min,precipitation_sum," +
		"precipitation_probability_max,wind_speed_10m_max,sunrise,sunset"
)

func (t *Toolset) ask(ctx context.Context, at place, days int, units string) (*forecast, error) {
	values := url.Values{
		"latitude": {coordinate(at.Latitude)}, "longitude": {coordinate(at.Longitude)},
		"current": {currentNames}, "daily": {dailyNames}, "timezone": {"auto"}, "forecast_days": {strconv.Itoa(days)},
	}
	if units == "imperial" {
		values.Set("temperature_unit", "fahrenheit")
		values.Set("wind_speed_unit", "mph")
		values.Set("precipitation_unit", "inch")
	}
	var f forecast
	if err := t.get(ctx, t.forecast, values, &f); err != nil {
		return nil, err
	}
	if len(f.Current) == 0 && len(f.Daily) == 0 {
		return nil, arg.Failed("the weather service's answer has no weather")
	}
	return &f, nil
}

func coordinate(v float64) string { return strconv.FormatFloat(v, 'f', -1, 64) }

// describe writes the weather line by line.
func (f *forecast) describe(where place, others []place) string {
	var b strings.Builder
	b.WriteString("Weather")
	if name := where.String(); name != "" {
		b.WriteString(" for " + name)
	}
	fmt.Fprintf(&b, " (latitude %s, longitude %s)", coordinate(where.Latitude), coordinate(where.Longitude))
	if f.Timezone != "" {
		fmt.Fprintf(&b, ", times of %s", oneLine(f.Timezone))
	}
	b.WriteByte('\n')
	if len(f.Current) > 0 {
		line := join(
			condition(f.Current["weather_code"]), f.now("temperature_2m"),
			labelled("feels like ", f.now("apparent_temperature")), labelled("humidity ", f.now("relative_humidity_2m")),
			labelled("precipitation ", f.now("precipitation")), labelled("wind ", f.now("wind_speed_10m")),
			labelled("gusts ", f.now("wind_gusts_10m")), labelled("wind from ", f.now("wind_direction_10m")))
		fmt.Fprintf(&b, "Now (%s): %s\n", text(f.Current["time"]), line)
	}
	for i, day := range f.Daily["time"][:min(len(f.Daily["time"]), maxDays)] {
		value := func(name string) string { return f.day(name, i) }
		line := join(
			condition(at(f.Daily["weather_code"], i)), labelled("low ", value("temperature_2m_min")),
			labelled("high ", value("temperature_2m_max")), labelled("precipitation ", value("precipitation_sum")),
			labelled("chance of it ", value("precipitation_probability_max")),
			labelled("wind up to ", value("wind_speed_10m_max")), labelled("sunrise ", value("sunrise")),
			labelled("sunset ", value("sunset")))
		fmt.Fprintf(&b, "%s: %s\n", text(day), line)
	}
	if more := list("Other places of that name: ", others); more != "" {
		b.WriteString(more + "\n")
	}
	return strings.TrimSuffix(b.String(), "\n")
}

func (f *forecast) now(name string) string { return withUnit(f.Current[name], f.CurrentUnits[name]) }

func (f *forecast) day(name string, i int) string {
	return withUnit(at(f.Daily[name], i), f.DailyUnits[name])
}

func labelled(label, value string) string {
	if value == "" {
		return ""
	}
	return label + value
}

// condition names a WMO code; "" if there is none.
func condition(code any) string {
	n, ok := code.(float64)
	if !ok {
		return ""
	}
	if name := conditions[int(n)]; name != "" {
		return name
	}
	return "weather code " + text(code)
}

// at is a list's value at a place; nil if it is shorter.
func at(list []any, i int) any {
	if i < len(list) {
		return list[i]
	}
	return nil
}

// withUnit writes a value, without the units that only say how a time is written.
func withUnit(v any, unit string) string {
	s := text(v)
	if s == "" || unit == "" || unit == "iso8601" {
		return s
	}
	if unit == "°" || unit == "%" {
		return s + unit
	}
	return s + " " + oneLine(unit)
}

// text writes a number or string of the server's; "" for what is none.
func text(v any) string {
	switch v := v.(type) {
	case float64:
		return strconv.FormatFloat(v, 'f', -1, 64)
	case string:
		return oneLine(v)
	}
	return ""
}

func join(parts ...string) string {
	var given []string
	for _, p := range parts {
		if p != "" {
			given = append(given, p)
		}
	}
	return strings.Join(given, ", ")
}

// conditions are the codes of the WMO's table 4677 that Open-Meteo uses.
var conditions = map[int]string{
	0: "clear sky", 1: "mainly clear", 2: "partly cloudy", 3: "overcast", 45: "fog", 48: "rime fog",
	51: "light drizzle", 53: "drizzle", 55: "heavy drizzle", 56: "light freezing drizzle", 57: "freezing drizzle",
	61: "light rain", 63: "rain", 65: "heavy rain", 66: "light freezing rain", 67: "freezing rain",
	71: "light snow", 73: "snow", 75: "heavy snow", 77: "snow grains", 80: "light showers", 81: "showers", 82: "violent showers",
	85: "light snow showers", 86: "heavy snow showers", 95: "thunderstorm", 96: "thunderstorm with light hail",
	99: "thunderstorm with heavy hail",
}
