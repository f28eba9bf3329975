// Package format answers: how are numbers, counts and names written for people?
package format

import (
	"math"
	"regexp"
	"strconv"
	"strings"

	"github.com/olekukonko/tablewriter/pkg/twwidth"
)

// None stands where there is no number.
const None = "–"

// huge is from where on a number is written with an exponent: nobody reads the digits of a
// loss that explodes.
const huge = 1e6

// Fixed formats a number with that many decimals, or none; a huge one as 8.6e+32.
func Fixed(v float64, decimals int) string {
	if math.IsNaN(v) || math.IsInf(v, 0) {
		return None
	}
	if math.Abs(v) > huge {
		return strings.Replace(strconv.FormatFloat(v, 'g', 3, 64), "-", "−", 1)
	}
	s := strconv.FormatFloat(v, 'f', decimals, 64)
	if strings.Trim(s, "-0.") == "" {
		return strings.TrimPrefix(s, "-") // no −0.00
	}
	return strings.Replace(s, "-", "−", 1)
}

// Percent formats what is in percent already, with two decimals.
func Percent(v float64) string { return Fixed(v, 2) }

// Signed formats a difference in points, always with its sign.
func Signed(v float64) string {
	s := Fixed(v, 2)
	if s == None || strings.HasPrefix(s, "−") {
		return s
	}
	return "+" + s
}

// Exact formats a number in as few digits as give back its bits; "" for NaN.
func Exact(v float64) string {
	if math.IsNaN(v) {
		return ""
	}
	return strconv.FormatFloat(v, 'g', -1, 64)
}

// Thousands groups the digits of a count: 25 000.
func Thousands(n int) string {
	s := strconv.Itoa(n)
	for i := len(s) - 3; i > 0 && s[i-1] != '-'; i -= 3 {
		s = s[:i] + " " + s[i:]
	}
	return s
}

// Counted is a number in words: 1 run, 2 000 runs.
func Counted(n int, what string) string {
	if n != 1 {
		what += "s"
	}
	return Thousands(n) + " " + what
}

// Short cuts a digest to what tells it apart in print.
func Short(digest string) string {
	if digest == "" {
		return "unknown"
	}
	return digest[:min(8, len(digest))]
}

// FileName keeps a name within a folder on every system.
func FileName(s string) string {
	b := []byte(s)
	for i, c := range b {
		if c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z' || c >= '0' && c <= '9' || c == '-' || c == '_' {
			continue
		}
		b[i] = '-'
	}
	return string(b)
}

// Unbroken keeps the digits of a number on one line.
func Unbroken(text string) string { return spacedDigits.ReplaceAllString(text, "$1\u00a0$2") }

var spacedDigits = regexp.MustCompile(`(\d) (\d{3})\b`)

// Wrap breaks a text at spaces into lines of at most width columns (0: one
// line), those after the first indented. A longer word stays whole.
func Wrap(text string, width int, indent string) string {
	var out strings.Builder
	line := ""
	for word := range strings.FieldsSeq(text) {
		switch {
		case line == "":
			line = word
		case width > 0 && twwidth.Width(line)+1+twwidth.Width(word) > width:
			out.WriteString(line + "\n")
			line = indent + word
		default:
			line += " " + word
		}
	}
	return out.String() + line + "\n"
}

// FromTo formats an interval of a difference in points. On which side of 0 an end is can be
// read: one that is not 0 has as many decimals as that takes, up to four.
func FromTo(low, high float64) string { return end(low) + " to " + end(high) }

func end(v float64) string {
	for decimals := 2; decimals <= 4; decimals++ {
		switch s := Fixed(v, decimals); {
		case v == 0, strings.Trim(s, "0.") == "": // more decimals, if any
		case v > 0:
			return "+" + s
		default:
			return s // with its sign, or none
		}
	}
	switch {
	case v > 0:
		return "just above 0"
	case v < 0:
		return "just below 0"
	}
	return Signed(v)
}
