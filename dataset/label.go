package dataset

import (
	"regexp"
	"strconv"
	"strings"
	"unicode"

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
// by value. Other labels are compared without case, invisible characters, and differences
// between composed and decomposed letters.
func LabelKey(label string) string {
	if v, ok := LabelNumber(label); ok {
		return "number " + strconv.FormatFloat(v, 'g', -1, 64)
	}
	return plainLabel(label)
}

func plainLabel(label string) string {
	label = strings.Map(func(r rune) rune {
		switch {
		case unicode.Is(unicode.Cf, r), unicode.Is(unicode.Variation_Selector, r):
			return -1
		case r == '\u2212': // minus sign
			return '-'
		}
		return r
	}, norm.NFKC.String(label))
	return strings.Join(strings.Fields(strings.ToLower(strings.ToUpper(label))), " ")
}
