package bleu_test

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// What the regular expressions of sacreBLEU 2's tokenizer_13a.py make of these.
func TestTokenize(t *testing.T) {
	for _, c := range []struct{ line, want string }{
		{"", ""},
		{"I'm a student.", "I'm a student ."},
		{`"this," she   said, is an example.`, `" this , " she said , is an example .`},
		{"1,000.5 is 3.14, not .5", "1,000.5 is 3.14 , not . 5"},
		{"end 5.", "end 5 ."},
		{"5-6 well-known 7 -", "5 - 6 well-known 7 -"},
		{"a...b", "a . . . b"},
		{"&quot;x&quot; &amp;lt; y &gt; z", `" x " < y > z`},
		{"cut-\nting<skipped> it\nshort", "cutting it short"},
		{"le «tapis» à 5€", "le «tapis» à 5€"},
		{"(a/b) [c] {d} ~ ^ _ ` @ $ % & * + = < > ? ! # |", "( a / b ) [ c ] { d } ~ ^ _ ` @ $ % & * + = < > ? ! # |"},
		{"nbsp\u00a0line\u2028sep\x1cfile", "nbsp line sep file"},
	} {
		require.Equal(t, c.want, strings.Join(tokenize(c.line), " "), "%q", c.line)
	}
}
