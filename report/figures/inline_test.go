package figures_test

import (
	"encoding/xml"
	"errors"
	"io"
	"regexp"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"imdbexp/internal/testkit/reporttest"
	"imdbexp/report/canvas"
	"imdbexp/report/figures"
)

// Inline figures are well-formed, take all colours from the page, and keep to what
// a strict content security policy lets through.
func TestInline(t *testing.T) {
	defined := map[string]bool{}
	for _, m := range regexp.MustCompile(`(--fig-[a-z]+):#`).FindAllStringSubmatch(canvas.CSS(), -1) {
		defined[m[1]] = true
	}
	ids := map[string]bool{}
	for _, f := range append(figures.Smoothed(0).Of(reporttest.Mixture(t)), figures.Smoothed(0).Of(reporttest.Models(t))...) {
		svg, err := f.Inline()
		require.NoError(t, err, f.Name)
		assert.True(t, strings.HasPrefix(svg, "<svg "), "no XML header")
		for _, no := range []string{"style=", "<script", "font-family", "http://www.w3.org/1999/xlink"} {
			assert.NotContains(t, svg, no, f.Name)
		}
		for _, m := range regexp.MustCompile(`var\((--fig-[a-z]+),#[0-9a-f]{6}\)`).FindAllStringSubmatch(svg, -1) {
			assert.True(t, defined[m[1]], m[1])
		}
		assert.NotRegexp(t, `="[^"]*(NaN|Inf)`, svg, "no place on a canvas")
		assert.NotRegexp(t, `(fill|stroke)="#`, svg, "a colour that dark pages cannot change")
		texts := checkInline(t, svg, ids)
		assert.Equal(t, f.Title, texts["title"])
		assert.Equal(t, f.Caption, texts["desc"])
	}
	assert.NotEmpty(t, ids)
}

// checkInline reads an inline figure as XML and returns the text of its elements;
// ids that are there already fail.
func checkInline(t *testing.T, svg string, ids map[string]bool) map[string]string {
	t.Helper()
	texts := map[string]string{}
	d, element := xml.NewDecoder(strings.NewReader(svg)), ""
	for {
		token, err := d.Token()
		if errors.Is(err, io.EOF) {
			return texts
		}
		require.NoError(t, err)
		switch e := token.(type) {
		case xml.StartElement:
			element = e.Name.Local
			at := map[string]string{}
			for _, a := range e.Attr {
				at[a.Name.Local] = a.Value
			}
			if id := at["id"]; id != "" {
				assert.False(t, ids[id], "two elements with id %s", id)
				ids[id] = true
			}
			if element == "svg" {
				assert.Equal(t, "img", at["role"])
				assert.Regexp(t, `^0 0 \d+ \d+$`, at["viewBox"])
				assert.NotContains(t, at, "width", "it scales")
				assert.NotContains(t, at, "height", "it scales")
				for id := range strings.FieldsSeq(at["aria-labelledby"]) {
					assert.Contains(t, svg, `id="`+id+`"`)
				}
			}
		case xml.CharData:
			texts[element] += strings.TrimSpace(string(e))
		}
	}
}

// Names and settings of a run folder may be anything.
func TestInlineIsEscaped(t *testing.T) {
	f := figures.Smoothed(0).Of(reporttest.Mixture(t))[0]
	f.Name, f.Title, f.Caption = `"><script>`, "</title><script>alert(1)</script>", "a & b \x01 <!--"
	svg, err := f.Inline()
	require.NoError(t, err)
	texts := checkInline(t, svg, map[string]bool{})
	assert.Equal(t, f.Title, texts["title"])
	assert.Equal(t, "a & b \ufffd <!--", texts["desc"])
}
