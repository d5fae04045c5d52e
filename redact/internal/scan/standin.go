// Copyright The toolscope Authors
// SPDX-License-Identifier: Apache-2.0

package scan

// StandIns are values that standards and issuers reserve for examples.
var StandIns = map[string]string{
	"email":        "person@example.com",
	"phone-number": "+1-202-555-0100",
	"payment-card": "4111111111111111",
	"us-ssn":       "219-09-9999",
	"iban":         "GB82WEST12345698765432",
	"ipv4":         "192.0.2.1",
	"ipv6":         "2001:db8::1",
	"mac-address":  "00-00-5E-00-53-00",
}
