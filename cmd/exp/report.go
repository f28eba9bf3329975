package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"imdbexp/internal/settings"
	"imdbexp/report/figures"
	"imdbexp/report/tables"
	"imdbexp/runs"
)

type reportOptions struct {
	format, out string
	pivot       tables.PivotOptions
	figures     []int
	claims      bool
	cite        bool
}

var reportFormats = []string{"text", "md", "latex", "csv", "html"}

func (a *app) reportCommand() *cobra.Command {
	var o reportOptions
	cmd := &cobra.Command{
		Use:   "report [RUN|GROUP|FOLDER…]",
		Short: "Show results beside the published table",
		Long: `Show results beside the published table: of all runs, or of those named. A name
stands for all its runs, a group for those of all its experiments, a folder for
the runs in it. Seeds of one setting are averaged, and nothing else is. Settings
that never look at test, as the trials of a search, have a table of their own, the
best on the validation split first.

--rows and --cols make a table over any settings instead, or over experiment,
model and variant; --value says of which number. --out DIR adds DIR/report.html,
one page that needs nothing else, and the figures as PNG and SVG.`,
		Example: "  exp report\n  exp report tme9 --format latex\n  exp report tme9-lstm --out figures\n" +
			"  exp report --rows model --cols optimizer,variant --value test_loss\n  exp report --figure 14\n  exp report --claims",
		ValidArgsFunction: a.completeRuns,
		RunE: func(cmd *cobra.Command, args []string) error {
			if err := o.alone(cmd.Flags().Changed); err != nil {
				return usage(err)
			}
			return a.report(cmd.Context(), args, o)
		},
	}
	f := cmd.Flags()
	f.StringVar(&o.format, "format", "text", strings.Join(reportFormats, ", "))
	f.StringVar(&o.out, "out", "", "also write report.html and the figures, as PNG and SVG, into this folder")
	f.StringSliceVar(&o.pivot.Rows, "rows", nil, "settings that make the rows of a table of their own (default experiment)")
	f.StringSliceVar(&o.pivot.Cols, "cols", nil, "settings that make its columns")
	f.StringVar(&o.pivot.Value, "value", "", "the number it shows: "+strings.Join(tables.PivotValues(), ", ")+" (default test_acc)")
	f.IntSliceVar(&o.figures, "figure", nil, "only write these figures of the published report, by number, into --out or the current folder")
	f.BoolVar(&o.cite, "cite", false, "say beside each row how to cite its runs")
	f.BoolVar(&o.claims, "claims", false, "check the published report's sentences on the runs")
	cmd.MarkFlagDirname("out")
	cmd.RegisterFlagCompletionFunc("format", cobra.FixedCompletions(reportFormats, cobra.ShellCompDirectiveNoFileComp))
	cmd.RegisterFlagCompletionFunc("value", cobra.FixedCompletions(tables.PivotValues(), cobra.ShellCompDirectiveNoFileComp))
	cmd.RegisterFlagCompletionFunc("figure", completeFigures)
	for _, flag := range []string{"rows", "cols"} {
		cmd.RegisterFlagCompletionFunc(flag, a.completeKeys)
	}
	return cmd
}

// views is what a report and a pivot table have in common.
type views interface {
	Empty() string
	Text(w io.Writer, width int, color bool) error
	Markdown(w io.Writer) error
	LaTeX(w io.Writer) error
	CSV(w io.Writer) error
	HTML(w io.Writer) error
}

func (a *app) report(ctx context.Context, refs []string, o reportOptions) error {
	if !slices.Contains(reportFormats, o.format) {
		return usage(fmt.Errorf("--format %s: use %s", o.format, oneOf(reportFormats)))
	}
	if v := o.pivot.Value; v != "" && !slices.Contains(tables.PivotValues(), v) {
		return usage(fmt.Errorf("--value %s: use %s", v, oneOf(tables.PivotValues())))
	}
	list, damage, err := a.chosen(refs)
	unreadable := runs.Unreadable(damage)
	if len(unreadable) == 0 || o.claims || len(o.figures) > 0 || o.format == "csv" { // which have no footnotes
		a.warn(damage)
	}
	switch {
	case err != nil:
		return err
	case o.claims:
		return a.claims(list, o.format)
	case len(o.figures) > 0:
		return a.numberedFigures(ctx, list, o.figures, o.out)
	}
	options := tables.Options{Dir: a.runs, Cite: o.cite, Unreadable: unreadable}
	rep := tables.Build(list, options)
	var pivot *tables.Pivot
	show := views(rep)
	if o.pivots() {
		if pivot, err = tables.NewPivot(list, options, o.pivot); err != nil {
			return unknownKey(err)
		}
		show = pivot
	}
	if none := show.Empty(); none != "" && o.format != "text" {
		fmt.Fprintf(a.io.Err, "exp: %s\n", none)
	}
	if err := a.view(show, o.format); err != nil || o.out == "" {
		return err
	}
	return a.reportFolder(rep, pivot, list, o.out)
}

// pivots reports whether a table of its own is asked for.
func (o reportOptions) pivots() bool {
	return o.pivot.Value != "" || len(o.pivot.Rows)+len(o.pivot.Cols) > 0
}

// alone checks that only one of the things that a report shows is asked for, and
// nothing beside that it does not have.
func (o reportOptions) alone(changed func(flag string) bool) error {
	figures := len(o.figures) > 0
	switch {
	case o.claims && figures || o.claims && o.pivots() || figures && o.pivots():
		return errors.New("use one of --claims, --figure, and --rows, --cols and --value at a time")
	case o.claims && o.out != "":
		return errors.New("--claims draws nothing: leave out --out")
	case o.claims && o.cite:
		return errors.New("--claims names no runs to cite: leave out --cite")
	case figures && changed("format"):
		return errors.New("--figure writes PNG and SVG: leave out --format")
	case figures && o.cite:
		return errors.New("--figure names its runs in the caption: leave out --cite")
	case o.cite && o.pivots() && o.out == "":
		return errors.New("--cite is of the report's own table: leave out --rows, --cols and --value, or add --out")
	}
	return nil
}

func (a *app) view(v views, format string) error {
	switch format {
	case "md":
		return v.Markdown(a.io.Out)
	case "latex":
		return v.LaTeX(a.io.Out)
	case "csv":
		return v.CSV(a.io.Out)
	case "html":
		return v.HTML(a.io.Out)
	}
	return v.Text(a.io.Out, a.io.Width(), a.io.Color())
}

// unknownKey explains a mistake in --rows or --cols.
func unknownKey(err error) error {
	if u, ok := errors.AsType[*tables.UnknownKeyError](err); ok {
		return usage(fmt.Errorf("--rows, --cols: %w%s; known are experiment, model, variant and the settings that exp show lists",
			err, settings.Nearest(u.Key, u.Known)))
	}
	return usage(fmt.Errorf("--rows, --cols: %w", err))
}

// oneOf lists choices as a sentence does: a, b or c.
func oneOf(choices []string) string {
	last := len(choices) - 1
	return strings.Join(choices[:last], ", ") + " or " + choices[last]
}

// completeKeys completes a list of settings of the runs.
func (a *app) completeKeys(_ *cobra.Command, _ []string, word string) ([]string, cobra.ShellCompDirective) {
	before := word[:strings.LastIndex(word, ",")+1]
	list, _ := runs.List(a.runs)
	var out []string
	for _, k := range tables.PivotKeys(list) {
		out = append(out, before+k)
	}
	return out, cobra.ShellCompDirectiveNoFileComp | cobra.ShellCompDirectiveNoSpace
}

func completeFigures(*cobra.Command, []string, string) ([]string, cobra.ShellCompDirective) {
	var out []string
	for n := 1; figures.Title(n) != ""; n++ {
		out = append(out, fmt.Sprintf("%d\t%s", n, figures.Title(n)))
	}
	return out, cobra.ShellCompDirectiveNoFileComp
}
