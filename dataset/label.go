package dataset

import (
	"regexp"
	"strconv"
	"strings"
	"unicode"

	"golang.org/x/text/cases"
	"golang.org/x/text/unicode/norm"
)

var decimal = regexp.MustCompile(`^[+-]?([0-9]+([.,][0-9]*)?|[.,][0-9]+)(e[+-]?[0-9]+)?$`)

// thousands is a number such as 1,000, which may be a thousand or one.
var thousands = regexp.MustCompile(`^[+-]?[0-9]+,[0-9]{3}$`)

// LabelNumber returns the value of a label that is a decimal number, with a point or a comma.
func LabelNumber(label string) (value float64, ok bool) {
	label = plainLabel(label)
	if !decimal.MatchString(label) || thousands.MatchString(label) {
		return 0, false
	}
	value, err := strconv.ParseFloat(strings.Replace(label, ",", ".", 1), 64)
	return value + 0, err == nil // −0 is 0
}

// LabelKey returns a key that is equal for two ways to write one label. Numbers are compared
// by value, in the digits of any script. Other labels are compared without case, invisible characters,
// and differences between composed and decomposed letters, and between kinds of quotes and hyphens.
func LabelKey(label string) string {
	if v, ok := LabelNumber(label); ok {
		return "number " + strconv.FormatFloat(v, 'g', -1, 64)
	}
	return plainLabel(label)
}

// Invisible reports whether a character has no shape of its own: format characters, variation selectors,
// and letters such as the Hangul filler.
func Invisible(r rune) bool {
	return unicode.Is(unicode.Cf, r) || unicode.Is(unicode.Variation_Selector, r) || strings.ContainsRune("\u034f\u115f\u1160\u17b4\u17b5\u2800\u3164\uffa0", r)
}

func plainLabel(label string) string {
	label = strings.Map(func(r rune) rune {
		switch {
		case Invisible(r):
			return -1
		case strings.ContainsRune("\u2212\u2010\u2012\u2013\u2014", r): // minus, hyphen and dashes
			return '-'
		case strings.ContainsRune("\u2018\u2019\u02bc\u00b4`", r):
			return '\''
		case strings.ContainsRune("\u201c\u201d\u201e", r):
			return '"'
		}
		return asciiDigit(r)
	}, norm.NFKC.String(label))
	return strings.Join(strings.Fields(cases.Fold().String(label)), " ")
}

// asciiDigit returns the ASCII digit for one of another script, and other characters as they are.
// Unicode has the digits of a script in a row, from 0.
func asciiDigit(r rune) rune {
	for _, row := range unicode.Nd.R16 {
		if rune(row.Lo) <= r && r <= rune(row.Hi) {
			return '0' + (r-rune(row.Lo))%10
		}
	}
	return r
}
