package main

import (
	"github.com/spf13/cobra"

	"imdbexp/cmd/exp/internal/attend"
	"imdbexp/cmd/exp/internal/cli"
	"imdbexp/cmd/exp/internal/compare"
	"imdbexp/cmd/exp/internal/data"
	"imdbexp/cmd/exp/internal/doctor"
	"imdbexp/cmd/exp/internal/explain"
	"imdbexp/cmd/exp/internal/export"
	"imdbexp/cmd/exp/internal/lesson"
	"imdbexp/cmd/exp/internal/list"
	"imdbexp/cmd/exp/internal/predict"
	"imdbexp/cmd/exp/internal/probe"
	"imdbexp/cmd/exp/internal/report"
	"imdbexp/cmd/exp/internal/reproduce"
	"imdbexp/cmd/exp/internal/run"
	"imdbexp/cmd/exp/internal/runs"
	"imdbexp/cmd/exp/internal/serve"
	"imdbexp/cmd/exp/internal/show"
)

// root returns the command tree.
func root(a *cli.App) *cobra.Command {
	versions := false
	cmd := &cobra.Command{
		Use:   "exp",
		Short: "Experiments with attention models on movie reviews",
		Long: `Experiments with attention models on movie reviews.

key=value changes a setting, and with it the result and the ID of the run. --flags
never change a result. RUN is the folder of a run, the first four or more letters of
its ID, @last, or the name of an experiment with its default settings, such as
tme9-lstm; 'tme9-lstm[optimizer=sgd,seed=2]' has other settings.

Begin with exp lesson: nine lessons on attention, with built-in data.

Exit codes: 0 done, 1 failed, 2 wrong usage, 3 diverged, 130 interrupted.`,
		Example:       "  exp run tme9-lstm\n  exp report\n  exp lesson 1",
		Args:          cli.OnlyCommands,
		SilenceErrors: true,
		SilenceUsage:  true,
		RunE: func(cmd *cobra.Command, _ []string) error {
			if versions {
				showVersions(a)
				return nil
			}
			return cmd.Help()
		},
	}
	cmd.SetIn(a.In)
	cmd.SetOut(a.Out)
	cmd.SetErr(a.Err)
	cmd.SetFlagErrorFunc(a.FlagError)
	cmd.SetHelpCommand(help(cmd))
	a.Help(cmd)
	cmd.Flags().BoolVar(&versions, "version", false, "print versions of the program, Go and the engine")
	a.Flags(cmd)
	cmd.AddCommand(show.New(a), run.New(a), report.New(a), compare.New(a), probe.New(a), attend.New(a), explain.New(a), predict.New(a),
		export.New(a), reproduce.New(a))
	for _, c := range cmd.Commands() {
		c.ValidArgsFunction = a.Complete
	}
	cmd.AddCommand(lesson.New(a, root), list.New(a), serve.New(a), runs.New(a), doctor.New(a), data.New(a))
	return cmd
}

// help returns exp help, which refuses words that are not commands.
func help(root *cobra.Command) *cobra.Command {
	return &cobra.Command{
		Use:   "help [command]",
		Short: "Help about any command",
		RunE: func(_ *cobra.Command, args []string) error {
			c, rest, err := root.Find(args)
			if err != nil || len(rest) > 0 {
				return cli.Usage(cli.OnlyCommands(c, rest))
			}
			return c.Help()
		},
	}
}
