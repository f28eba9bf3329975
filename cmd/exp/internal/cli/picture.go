package cli

import (
	"cmp"
	"errors"
	"fmt"
	"os"
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

// Save writes a figure as PNG and SVG into a folder, which it creates if needed, and returns the paths.
func (a *App) Save(f canvas.Figure, dir string) ([]string, error) {
	f.NoTitle = a.noTitle
	files := bothFiles(filepath.Join(dir, f.Name))
	if err := os.MkdirAll(dir, 0o777); err != nil {
		return nil, err
	}
	return files, f.Save(files...)
}

// bothFiles returns a file of each format.
func bothFiles(name string) (files []string) {
	for _, f := range canvas.Formats {
		files = append(files, name+"."+f)
	}
	return files
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

// PictureFiles returns the files to write.
func PictureFiles(out string) ([]string, error) {
	ext := filepath.Ext(out)
	switch {
	case out == "-" || ext != "" && filepath.Base(out) == ext || strings.HasSuffix(out, "/"):
		return nil, Usage(fmt.Errorf("--out %s: want the name of a file", out))
	case slices.Contains(canvas.Formats, strings.ToLower(strings.TrimPrefix(ext, "."))):
		return []string{out}, nil
	case ext != "":
		return nil, Usage(fmt.Errorf("--out %s: use an ending of .%s, or none for both", out, strings.Join(canvas.Formats, " or .")))
	}
	return bothFiles(out), nil
}

// WritePicture draws a figure into out, by default under its own name, and prints the
// paths and a note on how to read it. It writes nothing until every format is drawn.
func (a *App) WritePicture(f canvas.Figure, out, see string) error {
	files, err := PictureFiles(cmp.Or(out, f.Name))
	if err != nil {
		return err
	}
	f.NoTitle = a.noTitle
	for _, file := range files {
		err = errors.Join(err, Writable(file))
	}
	if err == nil {
		err = f.Save(files...)
	}
	if err != nil {
		return err
	}
	for _, file := range files {
		a.Printf("wrote %s\n", file)
	}
	if see != "" {
		a.Say(see, "", "")
	}
	return nil
}
