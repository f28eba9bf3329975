package report

import (
	"math"
	"strconv"
	"strings"
)

// none stands where there is no number.
const none = "–"

// fixed formats a number with that many decimals, or none.
func fixed(v float64, decimals int) string {
	if math.IsNaN(v) || math.IsInf(v, 0) {
		return none
	}
	return strings.Replace(strconv.FormatFloat(v, 'f', decimals, 64), "-", "−", 1)
}

func percent(v float64) string { return fixed(v, 2) }

// signed formats a difference in points, always with its sign.
func signed(v float64) string {
	s := fixed(v, 2)
	if s == none || strings.HasPrefix(s, "−") && strings.Trim(s, "−0.") != "" {
		return s
	}
	return "+" + strings.TrimPrefix(s, "−") // no −0.00
}

// exact formats a number in as few digits as give back its bits; "" for NaN.
func exact(v float64) string {
	if math.IsNaN(v) {
		return ""
	}
	return strconv.FormatFloat(v, 'g', -1, 64)
}

// thousands groups the digits of a count: 25 000.
func thousands(n int) string {
	s := strconv.Itoa(n)
	for i := len(s) - 3; i > 0 && s[i-1] != '-'; i -= 3 {
		s = s[:i] + " " + s[i:]
	}
	return s
}

// counted is a number in words: 1 run, 2 000 runs.
func counted(n int, what string) string {
	if n != 1 {
		what += "s"
	}
	return thousands(n) + " " + what
}

// superscript writes footnote numbers: 1, 12 → "¹,¹²".
func superscript(numbers []int) string {
	digits := []rune("⁰¹²³⁴⁵⁶⁷⁸⁹")
	var out []string
	for _, n := range numbers {
		var b strings.Builder
		for _, d := range strconv.Itoa(n) {
			b.WriteRune(digits[d-'0'])
		}
		out = append(out, b.String())
	}
	return strings.Join(out, ",")
}
