// Copyright The toolscope Authors
// SPDX-License-Identifier: Apache-2.0

package data_test

import (
	"encoding/json"
	"testing"
	"testing/synctest"
	"time"

	"github.com/toolscope/toolscope/toolkit"
	"github.com/toolscope/toolscope/tools/data"
)

func TestAdd(t *testing.T) {
	for _, c := range []struct{ date, zone, duration, want string }{
		{"2026-01-31", "", "1 month", "2026-02-28"},
		{"2024-01-31", "", "1 month", "2024-02-29"},
		{"2024-02-29", "", "1 year", "2025-02-28"},
		{"2026-03-31", "", "-1 month", "2026-02-28"},
		{"2026-12-15", "", "2 quarters", "2027-06-15"},
		{"2026-03-01", "", "1 year 2 months 3 days", "2027-05-04"},
		{"2026-03-01", "", "P1Y2M3D", "2027-05-04"},
		{"2026-03-01", "", "-P1D", "2026-02-28"},
		{"2026-03-01", "", "P2W", "2026-03-15"},
		{"2026-03-01", "", "1.5 days", "2026-03-02T12:00:00Z"},
		{"2026-03-01", "", "PT36H", "2026-03-02T12:00:00Z"},
		{"2026-03-01", "", "1 week, 2 days and 90 min", "2026-03-10T01:30:00Z"},
		{"2026-03-01", "", "1 day -1 hour", "2026-03-01T23:00:00Z"},
		{"2026-03-01T10:00:00.25Z", "", "0.5s", "2026-03-01T10:00:00.75Z"},
		{"2026-03-01T10:00:00Z", "", "-0.5s", "2026-03-01T09:59:59.5Z"},
		// A day keeps the clock, an hour does not: Berlin changes on 29 March 2026 at 2:00.
		{"2026-03-28T12:00", "Europe/Berlin", "1 day", "2026-03-29T12:00:00+02:00"},
		{"2026-03-28T12:00", "Europe/Berlin", "24 hours", "2026-03-29T13:00:00+02:00"},
		{"2026-10-24 12:00", "Europe/Berlin", "24h", "2026-10-25T11:00:00+01:00"},
		{"2026-03-28T02:30", "Europe/Berlin", "1 day", "2026-03-29T03:30:00+02:00"},
		{"2026-03-06", "", "1 workday", "2026-03-09"},  // a Friday
		{"2026-03-07", "", "1 workday", "2026-03-09"},  // a Saturday
		{"2026-03-07", "", "5 workdays", "2026-03-13"}, // as from Friday
		{"2026-03-08", "", "-1 workday", "2026-03-06"},
		{"2026-03-09", "", "-6 workdays", "2026-02-27"},
		{"2026-03-09", "", "10 workdays", "2026-03-23"},
		{"2026-03-07", "", "0 days", "2026-03-07"},
		{"0", "", "1 day", "1970-01-02T00:00:00Z"},
		{"2026-03-01", "", "5000 years", "7026-03-01"},
	} {
		res := call(t.Context(), t, data.Options{}, "date",
			object{"operation": "add", "date": c.date, "timezone": c.zone, "duration": c.duration})
		var got struct{ Date string }
		if err := json.Unmarshal([]byte(res.Output), &got); err != nil || got.Date != c.want {
			t.Errorf("%s + %s: got %s, want %s", c.date, c.duration, res.Output, c.want)
		}
	}
	for _, duration := range []string{"", "x", "1", "day", "1 fortnight", "P", "PT", "P1", "P1X", "PTT1H",
		"1.5 months", "1.5 workdays", "8000 years", "-3000 years", "1e5 days", "999999999999 days", "1..2 days",
		"P1DT", "--1 day", "100000000000 days", "P1Y1.5M"} {
		scenario{duration, object{"operation": "add", "date": "2026-03-01", "duration": duration}, "duration: got",
			toolkit.ErrInvalidArguments}.run(t, data.Options{}, "date")
	}
}

func TestDiff(t *testing.T) {
	for _, c := range []struct{ a, b, want string }{
		{"2026-01-31", "2026-03-01",
			`{"seconds":2505600,"hours":696,"days":29,"calendar":"1 month 1 day","workdays":20,"negative":false}`},
		{"2024-02-29", "2025-02-28",
			`{"seconds":31536000,"hours":8760,"days":365,"calendar":"1 year","workdays":261,"negative":false}`},
		{"2026-03-01T10:00Z", "2026-03-01T12:30:15.5Z", `{"seconds":9015.5,"hours":2.504306,"days":0.104346,` +
			`"calendar":"2 hours 30 minutes 15 seconds 500000000 nanoseconds","workdays":0,"negative":false}`},
		{"2026-03-09", "2026-03-06",
			`{"seconds":-259200,"hours":-72,"days":-3,"calendar":"3 days","workdays":-1,"negative":true}`},
		{"2026-03-28T12:00:00+01:00", "2026-03-29T12:00:00+02:00",
			`{"seconds":82800,"hours":23,"days":0.958333,"calendar":"23 hours","workdays":0,"negative":false}`},
		{"2026-03-01", "2026-03-01", `{"seconds":0,"hours":0,"days":0,"calendar":"0 seconds","workdays":0,"negative":false}`},
		{"0001-01-01", "9999-12-31", `{"seconds":315537811200,"hours":87649392,"days":3652058,"calendar":"9998 ` +
			`years 11 months 30 days","workdays":2608614,"negative":false}`},
	} {
		scenario{c.a + " to " + c.b, object{"operation": "diff", "date": c.a, "other": c.b}, c.want, ""}.run(t,
			data.Options{}, "date")
	}
	// In a zone with summer time a day is a day.
	scenario{"over the change",
		object{"operation": "diff", "date": "2026-03-28T12:00", "other": "2026-03-29T12:00", "timezone": "Europe/Berlin"},
		`{"seconds":82800,"hours":23,"days":0.958333,"calendar":"1 day","workdays":0,"negative":false}`, ""}.run(t,
		data.Options{}, "date")
}

func TestDate(t *testing.T) {
	const wrong = toolkit.ErrInvalidArguments
	for _, s := range []scenario{
		{"info", object{"operation": "info", "date": "1 March 2026"}, `{"date":"2026-03-01T00:00:00Z",` +
			`"weekday":"Sunday","iso_week":"2026-W09","day_of_year":60,"leap_year":false,"days_in_month":31,` +
			`"unix":1772323200,"timezone":"UTC","zone":"UTC","utc":"2026-03-01T00:00:00Z"}`, ""},
		{"convert", object{"operation": "convert", "date": "2026-07-01T12:00:00Z", "to_timezone": "America/New_York"},
			`{"date":"2026-07-01T08:00:00-04:00","weekday":"Wednesday","iso_week":"2026-W27","day_of_year":182,` +
				`"leap_year":false,"days_in_month":31,"unix":1782907200,"timezone":"America/New_York",` +
				`"zone":"EDT","utc":"2026-07-01T12:00:00Z"}`, ""},
		{"skipped", object{"operation": "info", "date": "2026-03-29 02:30", "timezone": "Europe/Berlin"},
			`{"date":"2026-03-29T03:30:00+02:00","weekday":"Sunday","iso_week":"2026-W13","day_of_year":88,` +
				`"leap_year":false,"days_in_month":31,"unix":1774747800,"timezone":"Europe/Berlin","zone":"CEST",` +
				`"utc":"2026-03-29T01:30:00Z","note":"clocks skip this time of day: 03:30 is meant instead"}`, ""},
		{"twice", object{"operation": "add", "date": "2026-10-25T02:30", "timezone": "Europe/Berlin", "duration": "0s"},
			`{"date":"2026-10-25T02:30:00+01:00","weekday":"Sunday","unix":1792891800,"note":"clocks show this ` +
				`time of day twice: the one with offset +01:00 is meant"}`, ""},
		{"format", object{"operation": "format", "date": "2026-03-01T09:05:00+01:00",
			"format": "%A, %d.%m.%y %H:%M %z %%"}, "Sunday, 01.03.26 09:05 +0100 %", ""},
		{"no format", object{"operation": "format", "date": "2026-03-01"}, "format: got 0 bytes", wrong},
		{"wide", object{"operation": "format", "date": "2026-03-01", "format": "%999999999Y"}, "width", wrong},
		{"no date", object{"operation": "info"}, "date: got \"\"", wrong},
		{"which day", object{"operation": "info", "date": "03/04/2026"}, "operation parse reads others", wrong},
		{"no day", object{"operation": "info", "date": "2026-02-30"}, "date: got", wrong},
		{"letters", object{"operation": "info", "date": "2026-03-01T12:00 CET"}, "date: got", wrong},
		{"far", object{"operation": "info", "date": "99999999999999"}, "date: got", wrong},
		{"no zone", object{"operation": "info", "date": "2026-03-01", "timezone": "Mars/Olympus"}, "timezone: got", wrong},
		{"path as zone", object{"operation": "info", "date": "2026-03-01", "timezone": "../../etc/hostname"},
			"timezone: got", wrong},
		{"machine's zone", object{"operation": "info", "date": "2026-03-01", "timezone": "Local"}, "timezone: got", wrong},
		{"no operation", object{"date": "2026-03-01"}, "want add, diff, convert", wrong},
		{"no other", object{"operation": "diff", "date": "2026-03-01"}, "other: got", wrong},
		{"parse nothing", object{"operation": "parse", "date": "1"}, "format: got 0 bytes", wrong},
		{"parse other", object{"operation": "parse", "date": "x", "format": "%d.%m.%Y"}, "not of that format", wrong},
	} {
		s.run(t, data.Options{}, "date")
	}
	for date, want := range map[string]string{
		"2026-03-01": "2026-03-01T00:00:00+01:00", "20260301": "2026-03-01T00:00:00+01:00",
		"1772323200": "2026-03-01T01:00:00+01:00", "@0": "1970-01-01T01:00:00+01:00", "-1": "1970-01-01T00:59:59+01:00",
		"2026-03-01T12:00:00Z": "2026-03-01T12:00:00Z", "2026-03-01 12:00:00 -0500": "2026-03-01T12:00:00-05:00",
		"2026-03-01T12:00":                "2026-03-01T12:00:00+01:00",
		"Sun, 01 Mar 2026 12:00:00 GMT":   "2026-03-01T12:00:00Z",
		"Sun, 01 Mar 2026 12:00:00 +0200": "2026-03-01T12:00:00+02:00",
		"March 1, 2026 3:04 PM":           "2026-03-01T15:04:00+01:00", "Mar 1, 2026": "2026-03-01T00:00:00+01:00",
	} {
		berlin, err := time.LoadLocation("Europe/Berlin")
		if err != nil {
			t.Fatal(err)
		}
		res := call(t.Context(), t, data.Options{Location: berlin}, "date", object{"operation": "info", "date": date})
		var got struct{ Date string }
		if err := json.Unmarshal([]byte(res.Output), &got); err != nil || got.Date != want {
			t.Errorf("%s: got %s, want %s", date, res.Output, want)
		}
	}
	res := call(t.Context(), t, data.Options{}, "date",
		object{"operation": "parse", "date": " 04.03.2026 17:30", "format": "%d.%m.%Y %H:%M", "timezone": "+05:30"})
	var got struct{ Date string }
	if err := json.Unmarshal([]byte(res.Output), &got); err != nil || got.Date != "2026-03-04T17:30:00+05:30" {
		t.Errorf("parse: got %s", res.Output)
	}
}

func TestNow(t *testing.T) {
	synctest.Test(t, func(t *testing.T) { // whose clock begins at the turn of the millennium
		scenario{"now", object{"timezone": "Asia/Tokyo"}, `{"date":"2000-01-01T09:00:00+09:00",` +
			`"weekday":"Saturday","iso_week":"1999-W52","day_of_year":1,"leap_year":true,"days_in_month":31,` +
			`"unix":946684800,"timezone":"Asia/Tokyo","zone":"JST","utc":"2000-01-01T00:00:00Z"}`, ""}.
			run(t, data.Options{}, "date_now")
		scenario{"no zone", object{"timezone": "x"}, "timezone: got", toolkit.ErrInvalidArguments}.run(t,
			data.Options{}, "date_now")
	})
}

// FuzzDate checks that whatever is added, the answer is a date or says what is wrong.
func FuzzDate(f *testing.F) {
	for _, s := range [][3]string{{"2026-01-31", "1 month", "Europe/Berlin"}, {"1772323200", "P1Y2M3DT4H5M6.5S", ""},
		{"Mar 1, 2026", "-2.5 weeks 1 workday", "+05:30"}, {"0001-01-01", "-1s", "UTC"},
		{"9999-12-31T23:59:59Z", "1 year", "America/New_York"}} {
		f.Add(s[0], s[1], s[2])
	}
	f.Fuzz(func(t *testing.T, date, duration, zone string) {
		res := call(t.Context(), t, data.Options{}, "date",
			object{"operation": "add", "date": date, "duration": duration, "timezone": zone})
		if res.Fault == nil && !json.Valid([]byte(res.Output)) {
			t.Errorf("got %s", res.Output)
		}
	})
}
