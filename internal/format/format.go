// Package format writes numbers, counts, durations and names for people.
package format

import (
	"fmt"
	"math"
	"regexp"
	"strconv"
	"strings"
	"time"
)

// None stands for a missing number.
const None = "–"

// huge is the limit above which numbers are written with an exponent, such as an exploding loss.
const huge = 1e6

// Fixed formats a number with the given decimals: −0.29. It returns None for NaN and infinities,
// and an exponent for numbers above 1e6: 8.6e+32.
func Fixed(v float64, decimals int) string {
	if math.IsNaN(v) || math.IsInf(v, 0) {
		return None
	}
	if math.Abs(v) > huge {
		return Minus(strconv.FormatFloat(v, 'g', 3, 64))
	}
	s := strconv.FormatFloat(v, 'f', decimals, 64)
	if strings.Trim(s, "-0.") == "" {
		return strings.TrimPrefix(s, "-") // no −0.00
	}
	return Minus(s)
}

// Optional is Fixed for a number that may be missing: None for nil.
func Optional(v *float64, decimals int) string {
	if v == nil {
		return None
	}
	return Fixed(*v, decimals)
}

// Minus replaces the hyphen in front of a number by a minus sign.
func Minus(number string) string { return strings.Replace(number, "-", "−", 1) }

// Signed formats a difference with two decimals and always a sign: +1.50.
func Signed(v float64) string {
	s := Fixed(v, 2)
	if s == None || strings.HasPrefix(s, "−") {
		return s
	}
	return "+" + s
}

// FromTo formats the interval of a difference: −0.004 to +3.00. An end that is not 0 gets up to
// four decimals, so that its sign can be read.
func FromTo(low, high float64) string { return end(low) + " to " + end(high) }

func end(v float64) string {
	decimals := 2
	for v != 0 && decimals < 4 && math.Abs(v) < 0.5*math.Pow10(-decimals) {
		decimals++
	}
	if v >= 0 {
		return "+" + Fixed(v, decimals)
	}
	return Fixed(v, decimals) // also NaN
}

// Exact formats a number in the fewest digits that parse to the same bits; "" for NaN.
func Exact(v float64) string {
	if math.IsNaN(v) {
		return ""
	}
	return strconv.FormatFloat(v, 'g', -1, 64)
}

// Percent formats a share of 1 as a whole percentage: 86 %.
func Percent(share float64) string { return strconv.FormatFloat(100*share, 'f', 0, 64) + " %" }

// Share formats a probability or weight as a percentage with at most three digits: 9.99 %.
func Share(p float32) string {
	x := 100 * float64(p)
	if x < 0.005 && x > 0 {
		return "<0.01 %"
	}
	return threeDigits(x) + " %"
}

// threeDigits formats a number below 1000.
func threeDigits(x float64) string {
	decimals := 2
	switch {
	case x >= 99.95:
		decimals = 0
	case x >= 9.995:
		decimals = 1
	}
	return strconv.FormatFloat(x, 'f', decimals, 64)
}

// Thousands groups the digits of a count: 25 000.
func Thousands(n int) string {
	s := strconv.Itoa(n)
	for i := len(s) - 3; i > 0 && s[i-1] != '-'; i -= 3 {
		s = s[:i] + " " + s[i:]
	}
	return s
}

// Counted formats a count and its noun: 1 run, 2 000 runs.
func Counted(n int, noun string) string {
	if n != 1 {
		noun += "s"
	}
	return Thousands(n) + " " + noun
}

// Unbroken keeps the digits of a number on one line.
func Unbroken(text string) string {
	return spacedDigits.ReplaceAllStringFunc(text, func(n string) string { return strings.ReplaceAll(n, " ", "\u00a0") })
}

var spacedDigits = regexp.MustCompile(`\d( \d{3})+\b`)

// SI formats a rate with three digits: 1.23 M, 670 k.
func SI(x float64) string {
	x, unit := scale(x, " k", " M", " G")
	if unit == "" {
		return strconv.FormatFloat(x, 'f', 0, 64)
	}
	return threeDigits(x) + unit
}

// Bytes formats a size: 84.1 MB.
func Bytes(n int64) string {
	x, unit := scale(float64(n), " kB", " MB", " GB")
	if unit == "" {
		return fmt.Sprintf("%d B", n)
	}
	return fmt.Sprintf("%.1f%s", x, unit)
}

// scale divides x by 1000 until it is below 1000 or the units run out.
func scale(x float64, units ...string) (float64, string) {
	unit := ""
	for _, u := range units {
		if x < 999.5 {
			break
		}
		x, unit = x/1000, u
	}
	return x, unit
}

// Clock formats seconds: 8.0 s, 2:10 min, 1:02 h.
func Clock(seconds float64) string {
	switch {
	case math.IsNaN(seconds) || seconds < 0:
		return "?"
	case seconds < 9.95:
		return strconv.FormatFloat(seconds, 'f', 1, 64) + " s"
	case seconds < 99.5:
		return strconv.FormatFloat(seconds, 'f', 0, 64) + " s"
	}
	n := int(math.Round(seconds))
	if n < 3600 {
		return fmt.Sprintf("%d:%02d min", n/60, n%60)
	}
	return fmt.Sprintf("%d:%02d h", n/3600, n/60%60)
}

// Ago formats the time since an event.
func Ago(d time.Duration) string {
	switch {
	case d < time.Minute:
		return "just now"
	case d < time.Hour:
		return fmt.Sprintf("%d min ago", d/time.Minute)
	case d < 48*time.Hour:
		return fmt.Sprintf("%d h ago", d/time.Hour)
	}
	return fmt.Sprintf("%d days ago", d/(24*time.Hour))
}

// Short returns the first eight digits of a digest, "unknown" for none.
func Short(digest string) string {
	if digest == "" {
		return "unknown"
	}
	return digest[:min(8, len(digest))]
}

// FileName replaces every byte that is not an ASCII letter, digit, hyphen or underscore
// by a hyphen.
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
