package report

import (
	"cmp"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"imdbexp/cmd/exp/internal/cli"
	"imdbexp/cmd/exp/internal/show"
	"imdbexp/experiments"
	"imdbexp/experiments/naming"
	"imdbexp/experiments/plan"
	"imdbexp/internal/fsx"
	"imdbexp/internal/settings"
	"imdbexp/internal/simd"
	"imdbexp/report/canvas"
	"imdbexp/report/compare"
	"imdbexp/report/figures"
	"imdbexp/report/page"
	"imdbexp/report/tables"
	"imdbexp/runs"
)

// pageFile is the name of the page in the folder of --out.
const pageFile = "report.html"

// writeFolder writes the page and the figures. It reports a figure that cannot be drawn and writes
// the rest.
func writeFolder(a *cli.App, rep *tables.Report, shown page.Options, list []*runs.Run, o options) error {
	dir := o.out
	figures := figures.Smoothed(o.smooth).Of(list, experiments.InOrder()...)
	if len(figures) == 0 {
		fmt.Fprintln(a.Err, "exp: these runs have nothing to draw yet")
	}
	if err := os.MkdirAll(dir, 0o777); err != nil {
		return fmt.Errorf("%w; --out must be a folder", err)
	}
	path := filepath.Join(dir, pageFile)
	e := runs.NewEnvironment(simd.Current().String(), 0, nil)
	shown.Program = fmt.Sprintf("Made by exp (%s), result version %d.", e.Build(), runs.ResultVersion)
	shown.Figures, shown.Drawings = figures, show.Drawings(list)
	shown.Command, shown.Settings = Command, Settings
	probes, err := compare.Probes(list)
	a.Warn(err) // the page is whole without them
	shown.Probes = probes
	if o.notes != "" {
		text, err := fsx.ReadFile(o.notes, page.MaxNotes)
		if err != nil {
			return fmt.Errorf("--notes: %w", err)
		}
		shown.Notes = &page.Notes{File: o.notes, Text: text, Out: dir}
	}
	var undrawn error
	err = fsx.WriteFile(path, func(w io.Writer) error {
		err := page.Write(w, rep, shown)
		if errors.As(err, new(*canvas.Error)) {
			undrawn, err = err, nil
		}
		return err
	})
	if err != nil {
		return err
	}
	fmt.Fprintln(a.Err, "wrote", path)
	for _, t := range page.Tables(rep, shown) {
		path := filepath.Join(dir, t.Name+".md")
		if err := fsx.WriteFile(path, t.Markdown); err != nil {
			return err
		}
		fmt.Fprintln(a.Err, "wrote", path)
	}
	if err := saveFigures(a, figures, dir); err != nil {
		return err
	}
	a.Warn(undrawn) // figures of the page only
	return nil
}

// wanted returns the names and numbers of --figure, and whether curve is among them.
func (o options) wanted() (names []string, curve bool) {
	names = slices.DeleteFunc(slices.Clone(o.figures), func(name string) bool { return name == "curve" })
	return names, len(names) < len(o.figures)
}

// onlyFigures writes the figures of --figure. The error names those that runs cannot show.
func onlyFigures(a *cli.App, list []*runs.Run, o options) error {
	names, curve := o.wanted()
	var drawn []canvas.Figure
	var err error
	if len(names) > 0 {
		if drawn, err = figures.Smoothed(o.smooth).Named(list, experiments.InOrder(), a.Command, names...); errors.As(err, new(*figures.UnknownError)) {
			return cli.Usage(err)
		}
	}
	if curve {
		more, trendErr := figures.Trend(list, o.x, o.ys, experiments.InOrder()...)
		if unknown, ok := errors.AsType[*tables.UnknownKeyError](trendErr); ok {
			trendErr = cli.Usagef("--x: %w%s", unknown, settings.Nearest(unknown.Key, unknown.Known))
		}
		drawn, err = append(drawn, more...), errors.Join(err, trendErr)
	}
	switch {
	case !cli.NamedLikeFile(o.out):
		return errors.Join(err, saveFigures(a, drawn, cmp.Or(o.out, ".")))
	case len(drawn) > 1:
		return cli.Usagef("--out %s: name a folder for %d figures, or one of them with --figure", o.out, len(drawn))
	case len(drawn) == 1:
		err = errors.Join(err, a.WritePicture(drawn[0], o.out, ""))
	}
	return err
}

// manyFiles is the max number of written files to list; more are counted.
const manyFiles = 12

// saveFigures writes figures and lists them on stderr. The error names those that cannot be drawn;
// the others are written.
func saveFigures(a *cli.App, figures []canvas.Figure, dir string) error {
	var wrote []string
	var errs []error
	for _, f := range figures {
		paths, err := a.Save(f, dir)
		if err != nil {
			errs = append(errs, err)
		} else {
			wrote = append(wrote, paths...)
		}
	}
	if n := len(wrote) / len(canvas.Formats); len(wrote) > manyFiles {
		wrote = []string{fmt.Sprintf("%d figures to %s, each as PNG and SVG", n, dir)}
	}
	for _, path := range wrote {
		fmt.Fprintln(a.Err, "wrote", path)
	}
	return errors.Join(errs...)
}

// Command returns the command that trains these runs again, which differ only in the seed; "" if
// this program does not know their experiment or cannot give all their settings. It names the data
// and not the folders, because the page is for other people's machines.
func Command(list []*runs.Config) string {
	p, words := repeated(list[0])
	if p == nil {
		return ""
	}
	var seeds []uint64
	for _, c := range list {
		seeds = append(seeds, c.Seed())
	}
	if !slices.Equal(seeds, []uint64{1}) { // the default
		words = append(words, "seed="+naming.Seeds(seeds))
	}
	return cli.CommandLine(append([]string{"run"}, words...)...)
}

// repeated returns the plan of a run and its arguments of exp run without the seed, or nil.
func repeated(c *runs.Config) (*plan.Plan, []string) {
	e, err := experiments.Lookup(c.Name)
	if err != nil {
		return nil, nil
	}
	words := naming.Portable(c)
	p, err := plan.New(plan.Base{Experiment: e}, "sample", append(words[1:len(words):len(words)], "seed="+c.Setting("seed")))
	if err != nil {
		return nil, nil
	}
	// The ID has the digests of data and vectors instead of their names.
	digest, _ := runs.Identify(c.Model, c.Result, p.Set.All(), c.Digests)
	for _, key := range []string{"variant", "data", "vectors"} {
		if s, _ := p.Set.Get(key); s.Value != c.Setting(key) {
			return nil, nil
		}
	}
	if digest != c.Digest || p.Experiment.Model != c.Model {
		return nil, nil
	}
	return p, words
}

// Settings describes the settings of a run that are not at their defaults.
func Settings(c *runs.Config) []page.Setting {
	p, _ := repeated(c)
	var out []page.Setting
	for _, s := range plan.SettingsOf(c) {
		if !s.Changed() && s.From == "default" || s.Key == "data" {
			continue
		}
		r := page.Setting{Key: s.Key, Value: s.Value, Default: s.Default, From: s.From, Help: s.Help}
		if s.From == "default" {
			r.From = "the data" // such as the vectors that go with them
		}
		if p != nil {
			if why := p.Why(s.Key); why != "" {
				r.Help += "; here: " + why
			}
		}
		out = append(out, r)
	}
	return out
}

// claimsCommand returns a function that formats commands for claims; their runs are on IMDB.
func claimsCommand(a *cli.App) func(words ...string) string {
	return func(words ...string) string {
		if words[0] == "run" {
			words = onIMDB(words)
		}
		return a.Command(words...)
	}
}

// onIMDB adds data=imdb to the settings of exp run, and to the runs that attention.base and init name.
func onIMDB(words []string) []string {
	out := slices.Insert(slices.Clone(words), 2, "data=imdb") // behind the name
	for i, w := range out {
		if strings.HasPrefix(w, "attention.base=") || strings.HasPrefix(w, "init=") {
			out[i] = w + "[data=imdb]"
		}
	}
	return out
}
