// Copyright The toolscope Authors
// SPDX-License-Identifier: Apache-2.0

package data

import (
	"strings"

	"github.com/cockroachdb/apd/v3"
)

// unit says that one of it is above/below of the base units. Its zero lies offset
// below theirs, which is 0 but for degrees of temperature.
type unit struct {
	above, below, offset apd.Decimal
	dims                 dims
	rough                bool // above is rounded
}

// unitOf finds a unit by its name or symbol, with a prefix where it takes one.
func unitOf(name string) (*unit, bool) {
	if u, ok := units[name]; ok {
		return u.unit, true
	}
	for _, p := range prefixes {
		rest, ok := strings.CutPrefix(name, p.name)
		if !ok {
			continue
		}
		if u, ok := units[rest]; ok && u.takes&p.kind != 0 {
			scaled := *u.unit
			if _, err := exactly.Mul(&scaled.above, &u.unit.above, &p.factor); err != nil {
				return nil, false
			}
			return &scaled, true
		}
	}
	return nil, false
}

// Which prefixes a unit's name takes.
const (
	symbols = 1 << iota // k, M, …
	words               // kilo, mega, …
	binary              // Ki, Mi, …
)

type prefix struct {
	name   string
	kind   int
	factor apd.Decimal
}

var prefixes = func() (list []prefix) {
	for _, line := range []struct {
		kind int
		text string
	}{
		{symbols, "p 1e-12 n 1e-9 µ 1e-6 μ 1e-6 u 1e-6 m 1e-3 c 1e-2 d 0.1 da 10 h 100 k 1e3 M 1e6 G 1e9 T 1e12 P 1e15 E 1e18"},
		{words, "pico 1e-12 nano 1e-9 micro 1e-6 milli 1e-3 centi 1e-2 deci 0.1 deca 10 hecto 100 kilo 1e3 mega " +
			"1e6 giga 1e9 tera 1e12 peta 1e15"},
		{binary, "Ki 1024 Mi 1048576 Gi 1073741824 Ti 1099511627776 Pi 1125899906842624"},
	} {
		fields := strings.Fields(line.text)
		for i := 0; i < len(fields); i += 2 {
			list = append(list, prefix{fields[i], line.kind, number(fields[i+1])})
		}
	}
	return list
}()

type namedUnit struct {
	*unit
	takes int
}

// The dimensions of the table below.
var (
	length      = dims{1}
	area        = dims{2}
	volume      = dims{3}
	mass        = dims{0, 1}
	duration    = dims{0, 0, 1}
	frequency   = dims{0, 0, -1}
	speed       = dims{1, 0, -1}
	force       = dims{1, 1, -2}
	pressure    = dims{-1, 1, -2}
	energy      = dims{2, 1, -2}
	watts       = dims{2, 1, -3}
	temperature = dims{0, 0, 0, 1}
	current     = dims{0, 0, 0, 0, 1}
	voltage     = dims{2, 1, -3, 0, -1}
	resistance  = dims{2, 1, -3, 0, -2}
	storage     = dims{0, 0, 0, 0, 0, 1}
	plain       = dims{}
)

// units are exact by definition (BIPM's SI brochure, the international yard and
// pound, NIST handbook 44), but for degrees of an angle. Months and years have no
// one length and are left to the tool date.
var units = func() map[string]namedUnit {
	table := make(map[string]namedUnit)
	for _, line := range []struct {
		dims   dims
		factor string
		offset string
		takes  int
		names  string
	}{
		{length, "1", "0", symbols, "m"},
		{length, "1", "0", words, "meter meters metre metres"},
		{length, "0.0254", "0", 0, "inch inches"},
		{length, "0.3048", "0", 0, "ft foot feet"},
		{length, "0.9144", "0", 0, "yd yard yards"},
		{length, "1609.344", "0", 0, "mi mile miles"},
		{length, "1852", "0", 0, "nmi"},
		{area, "10000", "0", 0, "ha hectare hectares"},
		{area, "4046.8564224", "0", 0, "acre acres"},
		{volume, "0.001", "0", symbols, "l L"},
		{volume, "0.001", "0", words, "liter liters litre litres"},
		{volume, "0.003785411784", "0", 0, "gal gallon gallons"},
		{volume, "0.000946352946", "0", 0, "qt quart quarts"},
		{volume, "0.000473176473", "0", 0, "pint pints"},
		{volume, "0.0002365882365", "0", 0, "cup cups"},
		{volume, "0.0000295735295625", "0", 0, "floz"},
		{volume, "0.00001478676478125", "0", 0, "tbsp"},
		{volume, "0.00000492892159375", "0", 0, "tsp"},
		{mass, "0.001", "0", symbols, "g"},
		{mass, "0.001", "0", words, "gram grams"},
		{mass, "1000", "0", symbols, "t"},
		{mass, "1000", "0", 0, "tonne tonnes"},
		{mass, "0.45359237", "0", 0, "lb lbs pound pounds"},
		{mass, "0.028349523125", "0", 0, "oz ounce ounces"},
		{mass, "6.35029318", "0", 0, "stone"},
		{duration, "1", "0", symbols, "s"},
		{duration, "1", "0", words, "sec second seconds"},
		{duration, "60", "0", 0, "min minute minutes"},
		{duration, "3600", "0", 0, "h hr hour hours"},
		{duration, "86400", "0", 0, "d day days"},
		{duration, "604800", "0", 0, "week weeks"},
		{frequency, "1", "0", symbols, "Hz"},
		{speed, "0.44704", "0", 0, "mph"},
		{speed, "1", "0", 0, "mps"},
		{force, "1", "0", symbols, "N"},
		{force, "4.4482216152605", "0", 0, "lbf"},
		{pressure, "1", "0", symbols, "Pa"},
		{pressure, "100000", "0", symbols, "bar"},
		{pressure, "101325", "0", 0, "atm"},
		{energy, "1", "0", symbols, "J"},
		{energy, "1", "0", words, "joule joules"},
		{energy, "3600", "0", symbols, "Wh"},
		{energy, "4.184", "0", symbols, "cal"},
		{energy, "1.602176634e-19", "0", symbols, "eV"},
		{energy, "1055.05585262", "0", 0, "BTU"},
		{watts, "1", "0", symbols, "W"},
		{watts, "1", "0", words, "watt watts"},
		{watts, "745.69987158227022", "0", 0, "hp"},
		{current, "1", "0", symbols, "A"},
		{voltage, "1", "0", symbols, "V"},
		{resistance, "1", "0", symbols, "Ω ohm"},
		{storage, "1", "0", symbols | binary, "B"},
		{storage, "1", "0", words, "byte bytes"},
		{storage, "0.125", "0", symbols | binary | words, "bit bits"},
		{storage, "0.125", "0", symbols, "b"},
		{temperature, "1", "0", symbols, "K"},
		{temperature, "1", "0", 0, "kelvin"},
		{temperature, "1", "273.15", 0, "°C degC celsius C"},
		{temperature, "5/9", "459.67", 0, "°F degF fahrenheit F"},
		{speed, "1000/3600", "0", 0, "kmh kph"},
		{speed, "1852/3600", "0", 0, "kn knot knots"},
		{plain, pi + "/180", "0", 0, "deg degree degrees °"},
		{plain, "1", "0", symbols, "rad"},
		{plain, "0.01", "0", 0, "percent"},
	} {
		above, below, ok := strings.Cut(line.factor, "/")
		if !ok {
			below = "1"
		}
		for _, name := range strings.Fields(line.names) {
			table[name] = namedUnit{&unit{number(above), number(below), number(line.offset), line.dims, above == pi}, line.takes}
		}
	}
	return table
}()

// number reads a number of this package's own tables.
func number(s string) apd.Decimal {
	d, _, err := apd.NewFromString(s)
	if err != nil {
		panic(err) // the tables are wrong
	}
	return *d
}

const (
	pi = "3.141592653589793238462643383279502884197169399375105820974944592307816406286208998628034825342117067" +
		"98214808651328230664709384460955058223172535940813"
	euler = "2.718281828459045235360287471352662497757247093699959574966967627724076630353547594571382178525166427" +
		"42746639193200305992181741359662904357290033429526"
	tau = "6.283185307179586476925286766559005768394338798750211641949889184615632812572417997256069650684234135" +
		"96429617302656461329418768921910116446345071881626"
)
