package cli

import (
	"cmp"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"unicode"

	"github.com/spf13/cobra"

	"imdbexp/internal/format"
	"imdbexp/internal/fsx"
	"imdbexp/internal/term"
	"imdbexp/report/canvas"
)

// WriteFile writes a file that the user has named, whole or not at all.
func WriteFile(path string, write func(io.Writer) error) error {
	err := fsx.WriteFile(path, write)
	if err == nil {
		return nil
	}
	if bad := Writable(path); bad != nil {
		return bad
	}
	return fmt.Errorf("%s was not written: %w", path, err)
}

// Writable returns an error if path is a folder, or its folder does not exist. Commands call it before
// long work.
func Writable(path string) error {
	if info, err := os.Stat(path); err == nil && info.IsDir() {
		return fmt.Errorf("%s is a folder; name a file in it", path)
	}
	dir := filepath.Dir(path)
	if _, err := os.Stat(dir); errors.Is(err, fs.ErrNotExist) {
		return fmt.Errorf("%s: there is no folder %s; create it, or name another", path, dir)
	}
	return nil
}

// fileEndings are extensions of files. No folder is meant by them.
var fileEndings = []string{".pdf", ".eps", ".png", ".svg", ".tex", ".md", ".qmd", ".csv", ".tsv", ".json", ".jsonl", ".html", ".txt", ".docx", ".xlsx", ".safetensors", ".onnx"}

// NamedLikeFile reports whether path has the extension of a file, and is not an existing folder.
func NamedLikeFile(path string) bool {
	info, err := os.Stat(path)
	return slices.Contains(fileEndings, strings.ToLower(filepath.Ext(path))) && (err != nil || !info.IsDir())
}

// Folder returns an error if the flag of a folder names a file, or is named like one.
func Folder(flag, path string) error {
	info, err := os.Stat(path)
	switch {
	case err == nil && !info.IsDir():
		return Usagef("--%s %s is a file; want a folder", flag, path)
	case NamedLikeFile(path):
		return Usagef("--%s %s: name a folder, without %s", flag, path, filepath.Ext(path))
	}
	return nil
}

// Ending refuses a file name with the extension of another format. It accepts names without an
// extension, or with a number after the last dot (model-0.001), and - for the output.
func Ending(flag, path string, endings ...string) error {
	ext := strings.ToLower(filepath.Ext(path))
	if path == "-" || len(ext) < 2 || !unicode.IsLetter(rune(ext[1])) || slices.Contains(endings, ext) {
		return nil
	}
	return Usagef("--%s %s: use the extension %s, or none", flag, path, OneOf(endings))
}

// WriteTo is WriteFile, or writes to standard output if path is "" or -.
func WriteTo(o *term.IO, path string, write func(io.Writer) error) error {
	if path == "" || path == "-" {
		return write(o.Verbatim())
	}
	return WriteFile(path, write)
}

// Write is WriteTo, and prints the name, the size and a description of the file.
func Write(o *term.IO, path, what string, write func(io.Writer) error) error {
	if err := WriteTo(o, path, write); err != nil || path == "-" {
		return err
	}
	info, err := os.Stat(path)
	if err != nil {
		return err
	}
	o.Say(fmt.Sprintf("wrote %s (%s): %s", path, format.Bytes(info.Size()), what))
	return nil
}

// NotOnto returns an error if out is one of the input files.
func NotOnto(out string, read ...string) error {
	at, err := os.Stat(out)
	if out == "" || out == "-" || err != nil {
		return nil
	}
	for _, name := range read {
		if of, err := os.Stat(name); err == nil && os.SameFile(at, of) {
			return Usagef("--out %s would overwrite the input file; name another", out)
		}
	}
	return nil
}

// BytesTo returns a function for WriteFile that writes b.
func BytesTo(b []byte) func(io.Writer) error {
	return func(w io.Writer) error {
		_, err := w.Write(b)
		return err
	}
}

// StandardInput reads standard input, at most limit bytes.
func StandardInput(o *term.IO, limit int64) ([]byte, error) {
	if o.In == nil {
		return nil, Usagef("there is no standard input to read")
	}
	b, err := io.ReadAll(io.LimitReader(o.In, limit+1))
	switch {
	case err != nil:
		return nil, fmt.Errorf("standard input: %w", err)
	case int64(len(b)) > limit:
		return nil, fmt.Errorf("standard input: more than %s of text", format.Bytes(limit))
	}
	return b, nil
}

// TypedText returns the words of a text, or standard input for -.
func TypedText(io *term.IO, words []string) (string, error) {
	if len(words) != 1 || words[0] != "-" {
		return strings.Join(words, " "), nil
	}
	b, err := StandardInput(io, 1<<20)
	return string(b), err
}

// TitleFlag adds --no-title to a command that writes figures by WritePicture or Save.
func (a *App) TitleFlag(cmd *cobra.Command) {
	cmd.Flags().BoolVar(&a.noTitle, "no-title", false, "figures without titles, for a paper or slides")
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

func bothFiles(name string) (files []string) {
	for _, f := range canvas.Formats {
		files = append(files, name+"."+f)
	}
	return files
}

// PictureFiles returns the files to write: for a name without an extension, one of each format.
func PictureFiles(out string) ([]string, error) {
	ext := filepath.Ext(out)
	switch {
	case out == "-" || ext != "" && filepath.Base(out) == ext || strings.HasSuffix(out, "/"):
		return nil, Usagef("--out %s: want the name of a file", out)
	case slices.Contains(canvas.Formats, strings.ToLower(strings.TrimPrefix(ext, "."))):
		return []string{out}, nil
	case ext == ".pdf" || ext == ".eps":
		return nil, Usagef("--out %s: write an SVG, %s.svg; rsvg-convert -f pdf -o FIGURE.pdf FIGURE.svg makes a PDF", out, strings.TrimSuffix(out, ext))
	case ext != "":
		return nil, Usagef("--out %s: use the extension .%s, or none for both", out, strings.Join(canvas.Formats, " or ."))
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
		a.SayIndented(see, "", "")
	}
	return nil
}
