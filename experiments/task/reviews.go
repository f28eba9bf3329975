package task

import (
	"context"
	"errors"
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"

	"imdbexp/dataset"
	"imdbexp/dataset/corpusvec"
	"imdbexp/dataset/embedding"
	"imdbexp/dataset/folder"
	"imdbexp/dataset/vectors"
	"imdbexp/internal/ragged"
	"imdbexp/internal/settings"
	"imdbexp/internal/simd"
	"imdbexp/models"
	"imdbexp/runs"
)

// reviewTask classifies reviews by the vectors of their words.
type reviewTask struct{}

func (reviewTask) Kind() *runs.Task { return runs.Reviews }

func (reviewTask) AutoData(auto string) string { return auto }

func (reviewTask) AutoVectors(data string) string {
	if data == "imdb" {
		return "glove50"
	}
	return "corpus"
}

func (reviewTask) Ignored() runs.Ignored { return nil }

// Check refuses settings of trained vectors if the vectors are not trained.
func (reviewTask) Check(_ *settings.Set, r *settings.Run) error {
	switch {
	case !r.TrainVectors && r.VectorsLR != 0:
		return fmt.Errorf("vectors.lr=%g needs vectors.train=true", r.VectorsLR)
	case !r.TrainVectors && r.VectorsAdam != "lazy":
		return fmt.Errorf("vectors.adam=%s needs vectors.train=true", r.VectorsAdam)
	case r.VectorsAdam != "lazy" && r.Optimizer.Optimizer == "sgd":
		return fmt.Errorf("vectors.adam=%s needs optimizer=adam or adamw; sgd moves only the rows of the batch's words", r.VectorsAdam)
	case r.NGrams > 1 && !r.TrainVectors:
		return fmt.Errorf("vectors.ngrams=%d starts with zeros, which only training changes: it needs vectors.train=true", r.NGrams)
	}
	return nil
}

// Sizes returns the sizes of the installed data and vectors. If they are not installed, there are two
// classes, and the setting gives the width of the vectors.
func (reviewTask) Sizes(ctx context.Context, dir string, r *settings.Run) (models.Spec, error) {
	spec := models.Spec{In: width(ctx, dir, r), Out: 2}
	if src, err := folder.Source(dir, r.Data.Data, folder.Options{}); err == nil {
		spec.Out = len(src.Classes())
	}
	return spec, nil
}

// width returns the width of the word vectors.
func width(ctx context.Context, dir string, r *settings.Run) int {
	name := r.Vectors.Vectors
	if slices.Contains([]string{"auto", "corpus", "random"}, name) {
		return r.Dim
	}
	if rest, glove := strings.CutPrefix(name, "glove"); glove {
		if d, err := strconv.Atoi(rest); err == nil && slices.Contains(folder.GloveDims, d) {
			return d
		}
	}
	items, _ := folder.Installed(dir)
	if i := slices.IndexFunc(items, func(i folder.Item) bool { return i.Kind == folder.VectorsKind && i.Name == name }); i >= 0 {
		name = items[i].Path
	}
	if dim, _, err := vectors.Detect(ctx, name); err == nil && dim > 0 {
		return dim
	}
	return r.Dim
}

// corpus opens the reviews of a key, without those of a probe that it excludes. digests gets the
// digests of the content.
func corpus(ctx context.Context, l *Loader, k dataKey, o folder.Options, digests map[string]string) (*dataset.Corpus, error) {
	o.Tokenizer, o.Progress, o.Warn, o.TestSeed = k.tokens, l.Progress, l.Warn, k.testSeed
	if k.exclude != "none" {
		var err error
		if o.Exclude, err = folder.Probe(ctx, l.Dir, k.exclude, o); err != nil {
			return nil, fmt.Errorf("data.exclude=%s: %w", k.exclude, err)
		}
		digests["probe"] = o.Exclude.Digest()
		o.Excluded = func(left [dataset.Parts]int) {
			if l.Warn != nil {
				l.Warn(fmt.Errorf("data.exclude=%s leaves out %d of the reviews of train and %d of those without label",
					k.exclude, left[dataset.Train], left[dataset.Extra]))
			}
		}
	}
	c, err := folder.Corpus(ctx, l.Dir, k.data, o)
	if fixed, is := errors.AsType[*folder.ResplitError](err); is {
		return nil, settings.Misfit("%w", fixed)
	}
	if err == nil {
		digests["data"] = c.Digest
	}
	return c, err
}

// vectorsOf returns the word vectors of a key.
func (l *Loader) vectorsOf(ctx context.Context, c *dataset.Corpus, k dataKey) (*vectors.Set, error) {
	o := folder.Options{Warn: l.Warn}
	switch k.vectors {
	case "corpus":
		return folder.CorpusVectors(ctx, l.Dir, c, corpusvec.Options{Dim: k.dim, Workers: l.Workers, Progress: l.Vectors}, o)
	case "random":
		return vectors.Random(c, k.dim, k.seed), nil
	}
	return folder.Vectors(ctx, l.Dir, k.vectors, c, o)
}

func (reviewTask) open(ctx context.Context, l *Loader, k dataKey) (*Data, error) {
	d := &Data{key: k, Name: k.data, Digests: map[string]string{}}
	c, err := corpus(ctx, l, k, folder.Options{Extra: k.vectors == "corpus"}, d.Digests)
	if err != nil {
		return nil, err
	}
	v, err := l.vectorsOf(ctx, c, k)
	if err != nil {
		return nil, err
	}
	d.Classes, d.Digests["vectors"] = c.Classes, v.Digest
	eo := embedding.Options{OOV: embedding.OOV(k.oov), MaxLen: k.maxLen, Limit: k.limit}
	var train, valid *dataset.Encoded
	if k.trained != (divisionKey{}) {
		whole := Data{key: k}
		whole.Train, _, _ = embedding.Encode(c, v, eo)
		if train, valid, err = k.trained.of(&whole); err != nil {
			return nil, err
		}
		eo.Trained = make(map[string]bool, train.Len())
		for _, name := range train.Names {
			eo.Trained[name] = true
		}
	}
	eo.NGrams, eo.NGramMin = k.ngrams, k.ngramMin
	if err := d.encode(c, v, eo); err != nil {
		return nil, err
	}
	if train != nil {
		d.divided = &division{k.trained, d.Train.Named(train), d.Train.Named(valid)}
	}
	cut := 0 // words of train beyond the first of their reviews; on IMDB 512 words cut 9 %
	for b := range c.Train.Labels {
		if words := len(c.Train.Words(b)); k.maxLen > 0 {
			cut += max(0, words-k.maxLen)
		}
	}
	if share := float64(cut) / float64(max(len(c.Train.IDs), 1)); share > 0.15 && l.Warn != nil {
		l.Warn(fmt.Errorf("data=%s: reviews are cut at %d words, which drops %.0f %% of the words of train; data.max_len=0 keeps them", k.data, k.maxLen, 100*share))
	}
	d.keep = d.keepTable
	return d, nil
}

// encode fills in the splits and the table.
func (d *Data) encode(c *dataset.Corpus, v *vectors.Set, o embedding.Options) error {
	d.Train, d.Test, d.Table = embedding.Encode(c, v, o)
	if d.Train.Len() == 0 || d.Test.Len() == 0 {
		return fmt.Errorf("data=%s: %d reviews to train on and %d to test on: both are needed", d.Name, d.Train.Len(), d.Test.Len())
	}
	return nil
}

func (d *Data) keepTable(dir string) (digest string, err error) {
	return runs.PutTable(dir, &runs.Table{Words: d.Table.Words, Rows: d.Table.Rows, Dim: d.Table.Dim, OOV: embedding.OOVRow})
}

func (reviewTask) Tester(d *Data, _ models.Spec) Tester {
	return &predictions{data: d, rows: make([]runs.Prediction, d.Test.Len())}
}

// predictions collects the predictions of the test reviews.
type predictions struct {
	evaluated
	data *Data
	rows []runs.Prediction // by the review's position in the split
}

func (p *predictions) Collect(b *ragged.Batch, n *models.Network) {
	test, scores, entropies := p.data.Test, n.Probs(), n.Entropies()
	for i, review := range b.Reviews {
		row := runs.Prediction{
			Review: test.Names[review], Label: int(test.Labels[review]), Predicted: simd.ArgMax(scores.Row(i)),
			Words: len(test.Words(int(review))), Entropy: float32(math.NaN()), P: slices.Clone(scores.Row(i)),
		}
		if entropies != nil {
			row.Entropy = entropies[i]
		}
		p.rows[review] = row
	}
}

// Answers omits reviews that slip.drop_last dropped: they have no prediction.
func (p *predictions) Answers(context.Context, *runs.Metrics) (runs.Answers, error) {
	rows := slices.DeleteFunc(p.rows, func(row runs.Prediction) bool { return row.P == nil })
	return &runs.Predictions{Classes: p.data.Classes, Rows: rows}, nil
}

// countTask classifies reviews by their n-grams. Words have IDs and no vectors.
type countTask struct{ reviewTask }

func (countTask) AutoVectors(string) string { return "auto" }

func (countTask) Ignored() runs.Ignored { return runs.IgnoredOn[runs.NgramsKind] }

func (t countTask) Check(set *settings.Set, _ *settings.Run) error {
	return refuse(t, set, "is a setting of networks, and this model counts n-grams")
}

// Sizes returns the number of classes only.
func (t countTask) Sizes(ctx context.Context, dir string, r *settings.Run) (models.Spec, error) {
	spec, err := t.reviewTask.Sizes(ctx, dir, r)
	return models.Spec{Out: spec.Out}, err
}

func (countTask) open(ctx context.Context, l *Loader, k dataKey) (*Data, error) {
	d := &Data{key: k, Name: k.data, kind: runs.NgramsKind, Digests: map[string]string{}}
	c, err := corpus(ctx, l, k, folder.Options{}, d.Digests)
	if err != nil {
		return nil, err
	}
	d.Classes = c.Classes
	words := &vectors.Set{Name: "none", Words: c.Vocab.Words, Rows: make([]float32, len(c.Vocab.Words)), Dim: 1}
	return d, d.encode(c, words, embedding.Options{MaxLen: k.maxLen, Limit: k.limit})
}

// refuse returns an error that names the first of the task's ignored settings that is not at its default.
func refuse(t Task, set *settings.Set, what string) error {
	for _, s := range set.All() {
		if t.Ignored().Has(s.Key) && s.Changed() {
			return fmt.Errorf("%s=%s %s: omit it", s.Key, s.Value, what)
		}
	}
	return nil
}
