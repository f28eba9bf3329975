package main

import (
	"bytes"
	"fmt"
	"io"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"imdbexp/internal/term"
)

func TestWrapKeepsWidthAndWords(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		words := rapid.SliceOf(rapid.StringMatching(`[a-zé̂αᵢ"·]{1,12}`)).Draw(t, "words")
		width := rapid.IntRange(16, 60).Draw(t, "width")
		text := term.Wrap(strings.Join(words, " "), width, "  ", "    ")
		require.Equal(t, strings.Join(words, " "), strings.Join(strings.Fields(text), " "), "nothing is lost")
		for line := range strings.SplitSeq(text, "\n") {
			require.LessOrEqual(t, term.Width(line), width, "%q", line)
		}
	})
}

func TestWrap(t *testing.T) {
	require.Equal(t, "a b c", term.Wrap("a b c", 0, "", "  "))
	require.Equal(t, "> a b\n  c", term.Wrap("a b c", 5, "> ", "  "))
	path := strings.Repeat("a", 50)
	require.Equal(t, path+"\nx", term.Wrap(path+" x", 40, "", ""), "a word stays whole")
	require.Equal(t, "", term.Wrap("", 10, "", ""))
}

func TestCut(t *testing.T) {
	require.Equal(t, "abcdef", term.Cut("abcdef", 6))
	require.Equal(t, "abcd…", term.Cut("abcdef", 5))
	require.Equal(t, "abcdef", term.Cut("abcdef", 0), "no limit")
	require.Equal(t, 3, term.Width(term.Cut("日本語", 4)), "two columns each")
}

func trees() *term.Table {
	t := term.NewTable(term.Column{Head: "name"}, term.Column{Head: "n", Right: true}, term.Column{Head: "group", Optional: 1}, term.Column{Head: "what it does"})
	t.Add("t̂", "7", "first", "adds up the words of a review by their attention")
	t.Add("longer", "1234", "second", "nothing")
	return t
}

func TestTableInPipe(t *testing.T) {
	var out strings.Builder
	trees().Print(term.New(&out, nil, 0, false))
	require.Equal(t, "name\tn\tgroup\twhat it does\nt̂\t7\tfirst\tadds up the words of a review by their attention\nlonger\t1234\tsecond\tnothing\n", out.String())

	tabs := term.NewTable(term.Column{Head: "a"})
	tabs.Add("x\ty\nz")
	out.Reset()
	tabs.Print(term.New(&out, nil, 0, false))
	require.Equal(t, "a\nx y z\n", out.String(), "a cell is one field")
}

func TestTableOnTerminal(t *testing.T) {
	for _, c := range []struct {
		width int
		want  string
	}{
		{100, `
name       n  group   what it does
t̂          7  first   adds up the words of a review by their attention
longer  1234  second  nothing
`},
		{60, `
name       n  group   what it does
t̂          7  first   adds up the words of a review by their
                      attention
longer  1234  second  nothing
`},
		{40, `
name       n  what it does
t̂          7  adds up the words of a
              review by their attention
longer  1234  nothing
Left out at 40 columns: group. A wider
  terminal or a pipe has all of it.
`},
		{29, `
t̂
  n: 7
  what it does: adds up the
    words of a review by
    their attention
longer
  n: 1234
  what it does: nothing
Left out at 29 columns:
  group. A wider terminal or
  a pipe has all of it.
`},
	} {
		var out strings.Builder
		trees().Print(term.New(&out, nil, c.width, false))
		require.Equal(t, strings.TrimPrefix(c.want, "\n"), out.String())
	}
}

// No table is wider than a terminal of 40 columns or more, unless a word is.
func TestTableFits(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		word := rapid.StringMatching(`[a-z=·/αᵢ]{0,30}( [a-z]{1,9}){0,3}`)
		tab := &term.Table{Ruled: rapid.Bool().Draw(t, "ruled"), Divides: rapid.Bool().Draw(t, "divides")}
		n := rapid.IntRange(1, 6).Draw(t, "columns")
		for range n {
			tab.Columns = append(tab.Columns, term.Column{Head: word.Draw(t, "head"), Right: rapid.Bool().Draw(t, "right"), Optional: rapid.IntRange(0, 2).Draw(t, "optional")})
		}
		for range rapid.IntRange(0, 3).Draw(t, "rows") {
			row := make([]term.Cell, n)
			for i := range row {
				row[i] = term.Cell{Text: word.Draw(t, "text"), More: rapid.SampledFrom([]string{"", "± 0.12 @3"}).Draw(t, "more")}
			}
			tab.AddCells(row...)
		}
		width := rapid.IntRange(40, 60).Draw(t, "width")
		text, _ := tab.Fit(width, true)
		for line := range strings.SplitSeq(text, "\n") {
			require.LessOrEqual(t, term.Width(line), width, "%q", line)
		}
	})
}

func TestTableInText(t *testing.T) {
	var out strings.Builder
	trees().Text(term.New(&out, nil, 0, false), "  ")
	require.Equal(t, "  longer  1234  second  nothing", strings.Split(out.String(), "\n")[2], "aligned in a pipe, too")
}

func TestPaint(t *testing.T) {
	require.Equal(t, "x", term.New(nil, nil, 80, false).Paint(term.Bold, "x"))
	var out strings.Builder
	o := term.New(&out, nil, 80, true)
	o.Printf("%s", o.Paint(term.Bold, "x"))
	require.Equal(t, "\x1b[1mx\x1b[0m", out.String())
	require.Equal(t, "", term.New(nil, nil, 80, true).Paint(term.Bold, ""))
}

func TestHeading(t *testing.T) {
	var out bytes.Buffer
	term.New(&out, nil, 24, false).Heading("dimensions that move within a review")
	require.Equal(t, "\ndimensions that move\nwithin a review\n", out.String())
}

// Input may have any characters; a terminal shows them instead of obeying them.
func TestNothingControlsTheTerminal(t *testing.T) {
	for text, want := range map[string]string{
		"a great film\tété 日本語 🤷‍♀️\n": "a great film\tété 日本語 🤷‍♀️\n",
		"\x1b[31mred\x1b[0m":           `\x1b[31mred\x1b[0m`,
		"\x1b[8mhidden":                `\x1b[8mhidden`,
		"\x1b]0;title\a":               `\x1b]0;title\x07`,
		"\u009b31m\u0085":              `\u009b31m\u0085`,
		"\u202egnp.exe\u202c \u2067x":  `\u202egnp.exe\u202c \u2067x`,
		"a\rb\r\nc\b\x7f\x00\v":        `a\rb\r` + "\n" + `c\x08\x7f\x00\x0b`,
		"\x9b31m \xff\xc2":             `\x9b31m \xff\xc2`,
		"\u2028x\u200fשלום!":           `\u2028x` + "\u200fשלום!",
		"\x1b[5A\x1b[J":                `\x1b[5A\x1b[J`,
		"\x1b[1234567890123456789;1mx": `\x1b[1234567890123456789;1mx`,
	} {
		var out bytes.Buffer
		o := term.New(&out, &out, 80, true)
		o.Printf("%s", text)
		require.NoError(t, o.Close())
		require.Equal(t, want, out.String())
		require.Equal(t, want, term.Visible(text))
		require.Equal(t, want, term.Visible(want), "once is enough")
	}
	require.Equal(t, "a\nb\\rc \\u202e", term.Page("a\r\nb\rc \u202e"))
	require.Equal(t, `a b c \x1b d`, term.Line("a\nb\r\nc \x1b\td"))
}

// A text written in pieces gives the same output as in one piece. Styles and characters stay
// complete, and complete text is not held back.
func TestDoorStreams(t *testing.T) {
	paint := term.New(nil, nil, 80, true)
	rapid.Check(t, func(t *rapid.T) {
		var text string
		part := rapid.SampledFrom([]string{"\x1b", "[", "1", ";", "m", "A", "\n", "\u009b", "\u202e", "é", "日", "\xe2", "\x80", "\x9b"})
		for _, p := range rapid.SliceOf(rapid.OneOf(rapid.String(), part)).Draw(t, "parts") {
			if rapid.Bool().Draw(t, "painted") {
				p = paint.Paint(term.Bold, p)
			}
			text += p
		}
		var whole, pieces bytes.Buffer
		one, many := term.New(&whole, nil, 80, true), term.New(&pieces, nil, 80, true)
		one.Printf("%s", text)
		for rest := text; rest != ""; {
			n := rapid.IntRange(1, len(rest)).Draw(t, "n")
			written, err := io.WriteString(many.Out, rest[:n])
			require.NoError(t, err)
			require.Equal(t, n, written)
			rest = rest[n:]
		}
		require.NoError(t, one.Close())
		require.NoError(t, many.Close())
		require.Equal(t, whole.String(), pieces.String())
		bare := strings.NewReplacer("\x1b["+string(term.Bold)+"m", "", "\x1b[0m", "").Replace(whole.String())
		require.NotContains(t, bare, "\x1b")
		require.True(t, utf8.ValidString(bare))
	})
	var out bytes.Buffer
	o := term.New(&out, nil, 80, true)
	o.Printf("exp: \x1b")
	require.Equal(t, "exp: ", out.String(), "may be a style")
	o.Printf("[K")
	require.Equal(t, `exp: \x1b[K`, out.String(), "is none")
}

// A style cannot be made of what was printed: it is another one in each process.
func TestStylesCannotBeForged(t *testing.T) {
	var out bytes.Buffer
	o := term.New(&out, nil, 80, true)
	o.Printf("%s", o.Paint(term.Bold, "x"))
	shown := out.String()
	out.Reset()
	o.Printf("%s", shown)
	require.Equal(t, `\x1b[1mx\x1b[0m`, out.String())
}

// Bars move the cursor; what they show does not.
func TestRedraw(t *testing.T) {
	var out bytes.Buffer
	o := term.New(&out, nil, 80, true)
	o.Redraw(2, o.Paint(term.Dim, "50 %")+term.Line("\x1b[2A\x1b[J\r")+"\x1b[2J\n")
	require.Equal(t, "\r\x1b[2A\x1b[J\x1b[2m50 %\x1b[0m"+`\x1b[2A\x1b[J \x1b[2J`+"\n", out.String())
}

// Files for programs come byte by byte, but never to a terminal.
func TestVerbatim(t *testing.T) {
	for width, want := range map[int]string{0: "a,\x1b\xff\n", 80: `a,\x1b\xff` + "\n"} {
		var out bytes.Buffer
		fmt.Fprint(term.New(&out, nil, width, false).Verbatim(), "a,\x1b\xff\n")
		require.Equal(t, want, out.String())
	}
}

// The first error of the output is kept for who asks at the end.
func TestCloseTellsOfFullDisks(t *testing.T) {
	o := term.New(full{}, io.Discard, 0, false)
	require.NoError(t, o.Close())
	o.Printf("x")
	require.EqualError(t, o.Close(), "no space left on device")
	o = term.New(full{}, io.Discard, 0, false)
	fmt.Fprint(o.Verbatim(), "x")
	require.Error(t, o.Close())
}
