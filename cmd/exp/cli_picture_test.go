package main

import (
	"testing"

	"github.com/stretchr/testify/require"

	"imdbexp/cmd/exp/internal/cli"
)

func TestPictureFiles(t *testing.T) {
	both := func(name string) []string { return []string{name + ".png", name + ".svg"} }
	for out, want := range map[string][]string{
		"":           both(""), // a name comes later
		"pe":         both("pe"),
		"a.b/pe":     both("a.b/pe"),
		"pe.png":     {"pe.png"},
		"a/pe.SVG":   {"a/pe.SVG"},
		".svg":       nil,
		"folder/":    nil,
		"pe.jpg":     nil,
		"folder/.sv": nil,
	} {
		got, err := cli.PictureFiles(out)
		if want == nil {
			require.ErrorContains(t, err, "--out "+out, out)
			continue
		}
		require.NoError(t, err)
		require.Equal(t, want, got)
	}
}
