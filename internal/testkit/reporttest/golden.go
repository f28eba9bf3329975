package reporttest

import (
	"io"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"gonum.org/v1/plot/cmpimg"
	"gonum.org/v1/plot/vg"

	"imdbexp/internal/term"
	"imdbexp/internal/testkit/must"
	"imdbexp/report/canvas"
)

// SamePicture compares a figure with the picture of that name in testdata;
// go test -regen in its folder redraws it.
func SamePicture(t *testing.T, f canvas.Figure, size canvas.Size) {
	t.Helper()
	name := f.Name + ".png"
	path := filepath.Join("testdata", name)
	cmpimg.CheckPlotApprox(func() {
		out := must.Get(os.Create(path))(t)
		require.NoError(t, f.Write(out, "png", size))
		require.NoError(t, out.Close())
	}, t, 0.05, name)
	if !t.Failed() { // a picture that differs stays to be looked at
		_ = os.Remove(path)
	}
}

// SmallPicture is the size of golden pictures.
var SmallPicture = canvas.Size{Width: 9 * vg.Centimeter, Height: 6 * vg.Centimeter, DPI: 80}

// AnyCaption replaces the caption of a figure, because IDs in captions change with every default.
func AnyCaption(f canvas.Figure) canvas.Figure {
	f.Caption = strings.Repeat("caption ", 20)
	return f
}

// Named returns the figure of that name.
func Named(t *testing.T, figures []canvas.Figure, name string) canvas.Figure {
	t.Helper()
	var names []string
	for _, f := range figures {
		if f.Name == name {
			return f
		}
		names = append(names, f.Name)
	}
	require.Fail(t, "no figure "+name, "there are %v", names)
	return canvas.Figure{}
}

// Golden compares text with testdata/NAME; go test -regen in its folder rewrites it.
func Golden(t *testing.T, name, got string) {
	t.Helper()
	// IDs are digests of every default; here they only have to be there.
	got = regexp.MustCompile(`\b[0-9a-f]{8}\b`).ReplaceAllString(got, "########")
	path := filepath.Join("testdata", name)
	if *cmpimg.GenerateTestData {
		require.NoError(t, os.WriteFile(path, []byte(got), 0o666))
	}
	want := must.Get(os.ReadFile(path))(t)
	assert.Equal(t, strings.ReplaceAll(string(want), "\r\n", "\n"), got)
}

// Text returns a view as text without colour. No line may be wider, but for commands, which stay whole.
func Text(t *testing.T, view interface {
	Text(w io.Writer, width int, color bool) error
}, width int) string {
	t.Helper()
	text := Written(t, func(w io.Writer) error { return view.Text(w, width, false) })
	for line := range strings.Lines(text) {
		if width > 0 && !strings.Contains(line, "exp run") {
			assert.LessOrEqual(t, term.Width(strings.TrimSuffix(line, "\n")), width, line)
		}
	}
	return text
}

// CSV returns records as CSV.
func CSV(t *testing.T, r term.Records) string {
	t.Helper()
	return Written(t, func(w io.Writer) error { return r.Write(w, "csv") })
}

// Written returns what a method such as Markdown writes.
func Written(t *testing.T, write func(io.Writer) error) string {
	t.Helper()
	var out strings.Builder
	require.NoError(t, write(&out))
	return out.String()
}
