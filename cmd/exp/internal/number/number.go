// Package number says numbers as people read them.
package number

import (
	"fmt"
	"math"
	"strconv"
	"strings"
	"time"
)

// Fixed prints a metric with its digits, "–" where there is none.
func Fixed(x *float64, digits int) string {
	if x == nil {
		return "–"
	}
	if math.Abs(*x) >= 1e6 { // on its way to diverge
		return strconv.FormatFloat(*x, 'g', digits, 64)
	}
	return strconv.FormatFloat(*x, 'f', digits, 64)
}

// Minus gives a number the sign that people read; what programs read keeps its hyphen.
func Minus(number string) string { return strings.Replace(number, "-", "−", 1) }

// Percent prints a share: 86 %.
func Percent(share float64) string { return strconv.FormatFloat(100*share, 'f', 0, 64) + " %" }

// SI prints a rate with three digits: 1.23 M, 670 k.
func SI(x float64) string {
	unit := ""
	for _, u := range []string{" k", " M", " G"} {
		if x < 999.5 {
			break
		}
		x, unit = x/1000, u
	}
	digits := 0
	switch {
	case unit == "" || x >= 99.95:
	case x >= 9.995:
		digits = 1
	default:
		digits = 2
	}
	return strconv.FormatFloat(x, 'f', digits, 64) + unit
}

// Thousands prints a count with its digits in threes: 25 402.
func Thousands(n int) string {
	s := strconv.Itoa(n)
	for i := len(s) - 3; i > 0 && s[i-1] != '-'; i -= 3 {
		s = s[:i] + " " + s[i:]
	}
	return s
}

// Clock prints seconds as people read them: 8 s, 2:10 min, 1:02:03 h.
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

// Bytes prints a size: 84.1 MB.
func Bytes(n int64) string {
	x, unit := float64(n), "B"
	for _, u := range []string{"kB", "MB", "GB"} {
		if x < 999.5 {
			break
		}
		x, unit = x/1000, u
	}
	if unit == "B" {
		return fmt.Sprintf("%d B", n)
	}
	return fmt.Sprintf("%.1f %s", x, unit)
}

// Counted is a noun behind a number.
func Counted(n int, noun string) string {
	if n == 1 {
		return noun
	}
	return noun + "s"
}

// Reviews prints how many there are: 1 review, 25 000 reviews.
func Reviews(n int) string { return Thousands(n) + " " + Counted(n, "review") }

// Pairs does so with sentence pairs.
func Pairs(n int) string { return Thousands(n) + " " + Counted(n, "pair") }

// Ago prints how long something is past.
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

// Share prints a probability or weight in percent with three digits.
func Share(p float32) string {
	x := 100 * float64(p)
	switch {
	case x >= 99.95:
		return strconv.FormatFloat(x, 'f', 0, 64) + " %"
	case x >= 9.995:
		return strconv.FormatFloat(x, 'f', 1, 64) + " %"
	case x < 0.005 && x > 0:
		return "<0.01 %"
	}
	return strconv.FormatFloat(x, 'f', 2, 64) + " %"
}
