package experiments_test

import (
	"compress/gzip"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"imdbexp/experiments"
	"imdbexp/experiments/plan"
	"imdbexp/internal/settings"
	"imdbexp/internal/testkit/must"
	"imdbexp/models"
)

// put writes own data of so many reviews to train on, each with a text.
func put(t *testing.T, dir, name string, reviews int, text string) {
	t.Helper()
	f := must.Get(os.Create(filepath.Join(dir, name+".reviews.jsonl.gz")))(t)
	defer f.Close()
	z := must.Get(gzip.NewWriterLevel(f, gzip.BestSpeed))(t)
	e := json.NewEncoder(z)
	require.NoError(t, e.Encode(map[string]any{"format": 1, "name": name, "classes": []string{"a", "b", "c"}, "reviews": [3]int{reviews, 1, 0}}))
	for i := range reviews + 1 {
		part := "train"
		if i == reviews {
			part, text = "test", strings.Repeat("the film ", 150_000) // which is not trained on
		}
		require.NoError(t, e.Encode(map[string]any{"split": part, "label": "b", "id": fmt.Sprintf("%s/%08d", part, i+1), "text": text}))
	}
	require.NoError(t, z.Close())
}

// Word vectors, epochs, batch and rate follow the amount of own data, unless somebody
// sets them; nothing of IMDB and the sample does.
func TestSettle(t *testing.T) {
	dir := t.TempDir()
	const english = "this is the best of all films and i like to see it"
	put(t, dir, "tiny", 300, english)
	put(t, dir, "short", 2_500, english)
	put(t, dir, "wordy", 2_500, strings.Repeat(english+" ", 10))
	put(t, dir, "french", 300, "un film que je ne veux pas revoir")
	put(t, dir, "large", 20_000, english)
	settler := plan.Adapter{Dir: dir}
	values := func(words ...string) string {
		plans := must.Get(plan.Resolve(t.Context(), words, "sample"))(t)
		must.Get(settler.Adapt(t.Context(), plans))(t)
		var out []string
		for _, key := range []string{"vectors", "epochs", "batch", "lr", "c"} {
			if s, is := plans[0].Set.Get(key); is {
				out = append(out, s.Value)
			}
		}
		return strings.Join(out, " ")
	}
	require.Equal(t, "corpus 30 16 0.003", values("tme9-lstm", "data=tiny"), "no GloVe is there")
	require.NoError(t, os.WriteFile(filepath.Join(dir, "glove.6B.50d.txt"), nil, 0o666))
	for words, want := range map[string]string{
		"tme9-lstm data=tiny":                              "glove50 30 16 0.003",
		"tme9-lstm data=wordy":                             "corpus 12 16 0.003",
		"tme9-lstm data=french":                            "corpus 30 16 0.003",
		"tme9-lstm data=large":                             "corpus 42 64 0.001",
		"tme9-lstm data=large data.limit=1000":             "corpus 10 16 0.003",
		"tme9-lstm data=tiny optimizer=sgd":                "glove50 30 16 0.1",
		"tme9-lstm data=tiny vectors=corpus lr=0.02":       "corpus 30 16 0.02",
		"tme9-lstm data=tiny vectors=auto epochs=3":        "glove50 3 16 0.003",
		"tme9-lstm data=tiny vectors.dim=20 batch=8":       "corpus 30 8 0.001",
		"tme9-query data=tiny variant=original":            "glove50 30 16 0.008",
		"tme10-self data=tiny":                             "glove50 30 16 0.001",
		"best data=tiny":                                   "glove50 30 16 0.003",
		"best data=wordy":                                  "corpus 12 16 0.003",
		"best data=tiny vectors=corpus":                    "corpus 30 16 0.003",
		"ngram-mean data=tiny":                             "random 30 16 0.003",
		"bow-lr data=tiny":                                 "auto 30 64 0.001 3",
		"bow-lr data=tiny c=5":                             "auto 30 64 0.001 5",
		"bow-lr data=wordy":                                "auto 30 64 0.001 100",
		"bow-lr data=large":                                "auto 30 64 0.001 100",
		"nbsvm data=tiny":                                  "auto 30 64 0.001 0.1",
		"ngram-mean data=short":                            "random 6 16 0.003",
		"ngram-mean data=wordy":                            "random 12 16 0.003",
		"transformer data=wordy":                           "corpus 12 32 0.001",
		"tme9-lstm data=gone":                              "corpus 42 64 0.001",
		"tme9-lstm data=imdb":                              "glove50 42 64 0.001",
		"tme9-lstm data=sample":                            "corpus 6 16 0.01",
		"tme9-lstm data=sample variant=original lr=0.0001": "corpus 6 16 0.0001",
	} {
		require.Equal(t, want, values(strings.Fields(words)...), words)
	}

	plans := must.Get(plan.Resolve(t.Context(), []string{"tme9-simple", "data=tiny", "seed=1..2"}, "sample"))(t)
	chosen := must.Get((&plan.Adapter{Dir: dir}).Adapt(t.Context(), plans))(t)
	require.Equal(t, []string{
		"tiny: vectors=glove50 (fewer than 250000 words are too few to train vectors)",
		"tiny: epochs=30 batch=16 lr=0.003 (chosen for 300 training reviews)",
	}, chosen, "each once")
	plans = must.Get(plan.Resolve(t.Context(), []string{"tme9-simple", "nbsvm", "data=tiny"}, "sample"))(t)
	require.Equal(t, []string{
		"tiny: vectors=glove50 (fewer than 250000 words are too few to train vectors)",
		"tiny: epochs=30 batch=16 lr=0.003 (chosen for 300 training reviews)",
	}, must.Get((&plan.Adapter{Dir: dir}).Adapt(t.Context(), plans))(t))
	require.Contains(t, plans[0].Adapted(), "vectors=glove50")
	require.Equal(t, "the amount of data", plans[0].Config(nil).From["epochs"])
}

func TestIdleSettings(t *testing.T) {
	for words, want := range map[string][]string{
		"tme9-lstm schedule.factor=0.5": {"schedule.factor=0.5 has no effect under schedule=constant: it needs schedule=step"},
		"tme9-lstm schedule.factor=0.1": nil, // as it is anyway
		"tme9-lstm schedule=constant,step schedule.factor=0.5": {
			"schedule.factor=0.5 has no effect under schedule=constant: it needs schedule=step"},
		"tme9-lstm schedule=step schedule.factor=0.5":    nil,
		"tme10-self positions.max=600":                   {"positions.max=600 has no effect under positions=none: it needs positions=learned"},
		"tme10-self positions=learned positions.max=600": nil,
		"tme10-self slip.pad=true slip.batch_slot_norm=true norm=layer": {
			"norm=layer has no effect under slip.batch_slot_norm=true: it needs slip.batch_slot_norm=false"},
		"tme10-self slip.pad=true slip.batch_slot_norm=true norm=none norm.place=after": {
			"norm=none has no effect under slip.batch_slot_norm=true: it needs slip.batch_slot_norm=false"},
		"tme10-self norm=none norm.place=after": {
			"norm.place=after has no effect under norm=none and slip.batch_slot_norm=false: it needs norm other than none, or slip.batch_slot_norm=true"},
		"multihead heads=1 heads.penalty=0.1":             {"heads.penalty=0.1 has no effect under heads=1: it needs heads other than 1"},
		"multihead heads=1,2 heads.penalty=0.1":           {"heads.penalty=0.1 has no effect under heads=1: it needs heads other than 1"},
		"seq2seq-luong score=concat scale=sqrt_k":         {"scale=sqrt_k has no effect under score=concat: it needs score=dot or general"},
		"seq2seq-luong score=dot scale=sqrt_k":            nil,
		"seq2seq-luong beam=1 beam.alpha=0":               {"beam.alpha=0 has no effect under beam=1: it needs beam other than 1"},
		"seq2seq-luong beam.alpha=0":                      nil,
		"tme9-simple slip.choose_on_test=true":            {"slip.choose_on_test=true has no effect under select=last and patience=0: it needs select=best, or patience other than 0"},
		"tme9-simple slip.choose_on_test=true patience=2": nil,
		"tme9-lstm vectors=mine vectors.dim=50":           {"vectors.dim=50 has no effect under vectors=mine: it needs vectors=corpus or random or auto"},
		"tme9-lstm vectors=mine,corpus vectors.dim=50":    {"vectors.dim=50 has no effect under vectors=mine: it needs vectors=corpus or random or auto"},
		"tme9-lstm vectors=glove50 vectors.dim=50":        nil, // as it is anyway
		"tme9-lstm vectors=mine":                          nil,
	} {
		plans := must.Get(plan.Resolve(t.Context(), strings.Fields(words), "sample"))(t)
		require.Equal(t, want, plan.Idle(plans), words)
	}
	// Nobody is told of what the experiments say, each with its rows and slips.
	for _, e := range experiments.All() {
		plans := must.Get(plan.Resolve(t.Context(), []string{e.Name, "variant=" + strings.Join(append(e.Variants(), "default"), ",")}, "sample"))(t)
		require.Empty(t, plan.Idle(plans), e.Name)
	}
}

// What settings need is there, and can be had.
func TestNeedsAreSettings(t *testing.T) {
	for _, name := range models.Names() {
		info := must.Get(models.Lookup(name))(t)
		set := must.Get(settings.New(&settings.Run{}, info.New()))(t)
		for _, s := range set.All() {
			for one := range strings.FieldsSeq(s.Needs) {
				key, values, _ := strings.Cut(one, "=")
				other, known := set.Get(strings.TrimSuffix(key, "!"))
				require.True(t, known, "%s of %s needs %s", s.Key, info.Name, one)
				for value := range strings.SplitSeq(values, "|") {
					ok := other.Choices == nil || slices.Contains(other.Choices, value)
					require.True(t, ok, "%s of %s needs %s", s.Key, info.Name, one)
				}
			}
		}
	}
}

// ofChoice finds the words that begin a text as its only word, or follow "of".
var ofChoice = regexp.MustCompile(`(^\w+( and \w+)?$|\bof \w+( and \w+)?)`)
