// Package report is exp report: the results of runs, compared with published ones.
package report

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"imdbexp/cmd/exp/internal/cli"
	"imdbexp/cmd/exp/internal/explain"
	"imdbexp/experiments"
	"imdbexp/internal/format"
	"imdbexp/internal/settings"
	"imdbexp/report/claims"
	"imdbexp/report/compare"
	"imdbexp/report/leaderboard"
	"imdbexp/report/page"
	"imdbexp/report/tables"
	"imdbexp/runs"
)

type options struct {
	format, out string
	pivot       tables.PivotOptions
	figures     []string
	x           string
	ys          []string
	claims      bool
	explained   []string
	leaderboard bool
	confusion   bool
	probe       bool
	cite        bool
	against     string
	slices      []string
	smooth      float64
	notes       string
	where       []string
	tidy        bool
}

// New returns exp report.
func New(a *cli.App) *cobra.Command {
	var o options
	cmd := &cobra.Command{
		Use:   "report [RUN|GROUP|FOLDER…]",
		Short: "Show the results of runs, with the published ones",
		Long: fmt.Sprintf(`Show the results of all runs, or of those that you name, with the published ones. An
experiment stands for all its runs, a group for all its experiments, a folder for the
runs in it. Runs that differ only in their seed are averaged.

--value and --y take %s.
docs/guide/report.md has an example of each flag.`, cli.OneOf(tables.PivotValues())),
		Example: "  exp report\n  exp report tme9 --out figures\n  exp report --rows model --cols optimizer --value test_loss\n" +
			"  exp report --figure curve --x lr --y test_acc\n  exp report --against nbsvm\n  exp report --slice negation --against nbsvm\n  exp report --leaderboard --format md",
		RunE: func(cmd *cobra.Command, args []string) error {
			if o.tidy && !cmd.Flags().Changed("format") {
				o.format = "csv"
			}
			if err := o.check(cli.GivenFlags(cmd)); err != nil {
				return cli.Usage(err)
			}
			return showRuns(cmd.Context(), a, args, o)
		},
	}
	f := cmd.Flags()
	cli.FormatFlag(cmd, &o.format, cli.Formats)
	f.StringVar(&o.out, "out", "", "also write report.html, figures and tables into `DIR`")
	f.StringVar(&o.notes, "notes", "", "with --out: begin the page with this Markdown `FILE`")
	f.StringSliceVar(&o.pivot.Rows, "rows", nil, "`KEYS` for the rows of a pivot table (default: experiment)")
	f.StringSliceVar(&o.pivot.Cols, "cols", nil, "`KEYS` for the columns of the pivot table")
	f.StringVar(&o.pivot.Value, "value", "", "`METRIC` in the cells of a pivot table (default: test_acc)")
	f.StringSliceVar(&o.figures, "figure", nil, "write only figure `NAME`: a file's, a number, or curve")
	f.StringVar(&o.x, "x", "", "with --figure curve: a `KEY` such as lr, or epoch")
	f.StringSliceVar(&o.ys, "y", nil, "with --figure curve: `METRICS` to draw, as for --value")
	f.StringVar(&o.against, "against", "", "add the difference of each row from this `RUN`")
	f.StringArrayVar(&o.slices, "slice", nil, "accuracy by `SLICE`: length, negation, unknown or /REGEXP/")
	f.BoolVar(&o.cite, "cite", false, "add how to cite the runs of each row")
	f.Float64Var(&o.smooth, "smooth", 0, "smooth curves by `W`, 0 to below 1, as TensorBoard does")
	f.BoolVar(&o.claims, "claims", false, "check what the published report and two papers claim")
	f.StringSliceVar(&o.explained, "explained", nil, "with --claims: the `DIR` of exp explain --out")
	f.BoolVar(&o.confusion, "confusion", false, "show which classes are confused, with F1 of each")
	f.BoolVar(&o.probe, "probe", false, "show the answers to minimal pairs, from exp probe")
	f.BoolVar(&o.leaderboard, "leaderboard", false, "rank the settings among published results on IMDB")
	cli.WhereFlag(cmd, &o.where)
	f.BoolVar(&o.tidy, "tidy", false, "a line for each run and epoch, for pandas and R")
	a.TitleFlag(cmd)
	return cmd
}

// views are the formats of a report and of a pivot table.
type views interface {
	cli.Printable
	Empty() string
}

func showRuns(ctx context.Context, a *cli.App, refs []string, o options) error {
	list, damage, err := chosen(a, refs)
	if err != nil {
		return err
	}
	all := len(list)
	if list, err = cli.Where(list, o.where); err != nil {
		return err
	}
	if all > 0 && len(list) == 0 {
		return fmt.Errorf("none of these runs has %s", strings.Join(o.where, " and "))
	}
	unreadable := runs.Unreadable(damage)
	if len(unreadable) == 0 || o.claims || len(o.figures) > 0 || cli.IsData(o.format) { // these outputs have no footnotes
		a.Warn(damage)
	}
	switch {
	case o.claims:
		err = printClaims(a, list, o)
	case o.tidy:
		err = writeTidy(a, list, o.format)
	case o.probe:
		err = printProbes(a, list, o)
	case o.slices != nil:
		err = printSlices(ctx, a, list, o)
	case len(o.figures) > 0:
		err = onlyFigures(a, list, o)
	default:
		asked := slices.DeleteFunc(slices.Clone(refs), func(ref string) bool { // exp run takes groups and experiments only
			_, err := experiments.Lookup(ref)
			return err != nil && len(experiments.Group(ref)) == 0
		})
		list, err = printTables(a, list, o, tables.Options{Dir: a.Runs, Asked: asked, Cite: o.cite, Smooth: o.smooth, Unreadable: unreadable, Order: experiments.InOrder()})
	}
	return errors.Join(err, broken(list, unreadable))
}

// printClaims checks the claims on the runs, and on the results of exp explain.
func printClaims(a *cli.App, list []*runs.Run, o options) error {
	var results []claims.Explained
	for _, dir := range o.explained {
		some, err := explain.Claims(dir)
		if errors.Is(err, explain.ErrNone) {
			return fmt.Errorf("--explained %w", err)
		}
		a.Warn(err) // of some results; the others are good
		results = append(results, some...)
	}
	checked, err := claims.Check(list, results...)
	a.Warn(err)
	return cli.Print(a.IO, o.format, claims.Shown{Claims: checked, Command: claimsCommand(a)})
}

// printProbes prints the answers to minimal pairs that the runs have kept.
func printProbes(a *cli.App, list []*runs.Run, o options) error {
	probes, err := compare.Probes(list)
	if len(probes) == 0 {
		return cmp.Or(err, fmt.Errorf("none of these runs has answers to minimal pairs: %s", a.Command("probe", "--on", "NAME")))
	}
	return errors.Join(err, cli.Print(a.IO, o.format, probes...))
}

// printTables prints the results in tables, and writes them into the folder of --out. It returns the runs that are
// damaged or not in the tables.
func printTables(a *cli.App, list []*runs.Run, o options, options tables.Options) (rest []*runs.Run, err error) {
	var shown page.Options
	if o.against != "" {
		if shown.Against, options.Columns, err = against(a, list, o.against); err != nil {
			return list, err
		}
	}
	rep := tables.Build(list, options)
	printed := views(rep)
	switch {
	case o.leaderboard:
		shown.Board = leaderboard.Build(list, options)
		printed = shown.Board
	case o.pivots():
		if shown.Pivot, err = tables.NewPivot(list, options, o.pivot); err != nil {
			return list, unknownKey(err)
		}
		printed = shown.Pivot
	case o.confusion:
		if printed, err = tables.NewConfusions(rep); err != nil {
			return list, err
		}
	}
	if none := printed.Empty(); none != "" && o.format != "text" {
		fmt.Fprintf(a.Err, "exp: %s\n", none)
	}
	if err := cli.Print(a.IO, o.format, printed); err != nil {
		return list, err
	}
	for _, table := range shown.Against {
		if cli.IsData(o.format) { // it has the differences as columns
			break
		}
		a.Printf("\n")
		if err := cli.Print(a.IO, o.format, table); err != nil {
			return list, err
		}
	}
	if o.out != "" {
		err = writeFolder(a, rep, shown, list, o)
	}
	for _, r := range rep.Results() {
		list = slices.DeleteFunc(list, func(run *runs.Run) bool { return run == r.Run && !r.Damaged() })
	}
	return list, err
}

// broken returns an error if some of the runs are damaged, for the exit code.
func broken(list []*runs.Run, unreadable []*runs.UnreadableError) error {
	n := len(unreadable)
	for _, r := range list {
		if _, err := r.Ends(); err != nil || r.Status.State == runs.Damaged {
			n++
		}
	}
	if n == 0 {
		return nil
	}
	return fmt.Errorf("%s omitted from the results; exp doctor says how to fix it", format.Counted(n, "damaged run"))
}

// pivots reports whether a flag asks for a pivot table.
func (o options) pivots() bool {
	return o.pivot.Value != "" || len(o.pivot.Rows)+len(o.pivot.Cols) > 0
}

// modes are the outputs of exp report, with the flags that each takes.
var modes = []cli.Mode{
	{Takes: []string{"format", "out", "no-title", "cite", "smooth", "against", "notes"}},
	{Flags: []string{"claims"}, Takes: []string{"format", "explained"}},
	{Flags: []string{"tidy"}, Takes: []string{"format"}},
	{Flags: []string{"confusion"}, Takes: []string{"format"}},
	{Flags: []string{"probe"}, Takes: []string{"format"}},
	{Flags: []string{"slice"}, Takes: []string{"format", "against"}},
	{Flags: []string{"leaderboard"}, Takes: []string{"format", "out", "no-title", "notes"}},
	{Flags: []string{"figure"}, Takes: []string{"out", "no-title", "x", "y", "smooth"}},
	{Flags: []string{"rows", "cols", "value"}, Takes: []string{"format", "out", "no-title", "notes"}},
}

// mostPanels is how many panels fit next to each other on a page.
const mostPanels = 3

// check refuses flags that do not go together.
func (o options) check(given func(flag string) bool) error {
	if err := cli.CheckModes(given, modes); err != nil {
		return err
	}
	for _, by := range o.slices {
		if _, err := checkSlice(by); err != nil {
			return err
		}
	}
	_, curve := o.wanted()
	unknown := slices.IndexFunc(o.ys, func(y string) bool { return !slices.Contains(tables.PivotValues(), y) })
	switch v := o.pivot.Value; {
	case len(o.figures) == 0 && cli.Folder("out", o.out) != nil:
		return fmt.Errorf("%w; --format and > write a table alone", cli.Folder("out", o.out))
	case o.notes != "" && o.out == "":
		return errors.New("--notes needs --out DIR: your text becomes a part of DIR/report.html")
	case o.tidy && !cli.IsData(o.format):
		return fmt.Errorf("--format %s: --tidy has csv, tsv or json", o.format)
	case curve && o.x == "":
		return errors.New("--figure curve needs the setting of its axis: --x KEY, such as --x lr")
	case !curve && (o.x != "" || o.ys != nil):
		return errors.New("--x and --y need --figure curve")
	case unknown >= 0:
		return fmt.Errorf("--y %s: use %s", o.ys[unknown], cli.OneOf(tables.PivotValues()))
	case len(o.ys) > mostPanels:
		return fmt.Errorf("--y %s: use %d numbers at most, more do not fit on a page", strings.Join(o.ys, ","), mostPanels)
	case !(o.smooth >= 0 && o.smooth < 1):
		return fmt.Errorf("--smooth %g: use a weight from 0 to below 1, such as 0.6", o.smooth)
	case v != "" && !slices.Contains(tables.PivotValues(), v):
		return fmt.Errorf("--value %s: use %s", v, cli.OneOf(tables.PivotValues()))
	}
	return nil
}

// unknownKey explains a mistake in --rows or --cols.
func unknownKey(err error) error {
	if u, ok := errors.AsType[*tables.UnknownKeyError](err); ok {
		return cli.Usagef("--rows, --cols: %w%s; known are experiment, model, variant and the settings that exp show lists",
			err, settings.Nearest(u.Key, u.Known))
	}
	return cli.Usagef("--rows, --cols: %w", err)
}
