// Copyright The toolscope Authors
// SPDX-License-Identifier: Apache-2.0

package script

import (
	"context"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

func TestAwkPlain(t *testing.T) {
	for _, code := range []string{
		`{print $2}`, `$1 > 5 || x`, `/a|b/ {print $1}`, `{print "a > b | c"}`, `BEGIN{FS=":.*##"; printf "%s <x>\n", $1}`,
		`{x = $1 / 2; y = NF/3} END{print x, y, (x+y)/2, a[1]/2}`, `$0 ~ /a\/b/ && !/[[:space:]"]/`,
		`{gsub(/[^a-z|>]/, ""); print}`, `if (1) x`, `{n[$1]++} END {for (k in n) if (n[k] > 1) print k, n[k]}`,
		"{ # system(\n print }", `{split($0, a, "|"); print a[2]}`, `{if (x) /y/; print}`, `{print ENVIRON["HOME"]}`,
		`{print substr($0, 1, 3), length, NR==1}`, `/x/,/y/`,
		`{ print $1; if (a > b) c }`, `BEGIN { print "system(\"x\")" }`, `{print toupper(substr($1,1,1)) tolower(substr($1,2))}`,
	} {
		if !AwkPlain(code) {
			t.Errorf("%s: not plain", code)
		}
	}
	for _, code := range []string{
		`BEGIN{system("a")}`, `{print | "a"}`, `{"a" | getline}`, `{print > "f"}`, `{print >> "f"}`, `{print $1, $2 > $3}`,
		"{print a,\n b > \"f\"}", `{printf("%s", $1) > "f"}`, `{print (1)(2) > "f"}`, `@include "x"`,
		`BEGIN{f="a"; @f("b")}`, `{print |& "a"}`, `{getline < "f"}`,
		`BEGIN{ARGV[1]="f"}`, `BEGIN{ENVIRON["PATH"]="."}`, `BEGIN{ENVIRON["PATH"] = "."}`,
		`BEGIN{x = 4 / 2; system("a"); y = 1 / 3}`, `{x++ / system("a") / 2}`, `{if (1) /"/; system("a"); "/"}`,
		`/[/]/{system("a")}#]/`, `/[]/]{"/{system("a")}#"/`, `{a["/"]; system("a"); "/"}`,
		`{print /a/ > "x"}`, `{ x = NF / 2 "\""; system("a"); "/" }`, `{print "a`, `/a`, `{print "a\`, "{print \"a\nb\"}",
		`) {print}`, "{print $1 \\\n > \"f\"}", `/[[:a/]:]{system("a")}/`, `{print} END {close("a"); system("a")}`,
		`{while (x) /"/ ; system("a") ; "/" }`, `{ print a /"/ > "f" }`,
	} {
		if AwkPlain(code) {
			t.Errorf("%s: plain", code)
		}
	}
}

// What is taken for plain runs nothing in any awk there is: programs of random pieces, run in a
// directory of their own, would leave a file.
func TestAwkAgainstAwks(t *testing.T) {
	var awks []string
	for _, name := range []string{"gawk", "mawk", "original-awk"} {
		if path, err := exec.LookPath(name); err == nil {
			awks = append(awks, path)
		}
	}
	if len(awks) == 0 {
		t.Skip("no awk")
	}
	pieces := strings.Split(
		"/ / / \" \" [ ] [^ [] [[:alpha:] ( ) ; ; { } \\ \\\" \\/ a 1 $ ++ , > if( while(0) print length !  ~ in # | "+
			"x= \n system(\"touch~got\") print>\"got\" \"touch~got\"|getline BEGIN{ BEGIN{ BEGIN{ } } else do return a[ a(",
		" ",
	)
	random := rand.New(rand.NewPCG(5, 6))
	dir := t.TempDir()
	ran, plain := 0, 0
	for range 200_000 {
		var code strings.Builder
		for range 2 + random.IntN(12) {
			code.WriteString(strings.ReplaceAll(pieces[random.IntN(len(pieces))], "~", " "))
			if random.IntN(3) == 0 {
				code.WriteByte(' ')
			}
		}
		text := code.String()
		if !strings.Contains(text, "got") || !AwkPlain(text) {
			continue
		}
		if plain++; plain > 150 {
			break
		}
		for _, awk := range awks {
			ctx, cancel := context.WithTimeout(t.Context(), 2*time.Second)
			cmd := exec.CommandContext(ctx, awk, text)
			cmd.Dir = dir
			cmd.Stdin = strings.NewReader("a b\n")
			if cmd.Run() == nil {
				ran++
			}
			cancel()
			if _, err := os.Stat(filepath.Join(dir, "got")); err == nil {
				t.Fatalf("%s ran or wrote something, and this was taken for plain:\n%s", awk, text)
			}
		}
	}
	if ran < 10 {
		t.Errorf("only %d programs ran: the test tests little", ran)
	}
}
