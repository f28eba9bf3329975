package infer_test

import (
	"context"
	"errors"
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"imdbexp/dataset"
	"imdbexp/dataset/folder"
	"imdbexp/dataset/token"
	"imdbexp/dataset/vectors"
	"imdbexp/internal/infer"
	"imdbexp/internal/testkit/must"
	"imdbexp/runs"
)

// open rebuilds the model of a small run.
func openRun(t *testing.T, name string, assignments ...string) (*infer.Model, *runs.Run) {
	t.Helper()
	run, pool := train(t, name, append(assignments, "epochs=1", "data.limit=20")...)
	m := must.Get(infer.Open(run, pool))(t)
	t.Cleanup(func() { m.Close() })
	return m, run
}

// A text gets the same bits alone and in company, and attention to its own words.
func TestRunInCompany(t *testing.T) {
	texts := []string{"the film is good .", "", "a dull plot and a witty cast , but the songs are shrill .", "xyzzy", "good"}
	for _, c := range []struct{ name, settings string }{
		{"tme9-mean", ""}, {"ngram-mean", ""}, {"tme9-query", "oov=masked"}, {"tme9-lstm", ""}, {"tme10-cls", "layers=2"}, {"multihead", "heads=2 layers=1"},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			m, _ := openRun(t, c.name, strings.Fields(c.settings)...)
			type answer struct {
				p, weights []float32
				entropy    uint32 // bits
			}
			of := func(b *infer.Batch, i int) answer {
				w := must.Get(b.Attention(i))(t)
				return answer{slices.Clone(b.P(i)), w, math.Float32bits(b.Entropy(i))}
			}
			var alone []answer
			var list []infer.Encoded
			for _, text := range texts {
				list = append(list, m.Encode(text))
				b := must.Get(m.Ask(list[len(list)-1]))(t)
				alone = append(alone, of(b, 0))
			}
			b := must.Get(m.Run(list))(t)
			require.Equal(t, len(texts), b.Len())
			for i, want := range alone {
				require.Equal(t, want, of(b, i), texts[i])
				for l, heads := range b.Layers() {
					for h := range heads {
						row := must.Get(b.AttentionRow(l, h, i, b.Seen(i)-1))(t)
						require.Len(t, row, len(list[i].Rows)+b.Front())
					}
				}
			}
			require.ErrorContains(t, must.Fail(m.Run(nil)), "no texts")
			require.ErrorContains(t, must.Fail(m.Run([]infer.Encoded{{}})), "no words")
		})
	}
}

// With slip.pad a text is predicted as in its batch, and words in the padding do not
// count as its words.
func TestPaddedBatch(t *testing.T) {
	m, _ := openRun(t, "tme10-cls", "layers=1", "slip.pad=true")
	list := []infer.Encoded{m.Encode("good"), m.Encode("the film is not good .")}
	b := must.Get(m.Run(list))(t)
	require.Equal(t, 1, b.Front())
	require.Equal(t, []int{7, 7}, []int{b.Seen(0), b.Seen(1)})
	w := must.Get(b.Attention(0))(t)
	require.Equal(t, []float32{1}, w)
	padded := b.P(0)[0]
	alone := must.Get(m.View("good", infer.Selection{}))(t)
	require.NotEqual(t, padded, alone.P[0])
}

// Streams answer in the order of the texts, with the same bits for any number of
// workers, and all texts that came before an error.
func TestStream(t *testing.T) {
	m, _ := openRun(t, "tme9-simple")
	text := func(i int) string {
		return strings.Repeat("the plot is dull , good or xyzzy . ", i%9) + strconv.Itoa(i)
	}
	const n = 3000
	broken := errors.New("line 3001 is broken")
	stream := func(workers int, end error) (ids []string, out []infer.Answer, err error) {
		err = m.Stream(t.Context(), workers, func(_ context.Context, yield func(infer.Input) error) error {
			for i := range n {
				if err := yield(infer.Input{ID: fmt.Sprint(i), Text: text(i)}); err != nil {
					return err
				}
			}
			return end
		}, func(in []infer.Input, answers []infer.Answer) error {
			for i := range in {
				ids, out = append(ids, in[i].ID), append(out, answers[i])
			}
			return nil
		})
		return ids, out, err
	}
	ids, want := must.Get2(stream(1, nil))(t)
	require.Len(t, want, n)
	for i := 0; i < n; i += 271 {
		require.Equal(t, fmt.Sprint(i), ids[i])
		p := must.Get(m.View(text(i), infer.Selection{}))(t)
		require.Equal(t, p.P, want[i].P)
		require.Equal(t, len(p.Words), want[i].Known+want[i].Unknown)
	}
	_, got, err := stream(5, broken)
	require.ErrorIs(t, err, broken)
	require.Equal(t, want, got)
	full := errors.New("disk full")
	err = m.Stream(t.Context(), 2, func(ctx context.Context, yield func(infer.Input) error) error {
		for {
			if err := yield(infer.Input{Text: "good"}); err != nil {
				return err
			}
		}
	}, func([]infer.Input, []infer.Answer) error { return full })
	require.ErrorIs(t, err, full)
	ctx, cancel := context.WithCancel(t.Context())
	err = m.Stream(ctx, 2, func(ctx context.Context, yield func(infer.Input) error) error {
		cancel()
		return yield(infer.Input{})
	}, func([]infer.Input, []infer.Answer) error { return nil })
	require.ErrorIs(t, err, context.Canceled)
	err = m.Stream(t.Context(), 2, func(context.Context, func(infer.Input) error) error { panic("damaged") }, nil)
	require.ErrorContains(t, err, "damaged")
}

// Words that a run has not met get the vectors that it would have had.
func TestLookUp(t *testing.T) {
	m, run := openRun(t, "tme9-simple")
	before := must.Get(m.View("xyzzy is good", infer.Selection{}))(t)
	require.Equal(t, []string{"xyzzy"}, words(m.Unknown("xyzzy is good")))
	good := m.Vector(m.Encode("good").Rows[0])
	require.NoError(t, m.LookUp(&vectors.Set{Name: "all", Dim: m.Dim(), Words: []string{"plugh", "xyzzy", "is"},
		Rows: slices.Concat(make([]float32, m.Dim()), good, make([]float32, m.Dim()))}))
	p := must.Get(m.View("xyzzy is good", infer.Selection{}))(t)
	require.Equal(t, []bool{true, true, true}, p.Known)
	require.Equal(t, []bool{false, true, true}, before.Known)
	require.Equal(t, p.Weights[0], p.Weights[2], "xyzzy has the vector of good, and is its own")
	require.Equal(t, 1, m.Found())
	require.Empty(t, m.Unknown("xyzzy is good"))
	require.ErrorContains(t, m.LookUp(&vectors.Set{Name: "wide", Dim: 300}), "300 dimensions")
	require.ErrorIs(t, m.LookUpInstalled(t.Context(), t.TempDir(), &run.Config, folder.Options{}), infer.ErrNoLookUp)
}

func words(list []token.Token) []string {
	var out []string
	for _, w := range list {
		out = append(out, w.Word)
	}
	return out
}

// Each text is answered once, in batches of bounded size; that which is too long is
// named.
func TestEach(t *testing.T) {
	m, _ := openRun(t, "tme9-mean")
	rapid.Check(t, func(rt *rapid.T) {
		lengths := append(rapid.SliceOfN(rapid.IntRange(1, 1<<16), 0, 2).Draw(rt, "long"), rapid.SliceOfN(rapid.IntRange(1, 300), 0, 200).Draw(rt, "words")...)
		list, seen, words := make([]infer.Encoded, len(lengths)), make([]int, len(lengths)), make([]int32, 1<<16)
		for i, n := range lengths {
			list[i].Rows = words[:n]
		}
		require.NoError(rt, m.Each(t.Context(), list, func(i int, b *infer.Batch, k int) error {
			seen[i]++
			require.Equal(rt, lengths[i], b.Words(k))
			total := 0
			for j := range b.Len() {
				total += b.Words(j)
			}
			require.True(rt, b.Len() <= 128 && (total <= 1<<15 || b.Len() == 1), "%d texts, %d words", b.Len(), total)
			return nil
		}))
		for i, n := range seen {
			require.Equal(rt, 1, n, "text %d", i)
		}
	})
	m, run := openRun(t, "tme10-cls", "positions=learned", "positions.max=6", "data.max_len=5", "layers=1")
	long := "good film , dull plot ."
	require.Len(t, must.Get(m.View(long, infer.Selection{}))(t).Left, 1, "data.max_len cuts it")
	require.Equal(t, 5, run.Config.General().MaxLen)
	list := []infer.Encoded{m.Encode(long), {Rows: make([]int32, 6)}}
	err := m.Each(t.Context(), list, func(int, *infer.Batch, int) error { return nil })
	require.ErrorContains(t, err, "text 2: 6 words, and positions were learned for 5")
}

// The error for a text that is too long has the name that the caller uses.
func TestLongErrorNamesTheText(t *testing.T) {
	m, _ := openRun(t, "tme10-self", "positions=learned", "positions.max=71", "layers=1") // enough for the run's own reviews
	ctx, dir := t.Context(), t.TempDir()
	const review = "test/0043: 79 words, and positions were learned for 71" // the longest of the first 40 of each class
	corpus := must.Get(m.OpenCorpus(ctx, dir, "sample", folder.Options{}))(t)
	split := must.Get(m.TestSplit(ctx, dir, "sample", 40, folder.Options{}))(t)
	text := strings.Repeat("good ", 72)
	gradients := must.Get(m.Gradients(false))(t)
	defer gradients.Close()
	first := func(int) int { return 0 }
	for _, c := range []struct {
		who, want string
		ask       func() error
	}{
		{"ReadSplit", review, func() error {
			return m.ReadSplit(ctx, corpus, dataset.Test, 40, infer.Selection{}, func([]infer.Reading) error { return nil })
		}},
		{"Answers", review, func() error { _, err := m.Answers(ctx, split, false); return err }},
		{"View", "the text: 72 words", func() error { _, err := m.View(text, infer.Selection{}); return err }},
		{"Gradients", "text 2: 72 words", func() error {
			return gradients.Run([]infer.Encoded{m.Encode("good"), m.Encode(text)}, first, nil)
		}},
		{"Gradients without words", "text 1 has no words", func() error { return gradients.Run([]infer.Encoded{{}}, first, nil) }},
		{"Gradients without texts", "no texts", func() error { return gradients.Run(nil, first, nil) }},
	} {
		require.ErrorContains(t, c.ask(), c.want, c.who)
	}
}

// The gradient along a word's vector is the derivative of the difference of the logits
// when the vector is scaled. A word of the model's own is given a vector that is a little
// longer, by LookUp.
// Dropout, batch norm, penalties and smoothing must not show: the model is asked as
// in evaluation.
func TestGradientTimesInput(t *testing.T) {
	const step = 1.0 / 64
	text := []string{"dull", "plot", ",", "good", "songs", "qzx", "film"}
	for _, c := range []struct{ name, settings string }{
		{"tme9-mean", ""},
		{"tme9-values", "dropout=0.5 lambda=0.5"},
		{"tme9-lstm", "lstm.bidirectional=true"},
		{"tme10-self", "layers=2 norm=batch layer.dropout=0.5 attention.dropout=0.5"},
		{"transformer", "layers=1"},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			m, _ := openRun(t, c.name, strings.Fields(c.settings)...)
			rows := m.Encode(strings.Join(text, " ")).Rows
			require.Len(t, rows, len(text), "each is one word to the tokeniser")
			longer := &vectors.Set{Name: "longer", Dim: m.Dim()}
			for i := range text {
				for _, way := range []struct {
					name  string
					scale float32
				}{{"up", 1 + step}, {"down", 1 - step}} {
					longer.Words = append(longer.Words, way.name+string(rune('a'+i)))
					for _, x := range m.Vector(rows[i]) {
						longer.Rows = append(longer.Rows, x*way.scale)
					}
				}
			}
			require.NoError(t, m.LookUp(longer))
			p := must.Get(m.View(strings.Join(text, " "), infer.Selection{}))(t)
			g := must.Get(m.Gradients(false))(t)
			defer g.Close()
			// The same text twice, to see that texts of a batch are told apart.
			list := []infer.Encoded{m.Encode("good"), m.Encode(strings.Join(text, " "))}
			got := make([][]float64, len(list))
			require.NoError(t, g.Run(list, func(int) int { return 1 }, func(i int, d infer.Derived) {
				for k := range list[i].Rows {
					got[i] = append(got[i], 0)
					for j, x := range d.X(k) {
						got[i][k] += float64(x) * float64(d.D(k)[j])
					}
				}
				if i == 1 {
					require.InDelta(t, math.Log(float64(p.P[1])/float64(p.P[0])), d.Margin, 1e-4)
				}
			}))
			require.Len(t, got[0], 1)
			margin := func(i int, way string) float64 {
				changed := append([]string(nil), text...)
				changed[i] = way + string(rune('a'+i))
				p := must.Get(m.View(strings.Join(changed, " "), infer.Selection{}))(t)
				return math.Log(float64(p.P[1]) / float64(p.P[0]))
			}
			largest := 0.0
			for i := range text {
				slope := (margin(i, "up") - margin(i, "down")) / (2 * step)
				require.InDelta(t, slope, got[1][i], 2e-4+0.05*math.Abs(slope), "%s", text[i])
				largest = max(largest, math.Abs(slope))
			}
			require.Greater(t, largest, 1e-3, "something must be seen: %v", p.P)
		})
	}
}
