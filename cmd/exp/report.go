package main

import (
	"fmt"
	"slices"

	"github.com/spf13/cobra"

	"imdbexp/experiments"
	"imdbexp/report"
	"imdbexp/runs"
)

type reportOptions struct{ format, out string }

func (a *app) reportCommand() *cobra.Command {
	var o reportOptions
	formats := []string{"text", "md", "csv"}
	cmd := &cobra.Command{
		Use:   "report [RUN|GROUP…]",
		Short: "Show results beside the published table",
		Long: `Show results beside the published table: of all runs, or of those named. A name
stands for all its runs, a group for those of all its experiments.`,
		Example:           "  exp report\n  exp report tme9 --format md\n  exp report tme9-lstm --out figures",
		ValidArgsFunction: a.completeRuns,
		RunE: func(_ *cobra.Command, args []string) error {
			if !slices.Contains(formats, o.format) {
				return usage(fmt.Errorf("--format %s: use text, md or csv", o.format))
			}
			return a.report(args, o)
		},
	}
	cmd.Flags().StringVar(&o.format, "format", "text", "text, md or csv")
	cmd.Flags().StringVar(&o.out, "out", "", "also draw the figures into this folder, as PNG and SVG")
	cmd.MarkFlagDirname("out")
	cmd.RegisterFlagCompletionFunc("format", cobra.FixedCompletions(formats, cobra.ShellCompDirectiveNoFileComp))
	return cmd
}

func (a *app) report(refs []string, o reportOptions) error {
	list, err := a.chosen(refs)
	if err != nil {
		return err
	}
	rep := report.Build(list, report.Options{Dir: a.runs, Version: experiments.ResultVersion})
	if none := rep.Empty(); none != "" && o.format != "text" {
		fmt.Fprintf(a.io.Err, "exp: %s\n", none)
	}
	switch o.format {
	case "md":
		err = rep.Markdown(a.io.Out)
	case "csv":
		err = rep.CSV(a.io.Out)
	default:
		err = rep.Text(a.io.Out, a.io.Width(), a.io.Color())
	}
	if err != nil || o.out == "" {
		return err
	}
	figures := report.Figures(list)
	for _, f := range figures {
		paths, err := f.Save(o.out)
		if err != nil {
			return err
		}
		for _, p := range paths {
			fmt.Fprintln(a.io.Err, "wrote", p) // not among the table, which may go into a file
		}
	}
	if len(figures) == 0 {
		fmt.Fprintln(a.io.Err, "exp: these runs have nothing to draw yet")
	}
	return nil
}

// chosen returns the runs named, or all.
func (a *app) chosen(refs []string) ([]*runs.Run, error) {
	if len(refs) == 0 {
		list, err := runs.List(a.runs)
		a.warn(err) // the others are good
		return list, nil
	}
	var out []*runs.Run
	for _, ref := range refs {
		if group := experiments.Group(ref); len(group) > 0 {
			list, err := runs.List(a.runs)
			a.warn(err)
			for _, r := range list {
				if slices.ContainsFunc(group, func(e *experiments.Experiment) bool { return e.Name == r.Config.Name }) {
					out = append(out, r)
				}
			}
			continue
		}
		list, err := runs.Match(a.runs, ref)
		if err != nil {
			return nil, err
		}
		out = append(out, list...)
	}
	return out, nil
}
