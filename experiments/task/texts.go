package task

import (
	"context"
	"fmt"
	"slices"

	"imdbexp/dataset"
	"imdbexp/dataset/embedding"
	"imdbexp/dataset/folder"
	"imdbexp/internal/ragged"
	"imdbexp/internal/settings"
	"imdbexp/models"
	"imdbexp/runs"
)

// textTask guesses the words of texts. It reads the reviews of train and those without labels, and forgets
// the labels; the test reviews are never read. A part of these texts is its test set.
type textTask struct{ reviewTask }

func (textTask) Kind() *runs.Task { return runs.Texts }

func (textTask) Ignored() runs.Ignored { return runs.IgnoredOn[runs.TextsKind] }

func (t textTask) Check(set *settings.Set, r *settings.Run) error {
	if r.OOV == "learned" {
		return settings.Misfit("oov=learned trains a vector, and the vectors of the words are what the model guesses: choose mean or zero")
	}
	if r.SelectBy == "macro_f1" {
		return settings.Misfit("select.by=macro_f1: texts without labels have no classes; choose by accuracy or loss")
	}
	return refuse(t, set, "is a setting of models that classify reviews")
}

// testTexts is the share of the texts that is not trained on, at least one text.
const testTexts = 0.02

func (textTask) open(ctx context.Context, l *Loader, k dataKey) (*Data, error) {
	d := &Data{key: k, Name: k.data, Digests: map[string]string{}}
	c, err := corpus(ctx, l, k, folder.Options{Extra: true}, d.Digests)
	if err != nil {
		return nil, err
	}
	v, err := l.vectorsOf(ctx, c, k)
	if err != nil {
		return nil, err
	}
	d.Digests["vectors"] = v.Digest
	all, _, table := embedding.Encode(textsOf(c), v, embedding.Options{OOV: embedding.OOV(k.oov), MaxLen: k.maxLen, Limit: k.limit})
	d.Table = table
	if d.Train, d.Test, err = dataset.HoldOut(all, max(testTexts, 1/float64(max(all.Len(), 1))), 1); err != nil {
		return nil, fmt.Errorf("data=%s: %d texts to learn from are too few: %w", k.data, all.Len(), err)
	}
	if len(d.Test.IDs) == d.Test.Len() {
		return nil, fmt.Errorf("data=%s: the texts held out have one word each, and none to guess: add longer texts", k.data)
	}
	d.keep = d.keepTable
	return d, nil
}

// textsOf returns the reviews of train and those without labels as one split, all with the label 0. Its
// vocabulary, whose order decides which words are frequent, is that of these texts alone.
func textsOf(c *dataset.Corpus) *dataset.Corpus {
	a, b, counts := &c.Train, &c.Extra, make([]int64, len(c.Vocab.Words))
	all := dataset.Split{
		IDs: slices.Concat(a.IDs, b.IDs), Names: slices.Concat(a.Names, b.Names),
		Labels: make([]int32, a.Len()+b.Len()), Offsets: slices.Clone(a.Offsets),
	}
	for i := range b.Len() {
		all.Offsets = append(all.Offsets, len(a.IDs)+b.Offsets[i+1])
	}
	for _, id := range all.IDs {
		counts[id]++
	}
	out := &dataset.Corpus{Head: c.Head, Train: all, Test: dataset.Split{Offsets: []int{0}}}
	var place []int32
	out.Vocab, place = dataset.SortVocab(c.Vocab.Words, counts)
	for i, id := range all.IDs {
		all.IDs[i] = place[id]
	}
	out.Classes = []string{"text"}
	return out
}

func (textTask) Tester(d *Data, _ models.Spec) Tester {
	return &guesses{names: d.Test.Names, rows: make(runs.Guessed, d.Test.Len())}
}

// guesses collects how well the words of the test texts are guessed.
type guesses struct {
	evaluated
	names []string
	rows  runs.Guessed // by the text's position in the split
}

func (g *guesses) Collect(b *ragged.Batch, n *models.Network) {
	losses := n.Losses()
	made, right := n.Output().Objective.(*models.Words).Made()
	for i, text := range b.Reviews {
		g.rows[text] = runs.GuessedText{Text: g.names[text], Words: int(made[i]), Right: int(right[i]), Loss: losses[i] / max(made[i], 1)}
	}
}

func (g *guesses) Answers(context.Context, *runs.Metrics) (runs.Answers, error) {
	return slices.DeleteFunc(g.rows, func(t runs.GuessedText) bool { return t.Text == "" }), nil
}
