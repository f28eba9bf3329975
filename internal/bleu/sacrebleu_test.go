package bleu_test

import (
	"regexp"
	"strings"
	"unicode"
)

// The rules of mteval-v13a.pl in their order; each splits what the ones before
// left.
var rules = []struct {
	find    *regexp.Regexp
	replace string
}{
	{regexp.MustCompile("([{-~\\[-` -&(-+:-@/])"), " ${1} "}, // symbols, but ' , - .
	{regexp.MustCompile(`([^0-9])([.,])`), "${1} ${2} "},     // . and , unless a digit is before
	{regexp.MustCompile(`([.,])([^0-9])`), " ${1} ${2}"},     // or behind
	{regexp.MustCompile(`([0-9])(-)`), "${1} ${2} "},         // - behind a digit
}

var entities = []*strings.Replacer{
	strings.NewReplacer("<skipped>", ""),
	strings.NewReplacer("-\n", ""),
	strings.NewReplacer("\n", " "),
	strings.NewReplacer("&quot;", `"`),
	strings.NewReplacer("&amp;", "&"), // &amp;lt; becomes <, as there
	strings.NewReplacer("&lt;", "<"),
	strings.NewReplacer("&gt;", ">"),
}

// tokenize splits a line as sacreBLEU's 13a does, which is what NIST's
// mteval-v13a.pl does for languages of the West.
func tokenize(line string) []string {
	line = strings.TrimRightFunc(line, isSpace)
	for _, e := range entities {
		line = e.Replace(line)
	}
	line = " " + line + " "
	for _, r := range rules {
		line = r.find.ReplaceAllString(line, r.replace)
	}
	return strings.FieldsFunc(line, isSpace)
}

// isSpace is what Python's str.split takes for a space: Unicode's, and the
// separators of ASCII.
func isSpace(r rune) bool { return unicode.IsSpace(r) || 0x1c <= r && r <= 0x1f }
