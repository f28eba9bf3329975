package predict

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// What a number among labels means hangs on all of them.
func TestLabels(t *testing.T) {
	for name, c := range map[string]struct {
		classes, labels string
		want            string // the class of each
		told            []string
	}{
		"names":                 {classes: "neg pos", labels: "neg pos", want: "neg pos"},
		"cases and words":       {classes: "neg pos", labels: "Pos NEGATIVE true", want: "pos neg pos", told: []string{`"NEGATIVE" as neg, "Pos" as pos`}},
		"0 and 1":               {classes: "neg pos", labels: "0 1 1.0", want: "neg pos pos", told: []string{`"0" as neg, "1" as pos, "1.0" as pos`}},
		"-1 and 1":              {classes: "neg pos", labels: "1 -1 +1", want: "pos neg pos"},
		"stars":                 {classes: "neg pos", labels: "1 5 3", want: "- - -", told: []string{`not a class of the run (neg, pos): 3 labels, such as "1"; the accuracy ignores them. Numbers mean`}},
		"stars, no 1":           {classes: "neg pos", labels: "5 0", want: "- -"},
		"halves":                {classes: "neg pos", labels: "0 0.5 1", want: "- - -"},
		"0 is neither":          {classes: "neg pos", labels: "-1 0 1", want: "- - -", told: []string{"Numbers mean neg and pos in a file"}},
		"stars beside words":    {classes: "neg pos", labels: "pos 1 2", want: "pos - -"},
		"no number":             {classes: "neg pos", labels: "1 nan inf", want: "pos - -"},
		"stars as classes":      {classes: "1 2 5", labels: "5 1 3", want: "5 1 -"},
		"other classes":         {classes: "dull fine", labels: "1 0 pos Fine", want: "- - - fine", told: []string{`such as "1"; the accuracy ignores them` + "\nlabels read"}},
		"equal numbers":         {classes: "0 1", labels: "1.0 0.0 01 +1 0,0 2", want: "1 0 1 1 0 -", told: []string{`"1.0" as 1`}},
		"stars with decimals":   {classes: "1.0 2.5", labels: "1 2,5 2.50", want: "1.0 2.5 2.5"},
		"ways to store letters": {classes: "caf\u00e9 th\u00e9", labels: "cafe\u0301 the\u0301 CAF\u00c9 caf\u00e9\u200b", want: "caf\u00e9 th\u00e9 caf\u00e9 caf\u00e9"},
		"two of a name":         {classes: "Pos neg pos", labels: "Pos pos POS", want: "Pos pos -"},
	} {
		t.Run(name, func(t *testing.T) {
			l := newLabels(strings.Fields(c.classes))
			for label := range strings.FieldsSeq(c.labels) {
				l.numbers.meet(label)
			}
			var got []string
			for label := range strings.FieldsSeq(c.labels) {
				if i := l.class(label); i < 0 {
					got = append(got, "-")
				} else {
					got = append(got, l.classes[i])
				}
			}
			require.Equal(t, c.want, strings.Join(got, " "))
			for _, text := range c.told {
				require.Contains(t, strings.Join(l.notes(), "\n"), text)
			}
		})
	}
}
