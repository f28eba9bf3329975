package export

import (
	"context"
	"fmt"

	"imdbexp/cmd/exp/internal/attend"
	"imdbexp/cmd/exp/internal/cli"
	"imdbexp/cmd/exp/internal/scores"
	"imdbexp/runs"
)

// exportScores has exp attend write a score of the words of a run's test reviews.
func exportScores(ctx context.Context, a *cli.App, ref, by, out string) error {
	if _, err := scores.Lookup(by); err != nil {
		return cli.Usage(fmt.Errorf("--by: %w", err))
	}
	run, err := a.RunOf(ref)
	if err != nil {
		return err
	}
	if run.Config.Task() == runs.Pairs {
		return cli.Usage(fmt.Errorf("--by is for runs that classify reviews, and %s translates", run.Label()))
	}
	if out == "" {
		out = run.Config.Name + "-" + run.Config.ID + "-" + by + ".jsonl"
	}
	words := []string{ref, "--by", by, "--split", "test"}
	if out != "-" {
		words = append(words, "--out", out)
	}
	cmd := attend.New(a)
	cmd.SilenceErrors, cmd.SilenceUsage = true, true
	cmd.SetArgs(words)
	return cmd.ExecuteContext(ctx)
}
