package runs_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	"go.yaml.in/yaml/v3"

	"imdbexp/internal/yamltext"
)

// Errors have the line that a reader counts, whatever stands above it.
func TestError(t *testing.T) {
	header := "# mine\n\n# of March\n"
	for text, want := range map[string]struct {
		line int // in a file without header
		what string
	}{
		"a: 1\nb: 2\n- x\nc: 3\n":          {3, "did not find expected key"},
		"a: 1\nb: [1\nc: 3\n":              {2, "did not find expected ',' or ']'"},
		"a: {b: 1\nc: 3\n":                 {1, "did not find expected ',' or '}'"},
		"a: 1\nb:\n  c: 1\n  - d\ne: 2":    {4, "did not find expected key"},
		"a:\n  - 1\n  - 2\n  b: 3\n":       {4, "did not find expected '-' indicator"},
		"a: 1\n}\n":                        {2, "did not find expected key"},
		"}\n":                              {1, "did not find expected node content"},
		"a: 1\nb: ]\n":                     {2, "did not find expected node content"},
		"a: 1\nfoo bar\nb: 2\nc: 3\n":      {2, "could not find expected ':'"},
		"a: 1\n\tb: 1\n":                   {2, "found a tab character"},
		"a: 1: 2\n":                        {1, "mapping values are not allowed"},
		"a: 1\nb: 2: 3\n":                  {2, "mapping values are not allowed"},
		"a: 1\nb: %x\n":                    {2, "found character that cannot start any token"},
		"a: %x\n":                          {1, "found character that cannot start any token"},
		"a: 1\nb: \"x\nc: 1\n":             {2, "found unexpected end of stream"},
		"a: 1\nb: !x!y z\n":                {2, "found undefined tag handle"},
		"a: 1\nb: *x\n":                    {2, "unknown anchor 'x' referenced"},
		"a: 1\nb: \x01\n":                  {2, "control characters are not allowed"},
		"a: 1\r\nb: 2\r\n- x\r\nc: 3\r\n":  {3, "did not find expected key"},
		"x: [1,\n  2]\na: [1,\n 2\nb: 3\n": {4, "did not find expected ',' or ']'"},
		"a: \"x\n  y\"\nb: \"z\n":          {3, "found unexpected end of stream"},
	} {
		for above, n := range map[string]int{"": 0, header: strings.Count(header, "\n")} {
			b := []byte(above + text)
			err := yaml.Unmarshal(b, new(yaml.Node))
			require.Error(t, err, "%q", text)
			at := fmt.Sprintf("f.yaml:%d: ", want.line+n)
			require.ErrorContains(t, yamltext.Error("f.yaml", b, err), at+want.what, "%q", b)
		}
	}
}

func TestErrorOfTypes(t *testing.T) {
	var x struct{ A, B int }
	d := yaml.NewDecoder(strings.NewReader("a: x\nc: 1\nb: y\n"))
	d.KnownFields(true)
	require.EqualError(t, yamltext.Error("f", nil, d.Decode(&x)),
		"f:1: cannot unmarshal !!str `x` into int\nf:2: unknown field \"c\"\nf:3: cannot unmarshal !!str `y` into int")
}

// Of a text that is long, the package's own line must do.
func TestErrorOfLongText(t *testing.T) {
	b := []byte("a: [\n" + strings.Repeat("b: 1\n", 50_000))
	err := yaml.Unmarshal(b, new(yaml.Node))
	require.Error(t, err)
	require.ErrorContains(t, yamltext.Error("f", b, err), "did not find expected")
}
