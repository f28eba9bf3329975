package experiments_test

import (
	"context"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"imdbexp/experiments"
	"imdbexp/experiments/plan"
	"imdbexp/internal/testkit/must"
)

// names returns each plan as its name and the settings asked for.
func values(plans []*plan.Plan, keys ...string) []string {
	var out []string
	for _, p := range plans {
		text := p.Experiment.Name
		for _, k := range keys {
			s, _ := p.Set.Get(k)
			text += " " + k + "=" + s.Value
		}
		out = append(out, text)
	}
	return out
}

func TestResolve(t *testing.T) {
	for _, c := range []struct {
		name  string
		words []string
		keys  []string
		want  []string
	}{
		{"an experiment", []string{"tme9-mean"}, []string{"optimizer"}, []string{"tme9-mean optimizer=adam"}},
		{"a grid, the last key fastest", []string{"seed=1..2", "tme9-mean", "lr=0.1,0.2"}, []string{"seed", "lr"}, []string{
			"tme9-mean seed=1 lr=0.1", "tme9-mean seed=1 lr=0.2", "tme9-mean seed=2 lr=0.1", "tme9-mean seed=2 lr=0.2"}},
		{"several, each once", []string{"tme9-mean", "tme9-simple", "tme9-mean", "lr=0.1,1e-1"}, nil, []string{"tme9-mean", "tme9-simple"}},
		{"a group is its rows", []string{"tme9"}, []string{"optimizer", "epochs"}, []string{
			"tme9-mean optimizer=adam epochs=42", "tme9-mean optimizer=sgd epochs=100",
			"tme9-simple optimizer=adam epochs=42", "tme9-simple optimizer=sgd epochs=100",
			"tme9-query optimizer=adam epochs=42",
			"tme9-values optimizer=adam epochs=42", "tme9-values optimizer=sgd epochs=100",
			"tme9-lstm optimizer=adam epochs=42", "tme9-lstm optimizer=sgd epochs=100",
			"tme9-entropy optimizer=sgd epochs=100"}},
		{"but for a given optimiser", []string{"tme9-controls", "optimizer=adam"}, []string{"optimizer"}, []string{
			"tme9-bilstm optimizer=adam", "tme9-lstm-last optimizer=adam", "tme9-lstm-mean optimizer=adam"}},
		{"explicit keys win over the row's", []string{"tme9-mean", "optimizer=sgd", "epochs=3"}, []string{"lr", "epochs"}, []string{"tme9-mean lr=0.01 epochs=3"}},
	} {
		t.Run(c.name, func(t *testing.T) {
			plans := must.Get(plan.Resolve(t.Context(), c.words, "imdb"))(t)
			require.Equal(t, c.want, values(plans, c.keys...))
		})
	}
}

func TestResolveErrors(t *testing.T) {
	for _, c := range []struct {
		words []string
		want  string
	}{
		{nil, "name an experiment: exp list shows all"},
		{[]string{"lr=1"}, "name an experiment: exp list shows all"},
		{[]string{"lr", "tme9-lstm"}, "lr is a setting: lr=VALUE"},
		{[]string{"tme9-lsmt"}, `unknown experiment "tme9-lsmt" (did you mean tme9-lstm?); exp list shows all`},
		{[]string{"tme9-lstm", "optimiser=sgd"}, `unknown setting "optimiser" (did you mean optimizer?); exp show tme9-lstm --settings lists all`},
		{[]string{"tme9", "lstm.hidden=3"}, `setting lstm.hidden belongs to model language, lstm, and tme9-mean has model mean; exp show tme9-mean --settings lists all`},
		{[]string{"bow-lr", "nbsvm.beta=0.25"}, `setting nbsvm.beta belongs to model nbsvm, and bow-lr has model bow-lr; exp show bow-lr --settings lists all`},
		{[]string{"nbsvm", "positions=sinusoid"}, `setting positions belongs to model masked-self, masked-transformer, multihead, self, transformer, and nbsvm has model nbsvm; exp show nbsvm --settings lists all`},
		{[]string{"tme9", "hiden=3"}, `unknown setting "hiden"; exp show tme9-mean --settings lists all`},
		{[]string{"tme9-lstm", "lr="}, "setting lr=: want a number, or several such as 0.1,0.01"},
		{[]string{"tme9-values", "attention=imposed", "attention.base=tme9-lstm", "word.dropout=0.1"}, "word.dropout=0.1 drops words, and attention.base=tme9-lstm has a weight for each word of a review: use only one of them"},
	} {
		require.EqualError(t, must.Fail(plan.Resolve(t.Context(), c.words, "sample")), c.want)
	}
}

func TestResolveFile(t *testing.T) {
	file := filepath.Join(t.TempDir(), "mine.yaml")
	write := func(text string) { require.NoError(t, os.WriteFile(file, []byte(text), 0o666)) }
	write("# mine\nbase: tme9-lstm\nlr: [0.1, 1e-2]\nseed: 1..2\nslip.drop_last: true\n")
	plans := must.Get(plan.Resolve(t.Context(), []string{file}, "imdb"))(t)
	require.Equal(t, []string{
		"tme9-lstm lr=0.1 seed=1 slip.drop_last=true", "tme9-lstm lr=0.1 seed=2 slip.drop_last=true",
		"tme9-lstm lr=0.01 seed=1 slip.drop_last=true", "tme9-lstm lr=0.01 seed=2 slip.drop_last=true",
	}, values(plans, "lr", "seed", "slip.drop_last"))
	lr, _ := plans[0].Set.Get("lr")
	require.Equal(t, "mine.yaml", lr.From)

	plans = must.Get(plan.Resolve(t.Context(), []string{file, "lr=5", "seed=7"}, "imdb"))(t)
	require.Equal(t, []string{"tme9-lstm lr=5 seed=7"}, values(plans, "lr", "seed"), "the command line wins, and nothing is there twice")

	for text, want := range map[string]string{
		"lr: 1\n":                             "no base",
		"base: tme9-lsmt\n":                   "mine.yaml:1: base: unknown experiment",
		"base: other.yaml\n":                  "mine.yaml:1: base: other.yaml is a file; want the name of an experiment",
		"base: tme9-lstm\nlr: &a 1\nclip: *a": "mine.yaml:3: clip: aliases such as *a are not supported; write the value",
		"base: tme9-lstm\nlr: 1\nlr: 2\n":     "mine.yaml:3: lr: is set twice",
		"base: tme9-lstm\nlr: {a: 1}\n":       "mine.yaml:2: lr: want one value or a list of values",
		"base: tme9-lstm\nlr: []\n":           "mine.yaml:2: lr: want one value or a list of values",
		"base: tme9-lstm\nlr: [[1]]\n":        "mine.yaml:2: lr: want one value or a list of values",
		"base: tme9-lstm\noptimiser: sgd\n":   `mine.yaml:2: unknown setting "optimiser" (did you mean optimizer?)`,
		"- base\n":                            "want lines of the form key: value",
		"":                                    "want lines of the form key: value",
		"base: [\n":                           "mine.yaml:1: did not find expected node content",
		"# mine\n\nbase: tme9-lstm\nlr: [1\nseed: 1\n": "mine.yaml:4: did not find expected ',' or ']'",
		"# mine\nbase: tme9-lstm\n- lr\nseed: 1\n":     "mine.yaml:3: did not find expected key",
		"base: tme9-lstm\nlr: fast\n":                  "mine.yaml:2: setting lr=fast: want a number, or several such as 0.1,0.01",
		"base: tme9-lstm\nseed: 1\nlr: [1, fast]\n":    "mine.yaml:3: setting lr=fast: want a number, or several such as 0.1,0.01",
		"base: tme9-mean\n# so many\nheads: 2\n":       "mine.yaml:3: setting heads belongs to",
		"base: tme9-lstm\nseed: 5..1\n":                "mine.yaml:2: ",
		"base: tme9-lstm\n---\nlr: 1\n":                "mine.yaml: more than one YAML document",
		"format: 1\nname: tme9-lstm\nfrobnicate: 1":    "mine.yaml",
		"format: 99\n": "newer",
	} {
		write(text)
		require.ErrorContains(t, must.Fail(plan.Resolve(t.Context(), []string{file}, "imdb")), want, "%q", text)
	}
	require.ErrorIs(t, must.Fail(plan.Resolve(t.Context(), []string{"nothere.yaml"}, "imdb")), os.ErrNotExist)
}

// FuzzFile feeds files of settings: an error or plans, never a panic.
func FuzzFile(f *testing.F) {
	f.Add([]byte("base: tme9-lstm\nlr: [0.1, 1e-2]\nseed: 1..2\n"))
	f.Add([]byte("format: 1\nname: tme9-lstm\n"))
	f.Add([]byte("base: &a tme9-lstm\nlr: *a\n"))
	f.Add([]byte("base: tme9-mean\n<<: {lr: 1}\n"))
	f.Fuzz(func(t *testing.T, text []byte) {
		file := filepath.Join(t.TempDir(), "f.yaml")
		require.NoError(t, os.WriteFile(file, text, 0o666))
		plans, err := plan.Resolve(t.Context(), []string{file}, "sample")
		require.True(t, err != nil || len(plans) > 0)
	})
}

func TestOverridesAndReasons(t *testing.T) {
	plans := must.Get(plan.Resolve(t.Context(), []string{"tme9-entropy", "variant=original", "optimizer=sgd", "seed=3"}, "sample"))(t)
	var from []string
	for _, o := range plans[0].Overrides() {
		from = append(from, o.From)
	}
	require.Equal(t, []string{"variant=original", "the sample", "command line"}, from, "each setting under who set it last")
	require.Equal(t, "on the sum over 16 reviews", plans[0].Why("lambda"))
	require.Equal(t, "at a lower rate", plans[0].Why("epochs"), "the last of three on the sample")
	require.Equal(t, "more steps from few reviews", plans[0].Why("batch"))
	require.Equal(t, "", plans[0].Why("seed"))
	require.Equal(t, "", plans[0].Why("nothing"))
	require.Equal(t, []string{"seed"}, plan.Differing(resolve(t, "tme9-mean", "seed=1,2")))
}

func resolve(t *testing.T, words ...string) []*plan.Plan {
	t.Helper()
	plans := must.Get(plan.Resolve(t.Context(), words, "sample"))(t)
	return plans
}

func TestAutoData(t *testing.T) {
	dir := t.TempDir()
	auto := func() plan.Auto {
		a := must.Get(plan.AutoData(dir))(t)
		return a
	}
	require.Equal(t, "sample", auto().Data)
	require.Contains(t, auto().Why, "IMDB is not installed")
	require.NoError(t, os.WriteFile(filepath.Join(dir, "aclImdb.tar.gz"), nil, 0o666))
	require.Equal(t, "sample", auto().Data)
	require.Contains(t, auto().Why, "not GloVe")
	require.NoError(t, os.WriteFile(filepath.Join(dir, "glove.6B.50d.txt"), nil, 0o666))
	require.Equal(t, "imdb", auto().Data)
	require.NoError(t, os.Remove(filepath.Join(dir, "aclImdb.tar.gz")))
	require.Contains(t, auto().Why, "IMDB is not installed")
}

// Settings of reviews are refused, each with what to do.
func TestTranslationSettings(t *testing.T) {
	e := must.Get(experiments.Lookup("seq2seq-plain"))(t)
	for _, set := range []string{
		"vectors=random", "vectors.dim=100", "vectors.train=true", "oov=learned", "slip.whitespace=true", "slip.choose_on_test=true", "slip.drop_last=true",
	} {
		require.EqualError(t, must.Fail(plan.New(plan.Base{Experiment: e}, "sample", []string{set})), set+" is a setting of models that classify reviews: omit it")
	}
	require.ErrorContains(t, must.Fail(plan.New(plan.Base{Experiment: e}, "sample", []string{"reverse=maybe"})), "want true or false")
	for _, set := range []string{"oov=mean", "vectors=auto", "tokens=whitespace"} {
		_, err := plan.New(plan.Base{Experiment: e}, "sample", []string{set})
		require.NoError(t, err, set)
	}
}

func TestSettingsWithoutEffect(t *testing.T) {
	e := must.Get(experiments.Lookup("tme9-simple"))(t)
	for settings, want := range map[string]string{
		"vectors.lr=0.1":     "vectors.lr=0.1 needs vectors.train=true",
		"vectors.adam=dense": "vectors.adam=dense needs vectors.train=true",
		"vectors.train=true vectors.adam=dense optimizer=sgd": "vectors.adam=dense needs optimizer=adam or adamw",
		"vectors.train=true vectors.adam=eager":               "use one of lazy, dense",
	} {
		require.ErrorContains(t, must.Fail(plan.New(plan.Base{Experiment: e}, "sample", strings.Fields(settings))), want)
	}
}

// What a name means is among what its group trains, on any data.
func TestGroupHasWhatItsNamesMean(t *testing.T) {
	keys := []string{"optimizer", "epochs", "lr"}
	for _, data := range []string{"sample", "imdb"} {
		for _, group := range []string{"tme9", "tme9-controls", "tme10"} {
			all := must.Get(plan.Resolve(t.Context(), []string{group}, data))(t)
			for _, p := range all {
				bare := must.Get(plan.Resolve(t.Context(), []string{p.Experiment.Name}, data))(t)
				require.Contains(t, values(all, keys...), values(bare, keys...)[0], data)
			}
		}
	}
}

// soon is far more than it takes, and far less than what grows with the square of the
// number of runs.
const soon = 20 * time.Second

func TestPlanningStops(t *testing.T) {
	ctx, stop := context.WithCancel(t.Context())
	stop()
	require.ErrorIs(t, must.Fail(plan.Resolve(ctx, []string{"tme9-simple", "seed=1..10000"}, "sample")), context.Canceled)
}

// The two originals of TME 10 are lists of slips: of what was printed, each row with its
// epochs, and of the code that was published.
func TestVariants(t *testing.T) {
	of := func(words ...string) *plan.Plan {
		plans := must.Get(plan.Resolve(t.Context(), words, "imdb"))(t)
		require.Len(t, plans, 1)
		return plans[0]
	}
	value := func(p *plan.Plan, key string) string {
		s, ok := p.Set.Get(key)
		require.True(t, ok)
		return s.Value
	}
	printed, code := of("tme10-pe", "optimizer=sgd", "variant=original"), of("tme10-pe", "optimizer=sgd", "variant=code")
	for key, want := range map[string][2]string{
		"slip.pad_statistics": {"true", "false"}, "slip.batch_slot_norm": {"false", "true"}, "norm": {"batch", "batch"},
		"norm.eval": {"running", "running"}, "epochs": {"100", "40"}, "data.max_len": {"0", "256"}, "lr": {"0.01", "0.01"},
	} {
		require.Equal(t, want, [2]string{value(printed, key), value(code, key)}, key)
	}
	require.Equal(t, "the report's", printed.Why("epochs"))
	require.Equal(t, "nothing was cut", printed.Why("data.max_len"))
	require.Equal(t, "42", value(of("tme10-pe", "optimizer=adam", "variant=original"), "epochs"))

	layer := of("tme10-self", "variant=original", "norm=layer")
	require.Equal(t, "false", value(layer, "slip.pad_statistics"), "layer norm has none")
	require.Equal(t, "true", value(of("tme10-self", "variant=original", "norm=batch"), "slip.pad_statistics"))

	for name, want := range map[string]string{
		"tme9-lstm": "tme9-lstm has no variant=code: its published code is variant=original",
		"multihead": "multihead has no variant=code: its code was not published",
	} {
		require.ErrorContains(t, must.Fail(plan.Resolve(t.Context(), []string{name, "variant=code"}, "imdb")), want)
	}
}
