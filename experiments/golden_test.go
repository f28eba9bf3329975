package experiments_test

import (
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"imdbexp/experiments"
	"imdbexp/experiments/plan"
	"imdbexp/experiments/task"
	"imdbexp/experiments/training"
	"imdbexp/internal/settings"
	"imdbexp/internal/testkit/must"
	"imdbexp/internal/testkit/testrun"
	"imdbexp/runs"
	"imdbexp/runs/published"
)

var update = flag.Bool("update", false, "write the goldens anew; raise runs.PresentVersion of what changes")

// quick makes a run a matter of a moment, by the unit of its task: 256 reviews of the
// sample or 64 pairs, two epochs.
var quick = map[string][]string{
	runs.Reviews.Unit: {"data=sample", "data.limit=128", "epochs=2"},
	runs.Pairs.Unit:   {"data.limit=64", "epochs=2", "lr=0.01"},
	runs.Texts.Unit:   {"data=sample", "data.limit=128", "epochs=2"},
}

// golden is an experiment with settings whose result is kept.
type golden struct {
	name       string // of the file
	experiment *experiments.Experiment
	settings   []string
}

// goldens are those of every experiment, as it is in each variant, and
// of settings that none of them has.
func goldens(t *testing.T) []golden {
	var list []golden
	for _, e := range experiments.All() {
		list = append(list, golden{e.Name, e, nil})
		for _, v := range e.Variants() {
			list = append(list, golden{e.Name + "-" + v, e, []string{"variant=" + v}})
		}
	}
	for _, c := range []struct{ experiment, suffix, settings string }{
		{"tme9-lstm", "sgd", "optimizer=sgd momentum=0.9 lr=0.1 clip=1 dropout=0.3 oov=learned"},
		{"tme9-values", "best", "select=best value.activation=relu optimizer=adamw weight_decay=0.01 schedule=cosine schedule.warmup=0.5"},
		{"tme9-bilstm", "best", "pool.max=true input.dropout=0.1 state.dropout=0.2 word.dropout=0.2 label_smoothing=0.1 average=0.9 test=last select=best"},
		{"tme9-lstm", "wide", "wide=nbsvm wide.folds=3 test=last"},
		// 200 test reviews end in a partial batch, whose losses are no round numbers.
		{"tme9-simple", "partial", "data.limit=100"},
		{"tme9-simple", "vectors", "vectors.train=true vectors.lr=0.01 clip=1"},
		// Small enough for kernels without assembly, and for an emulated CPU.
		{"tme10-cls-pe", "few", "data.limit=12 layers=2 heads=2"},
		{"transformer", "few", "data.limit=12 layers=1"},
	} {
		e := must.Get(experiments.Lookup(c.experiment))(t)
		list = append(list, golden{e.Name + "-" + c.suffix, e, strings.Fields(c.settings)})
	}
	return list
}

func (g golden) file() string { return filepath.Join("testdata", "golden", g.name+".txt") }

// required reports whether there has to be a golden: of our experiments, not of those
// that somebody adds beside them.
func (g golden) required() bool {
	return slices.Contains(slices.Concat(experiments.Families...), g.experiment)
}

// TestGolden trains every experiment for a moment; the numbers, predictions and
// weights must be those that were committed, on every machine.
func TestGolden(t *testing.T) {
	for _, g := range goldens(t) {
		t.Run(g.name, func(t *testing.T) {
			t.Parallel()
			info := must.Get(g.experiment.Info())(t)
			settings := slices.Concat(quick[task.Of(info.New()).Kind().Unit], g.settings)
			p := must.Get(plan.New(plan.Base{Experiment: g.experiment}, "sample", settings))(t)
			r := testrun.Runner(t, t.TempDir(), 1)
			trainStart(t, r, p, quick[runs.Texts.Unit]...)
			got := testrun.Result(t, testrun.Train(t, r, p))
			if *update {
				require.NoError(t, os.WriteFile(g.file(), []byte(got), 0o644))
			}
			want, err := os.ReadFile(g.file())
			if os.IsNotExist(err) && !g.required() {
				t.Skip("it trains; go test ./experiments -run Golden -update keeps what comes of it")
			}
			require.NoError(t, err, "go test ./experiments -run Golden -update writes it")
			require.Equal(t, string(want), got)
		})
	}
}

// trainStart trains the language model that a plan starts from, if it does.
func trainStart(t *testing.T, r *training.Runner, p *plan.Plan, settings ...string) {
	if p.Run.Init != "" {
		testrun.Train(t, r, testrun.Plan(t, p.Run.Init, settings...))
	}
}

// No golden is left over from an experiment that is gone, or under another name.
func TestGoldensAreOfExperiments(t *testing.T) {
	files := must.Get(filepath.Glob("testdata/golden/*"))(t)
	var want []string
	for _, g := range goldens(t) {
		want = append(want, g.file())
	}
	require.Subset(t, want, files)
}

// Results are shown in the order of the catalogue, but for what stands beside another.
func TestInOrder(t *testing.T) {
	order := experiments.InOrder()
	require.Len(t, order, len(experiments.All()))
	i := slices.Index(order, "tme9-lstm")
	require.Equal(t, []string{"tme9-lstm", "tme9-bilstm", "tme9-lstm-last", "tme9-lstm-mean", "tme9-entropy"}, order[i:i+5])
	for _, e := range experiments.All() {
		if e.ComparedWith != "" {
			_, err := experiments.Lookup(e.ComparedWith)
			require.NoError(t, err, e.Name)
		}
	}
	require.Equal(t, []string{"tme9", "tme9-controls", "tme10", "mechanisms", "baselines", "best", "seq2seq"}, experiments.Groups()[:7])
}

// A run of before the correction stands beside what is known now, its code beside what the
// code logged; rows that are not of the table stay as they are.
func TestCorrect(t *testing.T) {
	run := func(name, variant string, p *runs.Published) *runs.Config {
		return &runs.Config{Name: name, Variant: variant, Published: p, Settings: runs.Values{{Key: "optimizer", Value: "adam"}}}
	}
	old := &runs.Published{Row: "self-attention, Adam", TrainAcc: 75.9, TestAcc: 74.0, Epochs: 42, Source: "TME 10, figure 17"}
	now := published.Correct(run("tme10-self", "original", old))
	assert.Equal(t, [4]float64{74, 75.9, 0.558, 0.539}, [4]float64{now.TrainAcc, now.TestAcc, now.TrainLoss, now.TestLoss})
	assert.Contains(t, now.Note, "smoothed")
	assert.Equal(t, now, published.Correct(run("tme10-self", "default", now)))

	logged := published.Correct(run("tme10-self", "code", old))
	assert.Equal(t, [2]float64{78.2, 77.7}, [2]float64{logged.TrainAcc, logged.TestAcc})
	assert.Equal(t, 20, logged.Epochs)
	assert.Equal(t, logged, published.Correct(run("tme10-self", "code", logged)))
	assert.Nil(t, published.Row("tme10-cls-pe", "adam", "code"), "nothing was logged")

	own := &runs.Published{Row: "self-attention, Adam", TestAcc: 1, Source: "mine"}
	assert.Same(t, own, published.Correct(run("tme10-self", "default", own)))
	assert.Same(t, old, published.Correct(run("my-self", "default", old)))
	assert.Nil(t, published.Correct(run("tme10-self", "default", nil)))
}

// Each row says who published it and where the number was read; none looks more certain
// than it is.
func TestIMDB(t *testing.T) {
	seen := map[string]bool{}
	for _, r := range published.IMDB() {
		name := r.Paper + ", " + r.Model
		assert.False(t, seen[name], "%s is there twice", name)
		seen[name] = true
		assert.Regexp(t, `^[A-Z]\S.* \d{4}$`, r.Paper)
		assert.NotEmpty(t, r.Place, name)
		assert.NotEmpty(t, r.Checked, name)
		assert.Equal(t, 25_000, r.Labels, name)
		assert.True(t, r.Accuracy > 85 && r.Accuracy < 100, name)
		assert.Contains(t, []string{"", published.Validation, published.Test}, r.Chosen, name)
		if r.TestTexts || r.Chosen == published.Test {
			assert.NotEmpty(t, r.Remark, "%s: who says so?", name)
		}
	}
}

// The models differ on the sample: with one seed (the mean of five with EXP_CI=1) each model is at least
// three points better than the one before, and an LSTM five points better than a bag of words.
func TestSampleTellsTheModelsApart(t *testing.T) {
	if testing.Short() {
		t.Skip("left out by -short: trains twenty runs")
	}
	dir, seeds := t.TempDir(), 1
	if testrun.Long() {
		seeds = 5
	}
	names := []string{"tme9-mean", "tme9-simple", "tme9-values", "tme9-lstm"}
	acc := make([][5]float64, seeds) // with each seed, of each name and of a bag of words
	t.Run("train", func(t *testing.T) {
		for seed := range seeds {
			t.Run(fmt.Sprint(seed+1), func(t *testing.T) {
				t.Parallel()
				r := testrun.Runner(t, dir, 1)
				train := func(settings ...string) float64 {
					settings = append(settings, "data=sample", fmt.Sprintf("seed=%d", seed+1))
					run := testrun.Train(t, r, testrun.Plan(t, settings[0], settings[1:]...))
					return *must.Get(run.Chosen())(t).TestAcc
				}
				for i, name := range names {
					acc[seed][i] = train(name)
				}
				acc[seed][4] = train("bow-lr", "ngrams=1")
			})
		}
	})
	mean := func(i int) (sum float64) {
		for _, a := range acc {
			sum += a[i]
		}
		return sum / float64(seeds)
	}
	for i, name := range names[1:] {
		t.Logf("%s: %.1f after %.1f", name, mean(i+1), mean(i))
		require.GreaterOrEqual(t, mean(i+1), mean(i)+3, name)
	}
	require.GreaterOrEqual(t, mean(3), mean(4)+5)
}

// Every experiment learns on the sample, with every optimiser and as the published code
// ran; but for a norm over the reviews of a batch, of which exp run says at its end that
// it stands in the way.
func TestSampleIsLearned(t *testing.T) {
	dir := t.TempDir()
	for _, e := range slices.Concat(experiments.Families...) {
		if len(e.Sample) == 0 || !testrun.Long() && e.Name != "tme9-entropy" { // a second, where all take minutes
			continue
		}
		for _, variant := range []string{"default", "original"} {
			if variant == "original" && (len(e.Original) == 0 || e.Group == "tme10") {
				continue
			}
			of := func(optimizer string) *plan.Plan {
				return testrun.Plan(t, e.Name, "data=sample", "optimizer="+optimizer, "variant="+variant)
			}
			optimizers := []string{"adam", "adamw", "sgd"}
			// AdamW without decay is Adam, as TestAdamWithoutDecay shows.
			if same := func(optimizer string) string { return settings.Digest(of(optimizer).Set.All(), nil, "optimizer") }; same("adam") == same("adamw") && of("adam").Run.WeightDecay == 0 {
				optimizers = []string{"adam", "sgd"}
			}
			for _, optimizer := range optimizers {
				p := of(optimizer)
				accuracy, loss := 55.0, 0.69
				if p.Task().Kind() == runs.Texts { // guessing has a loss of 6.91
					if accuracy, loss = 3, 6.7; optimizer != "adam" {
						continue
					}
				}
				trainStart(t, testrun.Runner(t, dir, 1), p, "data=sample")
				t.Run(e.Name+" "+optimizer+" "+variant, func(t *testing.T) {
					t.Parallel()
					run := testrun.Train(t, testrun.Runner(t, dir, 1), p)
					m := must.Get(run.Chosen())(t)
					require.Greater(t, *m.TestAcc, accuracy)
					require.Less(t, *m.TestLoss, loss)
				})
			}
		}
	}
}

// AdamW without decay gives the bits of Adam.
func TestAdamWithoutDecay(t *testing.T) {
	train := func(optimizer string) string {
		r := testrun.Runner(t, t.TempDir(), 1)
		run := testrun.Train(t, r, testrun.Plan(t, "tme9-simple", "data=sample", "data.limit=64", "epochs=2", "optimizer="+optimizer))
		result, _, _ := strings.Cut(testrun.Result(t, run), runs.CheckpointFile(runs.Last)) // which holds the settings
		return result
	}
	require.Equal(t, train("adam"), train("adamw"))
}

// What the report saw is said of its experiments, with the numbers of its table and
// the names of experiments that there are.
func TestWatch(t *testing.T) {
	name := regexp.MustCompile(`tme\d+-[a-z-]+[a-z]`)
	for _, e := range experiments.All() {
		text := experiments.Watch(e.Name)
		if e.Group == "tme10" {
			require.NotEmpty(t, text, e.Name)
		}
		require.NotRegexp(t, ` 0\.0 |[{}]`, text, "a row that is not in the table")
		for _, other := range name.FindAllString(text, -1) {
			_, err := experiments.Lookup(other)
			require.NoError(t, err, e.Name)
		}
	}
	require.Contains(t, experiments.Watch("tme9-query"), "78.1 % on test where tme9-simple has 80.0 %")
	require.Contains(t, experiments.Watch("tme10-pe"), "81.6 and 77.5 %")
	require.Contains(t, experiments.Watch("seq2seq-plain"), "BLEU 30.6 with the source reversed")
	require.Empty(t, experiments.Watch("mean"), "a model's name")
}
