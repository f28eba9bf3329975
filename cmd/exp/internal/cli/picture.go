package cli

import (
	"bytes"
	"fmt"
	"path/filepath"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"imdbexp/report/canvas"
)

// TitleFlag adds --no-title to a command that writes figures by WritePicture or Save.
func (a *App) TitleFlag(cmd *cobra.Command) {
	cmd.Flags().BoolVar(&a.noTitle, "no-title", false, "figures without a title, for a paper or slides that have their own")
}

// Save writes a figure as PNG and SVG into a folder and returns the paths.
func (a *App) Save(f canvas.Figure, dir string) ([]string, error) {
	f.NoTitle = a.noTitle
	return f.Save(dir)
}

// PictureFlag adds --out and --no-title for a picture. --out is checked before the command runs.
func (a *App) PictureFlag(cmd *cobra.Command, out *string) {
	cmd.PreRunE = func(*cobra.Command, []string) error {
		_, err := PictureFiles(*out)
		return err
	}
	cmd.Flags().StringVar(out, "out", "", "file to write, .svg or .png; without an ending both (default: the name of the figure, in this folder)")
	a.TitleFlag(cmd)
}

// PictureFiles returns the path of each format to write.
func PictureFiles(out string) (map[string]string, error) {
	ext := filepath.Ext(out)
	format := strings.ToLower(strings.TrimPrefix(ext, "."))
	switch {
	case out == "-" || ext != "" && filepath.Base(out) == ext || strings.HasSuffix(out, "/"):
		return nil, Usage(fmt.Errorf("--out %s: want the name of a file", out))
	case slices.Contains(canvas.Formats, format):
		return map[string]string{format: out}, nil
	case ext != "":
		return nil, Usage(fmt.Errorf("--out %s: use an ending of .%s, or none for both", out, strings.Join(canvas.Formats, " or .")))
	}
	paths := map[string]string{}
	for _, f := range canvas.Formats {
		paths[f] = out + "." + f
	}
	return paths, nil
}

// WritePicture draws a figure into out, by default under its own name, and prints the
// paths and a note on how to read it. It writes nothing until every format is drawn.
func (a *App) WritePicture(f canvas.Figure, out, see string) error {
	if out == "" {
		out = f.Name
	}
	paths, err := PictureFiles(out)
	if err != nil {
		return err
	}
	f.NoTitle = a.noTitle
	drawn := map[string][]byte{}
	for format := range paths {
		var b bytes.Buffer
		if err := f.Write(&b, format, f.Size); err != nil {
			return err
		}
		drawn[format] = b.Bytes()
	}
	for _, format := range canvas.Formats {
		path, ok := paths[format]
		if !ok {
			continue
		}
		if err := WriteFile(path, BytesTo(drawn[format])); err != nil {
			return err
		}
		a.Printf("wrote %s\n", path)
	}
	if see != "" {
		a.Say(see, "", "")
	}
	return nil
}
