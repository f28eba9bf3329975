package runs_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	"go.yaml.in/yaml/v3"
	"pgregory.net/rapid"

	"imdbexp/internal/testkit/must"
	"imdbexp/internal/yamltext"
	"imdbexp/runs"
)

func TestConfigText(t *testing.T) {
	c := config(t, "lr=0.01", "select=best")
	b := must.Get(c.Encode())(t)
	for _, line := range []string{
		"format: 1\nname: tme9-simple\nid: " + c.ID + "\n", "  lr: 0.01\n", "  optimizer: adam\n",
		"  slip.drop_last: false\n", "from:\n", "  lr: test\n", "  data: \"1234\"\n", "  test_acc: 80.04\n", "classes:\n  - neg\n",
	} {
		require.Contains(t, string(b), line)
	}
	back := must.Get(runs.ParseConfig("config.yaml", b))(t)
	require.Equal(t, &c, back)
	require.Equal(t, uint64(1), back.Seed())
	require.Contains(t, back.Settings.Assignments(), "lr=0.01")
}

func TestConfigErrors(t *testing.T) {
	c := config(t)
	b := must.Get(c.Encode())(t)
	good := string(b)
	for _, c := range []struct{ old, new, want string }{
		{"format: 1", "format: 2\nfuture: [1]", "config.yaml: format 2 is newer than 1"},
		{"format: 1\n", "", "no format number"},
		{"format: 1", "format: one", "config.yaml:1: cannot unmarshal"},
		{"model:", "modell:", `config.yaml:7: unknown field "modell"`},
		{"  reviews: 3\n", "  reviews: three\n", "cannot unmarshal"},
		{"  lr: 0.001", "  lr: [1, 2]", "cannot unmarshal !!seq"},
		{"  lr: 0.001", "  batch: 3\n  batch: 4", `mapping key "batch" already defined`},
		{"name: tme9-simple", "name: ../up", `name "../up"`},
		{"id: ", "id: f", "is not the beginning of the digest"},
		{"digest: ", "digest: x", "is not a SHA-256"},
		{"name: tme9-simple", "name: [", "config.yaml:"},
	} {
		t.Run(c.new, func(t *testing.T) {
			bad := strings.Replace(good, c.old, c.new, 1)
			require.NotEqual(t, good, bad)
			require.ErrorContains(t, must.Fail(runs.ParseConfig("config.yaml", []byte(bad))), c.want)
		})
	}
	require.ErrorContains(t, must.Fail(runs.ParseConfig("config.yaml", []byte(good+"---\na: 1\n"))), "more than one")
	require.Error(t, must.Fail(runs.ParseConfig("config.yaml", nil)))
}

// Values are read back as the same text, even where YAML would read a number or a boolean.
func TestConfigValues(t *testing.T) {
	base := config(t)
	for _, v := range []string{"", "true", "null", "~", "1e-8", "0x10", "01", "a: b", "# x", "- y", "'", `"`, " z ", "a\nb", "\t", "é", "@", "*x", "&x", "!x", "|", ">", "%", "2001-01-01", "<<"} {
		checkValue(t, base, v)
	}
	rapid.Check(t, func(t *rapid.T) { checkValue(t, base, rapid.String().Draw(t, "value")) })
}

func checkValue(t require.TestingT, c runs.Config, v string) {
	c.Settings = runs.Values{{Key: "vectors", Value: v}, {Key: "x" + v, Value: "1"}}
	b := must.Get(c.Encode())(t)
	back, err := runs.ParseConfig("config.yaml", b)
	require.NoError(t, err, "%q\n%s", v, b)
	require.Equal(t, c.Settings, back.Settings, "%s", b)
}

func FuzzConfig(f *testing.F) {
	c := config(f)
	b := must.Get(c.Encode())(f)
	f.Add(b)
	f.Add([]byte("format: 1\nsettings: {a: 1}\n"))
	f.Fuzz(func(t *testing.T, b []byte) {
		c, err := runs.ParseConfig("config.yaml", b)
		if err != nil {
			return
		}
		again := must.Get(c.Encode())(t)
		back, err := runs.ParseConfig("config.yaml", again)
		require.NoError(t, err, "%s", again)
		once := must.Get(back.Encode())(t)
		require.Equal(t, string(again), string(once))
	})
}

// General also reads the settings of runs by older and newer versions.
func TestGeneral(t *testing.T) {
	c := config(t, "optimizer=sgd", "lr=0.5", "test=last", "slip.drop_last=true")
	g := c.General()
	require.Equal(t, "sgd", g.Optimizer.Optimizer)
	require.Equal(t, 0.5, g.LR)
	require.True(t, g.DropLast)
	require.Equal(t, 3, g.Epochs)

	old := runs.Config{Settings: runs.Values{{Key: "lr", Value: "0.1"}, {Key: "lstm.hidden", Value: "7"}, {Key: "optimizer", Value: "lion"}, {Key: "batch", Value: "many"}}}
	g = old.General()
	require.Equal(t, 0.1, g.LR)
	require.Equal(t, []any{"each", "last", "constant", 64}, []any{g.Test, g.Select, g.Schedule, g.Batch}, "what was done before there was the setting")
	require.Equal(t, "lion", g.Optimizer.Optimizer, "as it was written")
}

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
