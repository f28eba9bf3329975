package infer_test

import (
	"iter"
	"math"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"imdbexp/dataset"
	"imdbexp/dataset/folder"
	"imdbexp/dataset/vectors"
	"imdbexp/internal/infer"
	"imdbexp/internal/testkit/must"
	"imdbexp/runs"
)

// Answers to a run's own test reviews, and the readings of its split, are those that it kept, to the bit,
// also where they depend on the batches, and where some reviews were left out.
func TestSplitAgreesWithTheRun(t *testing.T) {
	for _, c := range []struct{ name, settings string }{
		{"tme9-simple", "oov=masked data.max_len=12 vectors=corpus"},
		{"tme9-lstm", "wide=nbsvm average=0.9 word.dropout=0.2 pool.max=true"},
		{"tme9-lstm", "batch=16 slip.drop_last=true"},
		{"tme9-values", "variant=original"},
		{"tme10-cls", "heads=2 layers=2"},
		{"tme10-self", "slip.pad=true slip.drop_last=true batch=16 pool=attention layers=1"},
		{"tme10-self", "layers=1 slip.pad=true slip.pad_statistics=true norm.eval=batch batch=9"},
		{"tme10-cls", "layers=1 slip.pad=true slip.batch_slot_norm=true batch=16 slip.drop_last=true"},
	} {
		t.Run(c.name+" "+c.settings, func(t *testing.T) {
			t.Parallel()
			m, run := openRun(t, c.name, strings.Fields(c.settings)...)
			require.Equal(t, strings.Contains(c.settings, "slip.pad"), m.BatchDependent())
			kept := must.Get(run.Predictions())(t)
			s := must.Get(m.TestSplit(t.Context(), t.TempDir(), "sample", 20, folder.Options{}))(t)
			answers := must.Get(m.Answers(t.Context(), s, true))(t)
			require.Len(t, answers, len(kept.Rows))
			want := map[string]runs.Prediction{}
			for i, row := range kept.Rows {
				want[row.Review] = row
				answers[i].Review, answers[i].Label = s.Names[i], int(s.Labels[i])
				require.Equal(t, row, answers[i].Prediction)
			}
			corpus := must.Get(m.OpenCorpus(t.Context(), t.TempDir(), "sample", folder.Options{}))(t)
			tally := m.NewTally(corpus)
			read := 0
			for r := range eachOf(t, m, corpus, 20) {
				read++
				tally.Add(r)
				row, ok := want[r.ID]
				if !ok {
					require.Less(t, len(want), s.Len(), "slip.drop_last")
					continue
				}
				require.Equal(t, row.P, r.P, r.ID)
				require.Equal(t, []int{row.Label, row.Predicted, row.Words}, []int{r.Label, r.Class, len(r.Words)})
				if read%7 > 0 || m.BatchDependent() {
					continue // finding a text takes time
				}
				text := must.Get(infer.Reviews(t.Context(), t.TempDir(), run, []string{r.ID}))(t)[0].Text
				v := must.Get(m.View(text, infer.Selection{}))(t)
				require.Equal(t, v.Attended.Weights, r.Attended.Weights)
				for i, w := range v.Words {
					require.Equal(t, w.Word, corpus.Vocab.Words[r.Words[i]])
				}
			}
			require.GreaterOrEqual(t, read, len(want), "all reviews are read")
			checkTally(t, tally)
		})
	}
}

// The attention to all words of the vocabulary adds up to the reviews' weights, without
// [CLS] and padding.
func checkTally(t *testing.T, tally *infer.Tally) {
	t.Helper()
	count, share := 0, 0.0
	all := tally.List(1)
	for i, w := range all {
		count += w.Count
		share += w.Share
		labelled := 0
		for _, n := range w.Classes {
			labelled += n
		}
		require.Equal(t, w.Count, labelled)
		class, part := w.Class()
		require.Equal(t, float64(w.Classes[class])/float64(w.Count), part)
		require.GreaterOrEqual(t, part, 0.5)
		require.True(t, i == 0 || all[i-1].Ratio >= w.Ratio)
	}
	require.Equal(t, tally.Words, count)
	require.InDelta(t, 1, share, 0.35)
	require.LessOrEqual(t, share, 1+1e-4)
	for _, w := range tally.List(5) {
		require.GreaterOrEqual(t, w.Count, 5)
	}
}

func TestReviews(t *testing.T) {
	run := &runs.Run{Config: runs.Config{Data: runs.DataFacts{Name: "sample"}}}
	found := must.Get(infer.Reviews(t.Context(), t.TempDir(), run, []string{"test/0002", "train/0001", "test/0002"}))(t)
	require.Equal(t, []string{"test/0002", "train/0001", "test/0002"}, []string{found[0].ID, found[1].ID, found[2].ID})
	require.NotEmpty(t, found[1].Text)
	for id, hint := range map[string]string{"tset/0002": "did you mean test/0002?", "nothing like it": ""} {
		_, err := infer.Reviews(t.Context(), t.TempDir(), run, []string{id})
		require.ErrorContains(t, err, "review "+id+" is not in sample")
		require.ErrorContains(t, err, hint)
	}
	first := must.Get(infer.Reviews(t.Context(), t.TempDir(), run, nil))(t)
	require.Equal(t, "test/0001", first[0].ID)
}

// Each word of a text is either seen or left out, with its place in the text.
func TestViewCoversTheText(t *testing.T) {
	run, pool := train(t, "tme9-simple", "oov=masked", "data.max_len=40", "epochs=1", "data.limit=10")
	m := must.Get(infer.Open(run, pool))(t)
	defer m.Close()
	text := "The xyzzy ,<br />the is ." + strings.Repeat(" the", 40)
	v := must.Get(m.View(text, infer.Selection{}))(t)
	var masked, beyond, seen []string
	for _, w := range v.Words {
		seen = append(seen, text[w.Start:w.End])
	}
	for _, w := range v.Left {
		require.Equal(t, w.Word, strings.ToLower(text[w.Start:w.End]))
		if w.Masked {
			masked = append(masked, w.Word)
		} else {
			beyond = append(beyond, w.Word)
		}
	}
	require.Equal(t, []string{"The", ",", "the", "is", ".", "the"}, seen[:6])
	require.Len(t, seen, 39)
	require.Equal(t, []string{"xyzzy"}, masked)
	require.Equal(t, slices.Repeat([]string{"the"}, 6), beyond)
	require.Nil(t, v.Slipped(3))

	require.NoError(t, m.LookUp(&vectors.Set{Name: "all", Dim: m.Dim(), Words: []string{"xyzzy"}, Rows: make([]float32, m.Dim())}))
	v = must.Get(m.View(strings.Repeat("the ", 40)+"xyzzy", infer.Selection{}))(t)
	require.Len(t, v.Left, 1)
	require.False(t, v.Left[0].Masked, "it has been found: it only comes too late")
}

// Of reviews that come as rows alone no word can be chosen by name or number, but
// [CLS] can.
func TestReadSplitLooks(t *testing.T) {
	m, _ := openRun(t, "tme10-cls", "layers=1")
	corpus := must.Get(m.OpenCorpus(t.Context(), t.TempDir(), "sample", folder.Options{}))(t)
	read := func(word string) (n int, err error) {
		err = m.ReadSplit(t.Context(), corpus, dataset.Test, 2, infer.Selection{Word: word}, func(list []infer.Reading) error {
			n += len(list)
			return nil
		})
		return n, err
	}
	for _, word := range []string{"3", "film", "9999"} {
		_, err := read(word)
		require.ErrorAs(t, err, new(*infer.SelectionError))
		require.ErrorContains(t, err, "are not available")
	}
	n := must.Get(read(infer.CLS))(t)
	require.Equal(t, 4, n)
}

func TestStrength(t *testing.T) {
	for ratio, want := range map[float64]float64{0: 0, 1: 0, 2: 0.2, 4: 0.4, 32: 1, 1000: 1} {
		require.InDelta(t, want, infer.Strength(ratio), 1e-12)
	}
	require.Zero(t, infer.Strength(math.NaN()))
	rapid.Check(t, func(t *rapid.T) {
		a, b := rapid.Float64Range(0, 1e6).Draw(t, "a"), rapid.Float64Range(0, 1e6).Draw(t, "b")
		require.LessOrEqual(t, infer.Strength(min(a, b)), infer.Strength(max(a, b)))
	})
	require.InDelta(t, 1, infer.Share(math.Log(7), 7), 1e-12)
	require.True(t, math.IsNaN(infer.Share(0, 1)))
}

// eachOf yields each reading of a number of test reviews of each class.
func eachOf(t *testing.T, m *infer.Model, c *dataset.Corpus, limit int) iter.Seq[*infer.Reading] {
	return func(yield func(*infer.Reading) bool) {
		require.NoError(t, m.ReadSplit(t.Context(), c, dataset.Test, limit, infer.Selection{}, func(list []infer.Reading) error {
			for i := range list {
				yield(&list[i])
			}
			return nil
		}))
	}
}

// Words without a vector are counted whether they are shown or not, but only as far as
// data.max_len lets the model see; a review always has a row.
func TestRowsOf(t *testing.T) {
	mean, _ := openRun(t, "tme9-mean", "data.max_len=3")
	masked, _ := openRun(t, "tme9-mean", "data.max_len=3", "oov=masked")
	row := []int32{0, 7, 8, 0} // of the words of a vocabulary: two have no vector
	type result struct {
		words, rows []int32
		lacks       int
	}
	for _, c := range []struct {
		name         string
		ids          []int32
		mean, masked result
	}{
		{"no word", []int32{}, result{[]int32{}, []int32{0}, 0}, result{[]int32{}, []int32{0}, 0}},
		{"none with a vector", []int32{0, 3}, result{[]int32{0, 3}, []int32{0, 0}, 2}, result{[]int32{}, []int32{0}, 2}},
		{"cut", []int32{1, 0, 2, 3, 3}, result{[]int32{1, 0, 2}, []int32{7, 0, 8}, 1}, result{[]int32{1, 2}, []int32{7, 8}, 1}},
	} {
		var got result
		got.words, got.rows, got.lacks = mean.RowsOf(c.ids, row)
		require.Equal(t, c.mean, got, c.name)
		got.words, got.rows, got.lacks = masked.RowsOf(c.ids, row)
		require.Equal(t, c.masked, got, c.name+", masked")
	}
}
