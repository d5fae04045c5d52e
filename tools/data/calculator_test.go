// Copyright The toolscope Authors
// SPDX-License-Identifier: Apache-2.0

package data_test

import (
	"errors"
	"strings"
	"testing"
	"time"

	"github.com/toolscope/toolscope/toolkit"
	"github.com/toolscope/toolscope/tools/data"
)

// text is an error's text, which its Format method leaves out.
func text(err error) string {
	if err == nil {
		return "no error"
	}
	return err.Error()
}

func TestCalculator(t *testing.T) {
	for expression, want := range map[string]string{
		// Exact decimals.
		"0.1 + 0.2":              "0.3",
		"1.10 * 3":               "3.3",
		"2 + 3 * 4":              "14",
		"(2 + 3) * 4":            "20",
		"10 / 4":                 "2.5",
		"1 / 8":                  "0.125",
		"1/3":                    "≈ 0.3333333333333333333333333333333333",
		"1/3*3":                  "≈ 1",
		"2^10":                   "1024",
		"2**10":                  "1024",
		"-2^2":                   "-4",
		"(-2)^2":                 "4",
		"2^-2":                   "0.25",
		"2^3^2":                  "512",
		"--3":                    "3",
		"2 - -3":                 "5",
		"+5":                     "5",
		"2^200":                  "1606938044258990275541962092341162602522202993782792835301376",
		"99999999999999999999+1": "100000000000000000000",
		"1e400":                  "1e400",
		"1e3":                    "1000",
		"1.5e-3":                 "0.0015",
		"1e-30":                  "1e-30",
		".5 + 5.":                "5.5",
		"1_000_000 * 2":          "2000000",
		"6 × 7 ÷ 2 − 1":          "20",
		"0 * 5":                  "0",
		"-0":                     "0",
		// Remainder, percent, factorial.
		"17 % 5":             "2",
		"-17 % 5":            "3",
		"17 mod 5":           "2",
		"5.5 % 2":            "1.5",
		"17 // 5":            "3",
		"-17 // 5":           "-4",
		"15% of 80":          "12",
		"200 * 15%":          "30",
		"50% + 1":            "1.5",
		"5!":                 "120",
		"3!!":                "720",
		"25!":                "15511210043330985984000000",
		"0!":                 "1",
		"100!/98!":           "9900",
		"(1e40 + 7) % 10":    "7",
		"123456789^3 % 1000": "69",
		"mod(17, 5)":         "2",
		"gcd(12, 18, 27)":    "3",
		"lcm(4, 6, 10)":      "60",
		"factorial(6)":       "720",
		"round(2.5)":         "3",
		"round(-2.5)":        "-3",
		"round(1.005, 2)":    "1.01",
		"round(12345, -2)":   "12300",
		"round(1/3, 4)":      "0.3333",
		"floor(-1.5)":        "-2",
		"ceil(-1.5)":         "-1",
		"trunc(-1.5)":        "-1",
		"trunc(1.5)":         "1",
		"abs(-3)":            "3",
		"sign(-3)":           "-1",
		"min(3, 1, 2)":       "1",
		"max(3, 1, 2)":       "3",
		"sum(1, 2, 3.5)":     "6.5",
		"avg(1, 2, 4, 5)":    "3",
		"median(5, 1, 4)":    "4",
		"median(5, 1, 4, 2)": "3",
		"pow(2, 0.5) - √2":   "≈ 0",
		"sqrt(16)":           "4",
		"sqrt(0.25)":         "0.5",
		"√2":                 "≈ 1.414213562373095048801688724209698",
		"cbrt(-27)":          "-3",
		"8^(1/3)":            "≈ 2",
		"ln(e)":              "≈ 1",
		"exp(1)":             "≈ 2.718281828459045235360287471352662",
		"log(1000)":          "≈ 3",
		"log(8, 2)":          "≈ 3",
		"log2(8)":            "≈ 3",
		"log10(2)":           "≈ 0.301029995663981195213738894724493",
		"2 pi":               "≈ 6.283185307179586476925286766559006",
		"sin(30°)":           "≈ 0.5",
		"cos(60 deg)":        "≈ 0.5",
		"tan(45 deg)":        "≈ 1",
		"sin(pi)":            "≈ 0",
		"sin(0)":             "≈ 0",
		"asin(1) to deg":     "≈ 90 deg",
		"acos(0.5) to deg":   "≈ 60 deg",
		"atan(1) * 4 - pi":   "≈ 0",
		"sin(1e20)":          "≈ -0.645251285265780844205811711312523",
		"e^(ln(7))":          "≈ 7",
		"1.0000001^1000000":  "≈ 1.105170912549793416638382709346716",
		// Units.
		"5 km to m":              "5000 m",
		"5 km + 300 m":           "5300 m",
		"1 mile in km":           "1.609344 km",
		"6 ft + 2 inch to cm":    "187.96 cm",
		"12 in to cm":            "30.48 cm",
		"5 in":                   "0.127 m",
		"36 km/h to m/s":         "10 m/s",
		"36 kmh to m/s":          "10 m/s",
		"60 mph to km/h":         "96.56064 km/h",
		"10 m / 4 s":             "2.5 m/s",
		"100 km / 2 h to km/h":   "≈ 50 km/h",
		"2 h + 30 min to min":    "150 min",
		"1 week to hours":        "168 hours",
		"1 acre to m^2":          "4046.8564224 m^2",
		"2 m^2 * 3 m":            "6 m^3",
		"5 kg * 9.81 m/s^2 to N": "49.05 N",
		"1 kWh to MJ":            "3.6 MJ",
		"1.5 GB to MB":           "1500 MB",
		"1 GiB to MiB":           "1024 MiB",
		"100 Mbit / 1 s to MB/s": "12.5 MB/s",
		"8 bit to B":             "1 B",
		"20 °C to °F":            "68 °F",
		"100 F to C":             "≈ 37.77777777777777777777777777777778 C",
		"-40 °C to °F":           "-40 °F",
		"32 °F to °C":            "0 °C",
		"0 °C to K":              "273.15 K",
		"300 K to °C":            "26.85 °C",
		"300 K - 280 K":          "20 K",
		"20 °C":                  "293.15 K",
		"180 deg to rad":         "≈ 3.141592653589793238462643383279503 rad",
		"sqrt(16 m^2)":           "4 m",
		"1 / 4 s":                "0.25 1/s",
		"3 kilometers to meters": "3000 meters",
		"1 gal to l":             "3.785411784 l",
		"10 lb to kg":            "4.5359237 kg",
		"5 µm to m":              "0.000005 m",
		"1 hour":                 "3600 s",
		"max(1 km, 900 m)":       "1000 m",
		"(5 km to mi) + 1 km":    "6000 m",
		"2 kW * 3 h to kWh":      "6 kWh",
		"5 V / 2 A to ohm":       "2.5 ohm",
		"70 percent * 10":        "7",
		strings.Repeat("(", 90) + "1" + strings.Repeat(")", 90): "1",
	} {
		got, err := data.Calculate(expression)
		if err != nil || got != want {
			t.Errorf("%s: got %s, %v, want %s", expression, got, text(err), want)
		}
	}
}

func TestCalculatorRefuses(t *testing.T) {
	for expression, want := range map[string]string{
		"":                                       "ends early",
		"  ":                                     "ends early",
		"1 +":                                    "ends early",
		"1 / 0":                                  "division by zero",
		"5 % 0":                                  "division by zero",
		"0 / 0":                                  "division by zero",
		"0^-1":                                   "no finite number",
		"sqrt(-1)":                               "negative number",
		"(-8)^0.5":                               "no real number",
		"ln(0)":                                  "above 0",
		"log(-1)":                                "above 0",
		"asin(2)":                                "beyond -1 to 1",
		"tan(90 deg)":                            "no tangent",
		"sin(1e31)":                              "beyond 10^30",
		"171.5!":                                 "whole number from 0 to 400",
		"401!":                                   "whole number from 0 to 400",
		"(-1)!":                                  "whole number from 0 to 400",
		"9^9^9^9":                                "smaller numbers",
		"10^100000":                              "larger than 10^5000",
		"2^1e4000":                               "smaller numbers",
		"0.5^1e4000":                             "smaller numbers",
		"exp(1e4000)":                            "larger than 10^5000",
		"1e4999 * 1e4999":                        "larger than 10^5000",
		"1e6000":                                 "at most 1000 digits",
		"1e999999999999":                         "at most 1000 digits",
		strings.Repeat("9", 1001):                "at most 1000 digits",
		"1,000":                                  "at byte 1: got \",\"",
		"1 2":                                    "at byte 2: got \"2\", want an operator",
		"2 (3)":                                  "want an operator",
		"(1":                                     "closing parenthesis",
		"1)":                                     "at byte 1",
		"sin":                                    "opening parenthesis after sin",
		"sin(1, 2)":                              "got 2 arguments, want 1 to 1",
		"min()":                                  "got 0 arguments",
		"frob(1)":                                "frob",
		"5 parsecs":                              "parsecs",
		"5 km to kg":                             "does not fit",
		"5 km + 3 kg":                            "do not fit together: m and kg",
		"5 km + 3":                               "a number without a unit",
		"5 km to":                                "ends early",
		"5 km to 3":                              "want a unit",
		"5 km to m to cm":                        "want an operator or the end",
		"20 °C + 5 °C":                           "can only be converted",
		"-(20 °C)":                               "can only be converted",
		"20 °C * 2":                              "can only be converted",
		"20 °C to m":                             "does not fit",
		"5 m to °C":                              "temperature is wanted",
		"2^(1 m)":                                "an exponent",
		"(2 m)^0.5":                              "not whole",
		"sqrt(2 m)":                              "has no root",
		"(2 m)^10":                               "beyond 9",
		"5 m^12":                                 "from 1 to 9",
		"gcd(1.5, 2)":                            "whole numbers",
		"round(1, 1.5)":                          "want a whole number",
		"1 # 2":                                  "got '#'",
		"x = 5":                                  "",
		"1..2":                                   "",
		"import os":                              "",
		"\x00":                                   "",
		"\xff":                                   "",
		strings.Repeat("(", 200):                 "nested deeper than 200",
		strings.Repeat("-", 300) + "1":           "nested deeper than 200",
		strings.Repeat("2^", 200) + "2":          "nested deeper",
		strings.Repeat("1+", 2000) + "1":         "more than 1000 parts",
		strings.Repeat(" ", 5000):                "5000 bytes, want at most 4096",
		"abs(" + strings.Repeat("1,", 400) + ")": "",
	} {
		got, err := data.Calculate(expression)
		if !errors.Is(err, toolkit.ErrInvalidArguments) || !strings.Contains(err.Error(), want) {
			t.Errorf("%.60s: got %.60s, %v, want %q", expression, got, text(err), want)
		}
	}
}

// TestCalculatorWork runs what would not end if it were done without care.
func TestCalculatorWork(t *testing.T) {
	for _, expression := range []string{
		"9^9^9^9", "1.0000000001^1e15", "1.1^1e4999", "2^(1e4000+0.5)", "0.3^0.00000001", "(1+1e-900)^1e900",
		strings.Repeat("1.7^1.3^", 40) + "2", strings.Repeat("exp(", 90) + "1" + strings.Repeat(")", 90),
		strings.Repeat("sqrt(", 90) + "2" + strings.Repeat(")", 90),
		strings.Repeat("sin(1e29)+", 80) + "1",
		"gcd(" + strings.Repeat("9", 400) + "," + strings.Repeat("7", 401) + ")", strings.Repeat("400!*", 150) + "1",
		strings.Repeat("(1/7)^99*", 90) + "1", "ln(1e-4999)", "ln(1+1e-4000)", "exp(1e-4999)", "exp(-11000)",
		"cbrt(1e4999)", "sqrt(1e-4999)", "atan(1e30)", "tan(1e29)",
		"1e4999 % 7", "1e4999 + 1e-4999", "(1/3) % 1e-900",
	} {
		start := time.Now()
		got, err := data.Calculate(expression)
		t.Logf("%.40s: %v %.60s, %s", expression, time.Since(start), got, text(err))
		if err != nil && !errors.Is(err, toolkit.ErrInvalidArguments) {
			t.Errorf("%.40s: got %s", expression, text(err))
		}
	}
}

func FuzzCalculator(f *testing.F) {
	for _, s := range []string{"1 + 2", "5 km/h to m/s", "-20 °C to °F", "sqrt(2)^2", "15% of 3!", "round(1/3, 2)",
		"gcd(4, 6) mod 3", "1 in in cm", "2 pi", "max(1,2)//3", "√4 ÷ 2"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, s string) {
		got, err := data.Calculate(s)
		if err != nil {
			if !errors.Is(err, toolkit.ErrInvalidArguments) {
				t.Errorf("got %v, want invalid arguments", err)
			}
			return
		}
		// A result is an expression whose result it is.
		again, err := data.Calculate(strings.TrimPrefix(got, "≈ "))
		if err == nil && strings.TrimPrefix(again, "≈ ") != strings.TrimPrefix(got, "≈ ") && !strings.ContainsAny(got, " ") {
			t.Errorf("%q gives %q, which gives %q", s, got, again)
		}
	})
}
