// Copyright The toolscope Authors
// SPDX-License-Identifier: Apache-2.0

package weather

import (
	"context"
	"encoding/json"
	"fmt"
	"math"
	"net/url"
	"strings"
	"time"

	"github.com/toolscope/toolscope/toolkit"
	"github.com/toolscope/toolscope/tools/internal/arg"
)

const (
	defaultDays = 3
	maxDays     = 16
	maxPlace    = 200 // bytes
	// believed is how long an answer may be stored: the servers' weather of now is
	// renewed every 15 minutes.
	believed   = 10 * time.Minute
	answerTime = 5 * time.Second
)

const schema = `{"type":"object","properties":{
  "place": {"type": "string", "minLength": 1, "maxLength": 200, "description": "Name of a town or other place, or a ` +
	`postal code. A country or region after a comma tells stages of one name apart: Springfield, Illinois."},
  "latitude": {"type": "number", "minimum": -90, "maximum": 90, "description": "Instead of place, together with ` +
	`longitude; north is positive."},
  "longitude": {"type": "number", "minimum": -180, "maximum": 180, "description": "East is positive."},
  "days": {"type": "integer", "minimum": 1, "maximum": 16, "default": 3, "description": "How many days the forecast ` +
	`has, today included."},
  "units": {"type": "string", "enum": ["metric", "imperial"], "default": "metric", "description": "metric: °C, ` +
	`km/h, mm. imperial: °F, mph, inch."}
},"anyOf":[{"required":["place"]},{"required":["latitude","longitude"]}],"additionalProperties":false}`

// Tools is the one tool, weather.
func (t *Toolset) Tools() []toolkit.Tool {
	return []toolkit.Tool{toolkit.NewTool(toolkit.Definition{
		Name: "weather", Description: "Tells the weather of a place: now, and the forecast day by day.",
		Title: "Weather", InputSchema: json.RawMessage(schema),
		Type: toolkit.ToolExtension, Category: "weather", Risk: toolkit.RiskLow,
		ReadOnly: toolkit.Yes, Idempotent: toolkit.Yes, Destructive: toolkit.No, OpenWorld: toolkit.Yes,
		Timeout: t.timeout + answerTime, CacheTTL: believed, Resources: []string{"weather"},
	}, t.weather)}
}

type input struct {
	Stage     string   `json:"place"`
	Latitude  *float64 `json:"latitude"`
	Longitude *float64 `json:"longitude"`
	Days      *int     `json:"days"`
	Units     string   `json:"units"`
}

func (t *Toolset) weather(ctx context.Context, in input) (string, error) {
	days, err := in.check()
	if err != nil {
		return "", err
	}
	ctx, cancel := context.WithTimeout(ctx, t.timeout)
	defer cancel()
	var at place
	var others []place
	if in.Latitude != nil {
		at = place{Latitude: *in.Latitude, Longitude: *in.Longitude}
	} else if at, others, err = t.find(ctx, in.Stage); err != nil {
		return "", err
	}
	f, err := t.ask(ctx, at, days, in.Units)
	if err != nil {
		return "", err
	}
	return f.describe(at, others), nil
}

// check gives the number of days.
func (in *input) check() (int, error) {
	in.Stage = strings.TrimSpace(in.Stage)
	switch {
	case in.Stage != "" && (in.Latitude != nil || in.Longitude != nil):
		return 0, arg.Invalid("place", "a place and coordinates", "one of them")
	case in.Stage == "" && (in.Latitude == nil || in.Longitude == nil):
		return 0, arg.Invalid("place", "none", "a name, or latitude and longitude")
	case len(in.Stage) > maxPlace:
		return 0, arg.Invalid("place", fmt.Sprintf("%d bytes", len(in.Stage)), fmt.Sprintf("at most %d", maxPlace))
	case in.Latitude != nil && math.Abs(*in.Latitude) > 90:
		return 0, arg.Invalid("latitude", fmt.Sprint(*in.Latitude), "-90 to 90")
	case in.Longitude != nil && math.Abs(*in.Longitude) > 180:
		return 0, arg.Invalid("longitude", fmt.Sprint(*in.Longitude), "-180 to 180")
	case in.Units != "" && in.Units != "metric" && in.Units != "imperial":
		return 0, arg.Invalid("units", fmt.Sprintf("%.40q", in.Units), "metric or imperial")
	}
	return arg.Number("days", in.Days, defaultDays, 1, maxDays)
}

// place is one that the geocoding server knows.
type place struct {
	Name      string
	Admin1    string // the state or region
	Country   string
	Latitude  float64
	Longitude float64
}

// String is the place's name with what tells it apart.
func (p place) String() string {
	var parts []string
	for _, s := range []string{p.Name, p.Admin1, p.Country} {
		if s = oneLine(s); s != "" && (len(parts) == 0 || parts[len(parts)-1] != s) {
			parts = append(parts, s)
		}
	}
	return strings.Join(parts, ", ")
}

// find looks a place up by its name; what stands after a comma chooses between
// those of one name. others are further ones that fit.
func (t *Toolset) find(ctx context.Context, name string) (found place, others []place, err error) {
	name, region, _ := strings.Cut(name, ",")
	name = strings.TrimSpace(name)
	var answer struct{ Results []place }
	if err := t.get(ctx, t.geocoding,
		url.Values{"name": {name}, "count": {"10"}, "language": {"en"}, "format": {"json"}}, &answer); err != nil {
		return place{}, nil, err
	}
	var fitting []place
	for _, p := range answer.Results {
		if p.in(region) {
			fitting = append(fitting, p)
		}
	}
	if len(fitting) == 0 {
		text := fmt.Sprintf("%.100q", name)
		if len(answer.Results) > 0 {
			text += fmt.Sprintf(" in %.100q, where it is not known", strings.TrimSpace(region))
		}
		return place{}, nil, arg.Invalid("place", text,
			"a place that the weather service knows"+list("; of that name it knows ", answer.Results)+
				", or latitude and longitude")
	}
	return fitting[0], fitting[1:], nil
}

// in reports whether each part of a region, such as "Illinois, United States", is
// in what is known of the place.
func (p place) in(region string) bool {
	known := strings.ToLower(p.Admin1 + "\n" + p.Country)
	for part := range strings.SplitSeq(region, ",") {
		if !strings.Contains(known, strings.ToLower(strings.TrimSpace(part))) {
			return false
		}
	}
	return true
}

// list is up to four stages after some text; "" if there are none.
func list(text string, stages []place) string {
	var names []string
	for _, p := range stages[:min(len(stages), 4)] {
		names = append(names, p.String())
	}
	if len(names) == 0 {
		return ""
	}
	return text + strings.Join(names, "; ")
}
