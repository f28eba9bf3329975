package chart_test

import (
	"bytes"
	"image/png"
	"io"
	"regexp"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"imdbexp/internal/testkit/must"
	"imdbexp/report/canvas"
	"imdbexp/report/chart"
)

// All of a text is inside the picture: long words and texts without blanks are broken, and the
// height follows from the lines, with a title or without.
func TestShadedFits(t *testing.T) {
	for name, words := range map[string][]string{
		"long": strings.Fields(strings.Repeat("a great film ", 700)), "word": {"great", strings.Repeat("x", 500), "film"}, "wide": {strings.Repeat("这部电影非常好看", 60)}, "one": {"great"},
	} {
		var pieces [][]chart.Part
		for _, w := range words {
			pieces = append(pieces, []chart.Part{{Text: w, Shade: 0.5}})
		}
		f := must.Get(chart.Shaded("x", strings.Repeat("a long title ", 20), strings.Repeat("a caption ", 40), pieces))(t)
		for _, f.NoTitle = range []bool{true, false} {
			var b strings.Builder
			require.NoError(t, f.Write(&b, "svg", f.Size))
			m := regexp.MustCompile(`viewBox="0 0 (\d+) (\d+)"`).FindStringSubmatch(b.String())
			width, height := number(t, m[1]), number(t, m[2])
			shown, last, captions := "", 0, height
			for _, m := range regexp.MustCompile(`<text x="(\d+)" y="(\d+)" font-size="(\d+)[^>]*?(?: textLength="(\d+)")?[^>]*>([^<]*)<`).FindAllStringSubmatch(b.String(), -1) {
				x, y := number(t, m[1]), number(t, m[2])
				require.LessOrEqual(t, x+number(t, "0"+m[4]), width, name)
				require.Less(t, y, height, name)
				switch {
				case strings.Contains(m[5], "title"):
				case strings.Contains(m[5], "caption"):
					captions = min(captions, y)
				default:
					shown, last = shown+m[5], max(last, y)
				}
			}
			require.Equal(t, strings.Join(words, ""), shown, name)
			require.Less(t, last, captions, name)
			require.Less(t, captions-last, 400, "%s: no gap below the text", name)
		}
	}
	require.ErrorContains(t, must.Fail(chart.Shaded("x", "", "", [][]chart.Part{{{Text: strings.Repeat("x", 1e6)}}})), "more than 1000")
}

func number(t *testing.T, s string) int {
	n := must.Get(strconv.Atoi(s))(t)
	return n
}

// A PNG shows a box where the font has no character.
func TestLackingCharacters(t *testing.T) {
	require.True(t, canvas.Lacks("great 电影"))
	require.False(t, canvas.Lacks("naïve фильм ταινία"))
	ink := func(text string) (n int) {
		f := must.Get(chart.Shaded("x", "", "", [][]chart.Part{{{Text: text}}}))(t)
		var b bytes.Buffer
		require.NoError(t, f.Write(&b, "png", f.Size))
		img := must.Get(png.Decode(io.Reader(&b)))(t)
		for y := range img.Bounds().Dy() {
			for x := range img.Bounds().Dx() {
				if r, _, _, _ := img.At(x, y).RGBA(); r < 0x8000 {
					n++
				}
			}
		}
		return n
	}
	require.Greater(t, ink("电影"), 20)
}
