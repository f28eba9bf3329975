package main

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"

	"imdbexp/internal/fsx"
	"imdbexp/internal/simd"
	"imdbexp/report/canvas"
	"imdbexp/report/figures"
	"imdbexp/report/page"
	"imdbexp/report/tables"
	"imdbexp/runs"
)

// pageFile is the name of the page in the folder of --out.
const pageFile = "report.html"

// reportFolder writes the page and the figures. One that cannot be drawn is
// reported, the rest is written.
func (a *app) reportFolder(rep *tables.Report, pivot *tables.Pivot, list []*runs.Run, dir string) error {
	figures := figures.Of(list)
	if len(figures) == 0 {
		fmt.Fprintln(a.io.Err, "exp: these runs have nothing to draw yet")
	}
	if err := os.MkdirAll(dir, 0o777); err != nil {
		return fmt.Errorf("%w; --out wants a folder", err)
	}
	path := filepath.Join(dir, pageFile)
	var undrawn error
	err := fsx.WriteFile(path, func(w io.Writer) error {
		err := page.Write(w, rep, page.Options{
			Program: pageProgram(), Figures: figures, Drawings: a.drawings(list), Pivot: pivot,
			Command: repeatCommand, Settings: explained,
		})
		if errors.As(err, new(*canvas.Error)) {
			undrawn, err = err, nil
		}
		return err
	})
	if err != nil {
		return err
	}
	fmt.Fprintln(a.io.Err, "wrote", path)
	if err := a.saveFigures(figures, dir); err != nil {
		return err
	}
	a.warn(undrawn) // of figures that are drawn on the page alone
	if names, n := rep.Undrawn(); n > 0 {
		words := []string{"report"}
		for _, name := range names {
			words = append(words, name+"[test=never]")
		}
		words = append(words, "--out", filepath.Join(dir, "trials"))
		fmt.Fprintf(a.io.Err, "left out: the figures of %d %s that never looked at test; to draw them: %s\n", n, counted(n, "trial"), a.command(words...))
	}
	return nil
}

// numberedFigures writes figures of the published report: those that there are
// runs for; the error tells of the others.
func (a *app) numberedFigures(ctx context.Context, list []*runs.Run, numbers []int, dir string) error {
	for _, n := range numbers {
		if figures.Title(n) == "" {
			return usage(&figures.UnknownError{Number: n})
		}
	}
	dir = cmp.Or(dir, ".")
	rest, undrawn := a.drawnFigures(ctx, list, numbers, dir)
	figures, err := figures.Numbered(list, a.command, rest...)
	return errors.Join(undrawn, err, a.saveFigures(figures, dir))
}

// manyFiles is how many files are named when they have been written; of more
// there is a count.
const manyFiles = 12

// saveFigures writes figures and says so on stderr, not among a table, which may
// go into a file. The error tells of those that cannot be drawn; the others are
// written. A folder that cannot be written to ends it.
func (a *app) saveFigures(figures []canvas.Figure, dir string) error {
	var wrote []string
	var errs []error
	for _, f := range figures {
		paths, err := f.Save(dir)
		if err != nil {
			errs = append(errs, err)
			if !errors.As(err, new(*canvas.Error)) {
				break
			}
			continue
		}
		wrote = append(wrote, paths...)
	}
	if len(wrote) > manyFiles {
		fmt.Fprintf(a.io.Err, "wrote %d figures to %s, each as PNG and SVG\n", len(figures)-len(errs), dir)
		wrote = nil
	}
	for _, path := range wrote {
		fmt.Fprintln(a.io.Err, "wrote", path)
	}
	return errors.Join(errs...)
}

func pageProgram() string {
	e := runs.NewEnvironment(simd.Current().String(), 0, nil)
	return fmt.Sprintf("Made by exp %s, result version %d.", cmp.Or(e.Version, "(devel)"), runs.ResultVersion)
}
