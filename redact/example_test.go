// Copyright The toolscope Authors
// SPDX-License-Identifier: Apache-2.0

package redact_test

import (
	"errors"
	"fmt"
	"io/fs"
	"log/slog"
	"os"
	"strings"

	"github.com/toolscope/toolscope/redact"
)

func ExampleRedactor_JSON() {
	clean, found := redact.Default().JSON([]byte(`{"host":"db1", "dbPassword":"hu3nter2Zq", "max_tokens":4096}`))
	fmt.Println(string(clean))
	fmt.Println(found.Kinds(), found.Count())
	// Output:
	// {"host":"db1", "dbPassword":"[REDACTED:passwd]", "max_tokens":4096}
	// [passwd] 1
}

func ExampleRedactor_Text() {
	clean, _ := redact.Default().Text("mysql -u root -phu3nter2Zq orders | mail jane@mail.example.org")
	fmt.Println(clean)
	// Output:
	// mysql -u root -p[REDACTED:passwd] orders | mail [REDACTED:email]
}

func ExampleRedactor_TextMax() {
	clean, report := redact.Default().TextMax("begin"+strings.Repeat(" and on", 100)+" end", 60)
	fmt.Println(clean)
	fmt.Println(report.Truncated, report.Size)
	// Output:
	// begin and on and on and on an…[670 bytes cut]…and on end
	// true 709
}

func ExampleRedactor_Error() {
	err := fmt.Errorf("reading with password=hu3nter2Zq: %w", fs.ErrNotExist)
	clean := redact.Default().Error(err)
	fmt.Println(clean)
	fmt.Println(errors.Is(clean, fs.ErrNotExist))
	// Output:
	// reading with password=[REDACTED:passwd]: file does not exist
	// true
}

func ExampleNewHandler() {
	inner := slog.NewTextHandler(os.Stdout, &slog.HandlerOptions{ReplaceAttr: func(_ []string, a slog.Attr) slog.Attr {
		if a.Key == slog.TimeKey {
			return slog.Attr{}
		}
		return a
	}})
	log := slog.New(redact.NewHandler(inner, nil))
	log.Info("connecting", "host", "db1", "password", "hu3nter2Zq")
	// Output:
	// level=INFO msg=connecting host=db1 password=[REDACTED:passwd]
}

func ExampleOptions_known() {
	r, err := redact.New(redact.Options{Known: []string{"PURPLE-ELEPHANT"}})
	if err != nil {
		fmt.Println(err)
		return
	}
	clean, _ := r.Text("it is PURPLE-ELEPHANT")
	fmt.Println(clean)
	// Output:
	// it is [REDACTED:known-value]
}
