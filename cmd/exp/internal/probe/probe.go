// Package probe is exp probe: the accuracy of runs on minimal pairs.
package probe

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"imdbexp/cmd/exp/internal/cli"
	"imdbexp/cmd/exp/internal/modelview"
	"imdbexp/cmd/exp/internal/predict"
	"imdbexp/dataset/folder"
	"imdbexp/dataset/probe"
	"imdbexp/dataset/token"
	"imdbexp/internal/format"
	"imdbexp/internal/infer"
	"imdbexp/internal/ops"
	"imdbexp/report"
	"imdbexp/report/compare"
	"imdbexp/runs"
)

type options struct {
	on, format string
	sets       []string
	leaked     bool
}

// New returns exp probe.
func New(a *cli.App) *cobra.Command {
	var o options
	cmd := &cobra.Command{
		Use:   "probe [RUN…] --on PROBE",
		Short: "Test runs on minimal pairs",
		Long: `Test runs on minimal pairs: a text, and its rewriting by annotators who changed only the
words that decide the label (exp data add --probe). A model that reads keeps its accuracy
on the rewritings; one that counts words often found near an opinion loses it.
--on sample needs no data: the grammar rewrites test reviews of the sample data set.

Without RUN: all finished runs that were trained with data.exclude=PROBE, the best on the
test set first. A RUN is one run, or all seeds of a setting. Each setting's accuracy on
the rewritings is compared with that of the first, with p adjusted by Holm's method. A run
that was trained on texts of the sets shown is refused; --leaked shows it all the same,
marked as leaked. Answers are kept in the run's folder (probe-PROBE.….tsv).`,
		Example: `  exp probe nbsvm tme9-lstm --on sample
  exp run nbsvm tme9-simple data.exclude=minimal
  exp probe --on minimal
  exp probe 'nbsvm[data.exclude=minimal]' 'tme9-simple[data.exclude=minimal]' --on minimal --set cad_test
  exp probe --on minimal --format csv > probe.csv`,
		Args: func(*cobra.Command, []string) error {
			if o.on == "" {
				return errors.New("no minimal pairs are named: use --on NAME; exp data add FILE --probe --name NAME adds some")
			}
			return nil
		},
		RunE: func(cmd *cobra.Command, refs []string) error { return test(cmd.Context(), a, refs, o) },
	}
	cmd.Flags().StringVar(&o.on, "on", "", "the probe, by its name in the data folder")
	cmd.Flags().StringArrayVar(&o.sets, "set", nil, "only this set of its pairs; may be repeated")
	cli.FormatFlag(cmd, &o.format, cli.Formats)
	cmd.Flags().BoolVar(&o.leaked, "leaked", false, "also show runs that were trained on texts of the probe")
	return cmd
}

type tester struct {
	*cli.App
	dir   string // the data folder
	probe *probe.Probe
	shown *probe.Probe  // its sets that are shown
	kept  runs.ProbeKey // of all its sets
	pool  *ops.Pool
	texts map[string]int // texts of the sets shown in the data of runs, see leak
}

func test(ctx context.Context, a *cli.App, refs []string, o options) error {
	dir, err := a.Installed()
	if err != nil {
		return err
	}
	p, err := folder.Probe(ctx, dir, o.on, folder.Options{})
	if err != nil {
		return fmt.Errorf("--on %s: %w", o.on, err)
	}
	for _, set := range o.sets {
		if !slices.Contains(p.Sets(), set) {
			return cli.Usagef("--set %s: the sets of %s are %s", set, o.on, strings.Join(p.Sets(), ", "))
		}
	}
	left := func(set string) bool { return len(o.sets) > 0 && !slices.Contains(o.sets, set) }
	shown := &probe.Probe{Name: p.Name, Pairs: slices.DeleteFunc(slices.Clone(p.Pairs), func(x probe.Pair) bool { return left(x.Set) })}
	t := &tester{App: a, dir: dir, probe: p, shown: shown, kept: runs.ProbeKey{Probe: p.Name, Digest: p.Digest()}, texts: map[string]int{}}
	pool, closePool := a.Pool(ctx)
	defer closePool()
	t.pool = pool
	groups, err := t.groups(refs)
	if err != nil {
		return err
	}
	var probed [][]*compare.Probed
	for i, name := range report.Names(groups) {
		var answers []*runs.Predictions
		leaked := false
		for _, run := range groups[i] {
			n, err := t.leak(ctx, run)
			if err != nil {
				return err
			}
			if n > 0 && !o.leaked {
				return fmt.Errorf("%s was trained on %s of %s, so its accuracy on the pairs is not valid: train it with data.exclude=%[3]s, or show it with --leaked",
					run.Label(), format.Counted(n, "text"), p.Name)
			}
			leaked = leaked || n > 0
			// A run may have been trained on the sets that are not shown, so its answers are not stored.
			answer, err := t.answers(ctx, run, n == 0 && (len(o.sets) == 0 || run.Config.Digests["probe"] == t.kept.Digest))
			if err != nil {
				return fmt.Errorf("%s: %w", run.Label(), err)
			}
			answers = append(answers, answer)
		}
		list, err := compare.NewProbed(compare.ProbeName(name, p.Name), groups[i], answers)
		if err != nil {
			return err
		}
		list = slices.DeleteFunc(list, func(x *compare.Probed) bool { return left(x.Set) })
		for _, x := range list {
			x.Leaked = leaked
		}
		probed = append(probed, list)
	}
	if len(refs) == 0 {
		compare.ByTest(probed)
	}
	table, err := compare.Probe(p.Name, probed)
	if err != nil {
		return err
	}
	return cli.Print(a.IO, o.format, table)
}

// groups returns the runs to test, by setting.
func (t *tester) groups(refs []string) (groups [][]*runs.Run, err error) {
	for _, ref := range refs {
		g, err := t.RunsOf(ref)
		if err != nil {
			return nil, err
		}
		for _, run := range g {
			if run.Config.Task() == runs.Pairs {
				return nil, cli.Usagef("%s translates: minimal pairs have labels", run.Label())
			}
			if run.Status.State != runs.Finished {
				return nil, fmt.Errorf("%s is %s: train it to its end first", run.Label(), run.Status)
			}
		}
		groups = append(groups, g)
	}
	if len(refs) > 0 {
		return groups, nil
	}
	all, err := runs.List(t.Runs)
	if err != nil {
		return nil, err
	}
	all = slices.DeleteFunc(all, func(r *runs.Run) bool {
		without := r.Config.Digests["probe"] == t.kept.Digest || t.probe.Name == "sample" && r.Config.Data.Name == "sample"
		return r.Status.State != runs.Finished || !without
	})
	if len(all) == 0 {
		command := []string{"run", "tme9-simple", "data.exclude=" + t.probe.Name}
		if t.probe.Name == "sample" {
			command[2] = "data=sample"
		}
		return nil, fmt.Errorf("no finished run was trained without the texts of %s: %s", t.probe.Name, t.Command(command...))
	}
	return report.BySetting(all), nil
}

// leak returns how many of the reviews that a run could learn from are texts of the probe.
func (t *tester) leak(ctx context.Context, run *runs.Run) (n int, err error) {
	c := &run.Config
	if c.Digests["probe"] == t.kept.Digest {
		return 0, nil
	}
	g := c.General()
	key := fmt.Sprintln(c.Data.Name, g.Tokenizer(), g.Exclude, g.Vectors.Vectors == "corpus")
	if n, known := t.texts[key]; known {
		return n, nil
	}
	defer func() {
		if err != nil {
			err = fmt.Errorf("%s: cannot check whether it was trained on texts of %s: %w", run.Label(), t.probe.Name, err)
		}
	}()
	o := folder.Options{Tokenizer: g.Tokenizer(), Extra: g.Vectors.Vectors == "corpus", Warn: t.Warn}
	if g.Exclude != "" && g.Exclude != "none" {
		if o.Exclude, err = folder.Probe(ctx, t.dir, g.Exclude, o); err != nil {
			return 0, err
		}
	}
	corpus, err := folder.Corpus(ctx, t.dir, c.Data.Name, o)
	if err != nil {
		return 0, err
	}
	tok, err := token.Get(g.Tokenizer())
	if err != nil {
		return 0, err
	}
	_, left := corpus.Without(tok, t.shown.Texts(), t.kept.Digest)
	for _, texts := range left {
		n += texts
	}
	t.texts[key] = n
	return n, nil
}

// answers returns the answers of a run to the texts of the probe, from its folder if they are there.
// If keep is true, it stores new answers there.
func (t *tester) answers(ctx context.Context, run *runs.Run, keep bool) (*runs.Predictions, error) {
	if p, err := run.Probe(t.kept); !errors.Is(err, fs.ErrNotExist) {
		return p, err
	}
	m, err := infer.Open(run, t.pool)
	if err != nil {
		return nil, err
	}
	defer m.Close()
	modelview.LookUp(ctx, t.App, &run.Config, m)
	p := &runs.Predictions{Classes: m.Classes, Rows: make([]runs.Prediction, 0, 2*len(t.probe.Pairs))}
	var texts []infer.Encoded
	for _, pair := range t.probe.Pairs {
		for _, side := range []struct {
			probe.Text
			name string
		}{{pair.Original, probe.OriginalText}, {pair.Rewritten, probe.RewrittenText}} {
			label := predict.ClassOf(m.Classes, side.Label)
			if label < 0 {
				return nil, fmt.Errorf("the label %q of %s is not a class of the run (%s)", side.Label, pair.ID, strings.Join(m.Classes, ", "))
			}
			p.Rows = append(p.Rows, runs.Prediction{Review: pair.ID + side.name, Label: label})
			texts = append(texts, m.Encode(side.Text.Text))
		}
	}
	err = m.Each(ctx, texts, func(i int, b *infer.Batch, k int) error {
		row := b.Prediction(k)
		row.Review, row.Label = p.Rows[i].Review, p.Rows[i].Label
		p.Rows[i] = row
		return nil
	})
	if err == nil && keep {
		err = run.WriteProbe(t.kept, p)
	}
	return p, err
}
