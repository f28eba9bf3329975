// Package task has the tasks of a run behind one interface: to classify reviews by the vectors of
// their words, to classify them by counting n-grams, to translate sentences, or to guess words.
package task

import (
	"cmp"
	"context"
	"slices"

	"imdbexp/dataset"
	"imdbexp/dataset/embedding"
	"imdbexp/dataset/pairs"
	"imdbexp/internal/ops"
	"imdbexp/internal/ragged"
	"imdbexp/internal/settings"
	"imdbexp/models"
	"imdbexp/models/translate"
	"imdbexp/runs"
)

// Task is what a run learns: classes of reviews, translations, or words.
type Task interface {
	// Kind returns how a run of the task stores its results.
	Kind() *runs.Task

	// AutoData returns the data set of data=auto; auto is the one for models of reviews.
	AutoData(auto string) string
	// AutoVectors returns the vectors of vectors=auto on a data set.
	AutoVectors(data string) string
	// Ignored returns the general settings that have no effect on models of the task.
	Ignored() runs.Ignored
	// Check refuses settings that would have no effect.
	Check(set *settings.Set, r *settings.Run) error

	// Sizes returns the fields of a spec that depend on the data folder dir. It trains nothing.
	Sizes(ctx context.Context, dir string, r *settings.Run) (models.Spec, error)
	// Tester returns a tester on the test set of the data, for the model that spec builds.
	Tester(d *Data, spec models.Spec) Tester

	open(ctx context.Context, l *Loader, k dataKey) (*Data, error)
}

// Of returns the task of a model.
func Of(m models.Model) Task {
	switch m.(type) {
	case translate.Translator:
		return pairTask{}
	case models.Counting:
		return countTask{}
	case models.Reader:
		return textTask{}
	}
	return reviewTask{}
}

// Tester evaluates a model on the test set and collects its predictions.
type Tester interface {
	// Score adds the metrics of an epoch that an evaluation of the loss does not give.
	Score(ctx context.Context, m *runs.Metrics) error
	// Collect is called for each batch of an evaluation, after the network has run on it.
	Collect(b *ragged.Batch, n *models.Network)
	// Answers returns the predictions or translations that the run keeps; it also does what
	// Score does.
	Answers(ctx context.Context, m *runs.Metrics) (runs.Answers, error)
	Close() error
}

// evaluated is the part of a Tester that needs nothing but the evaluation of the model.
type evaluated struct{}

func (evaluated) Score(context.Context, *runs.Metrics) error { return nil }

func (evaluated) Close() error { return nil }

// Data is the data set of a run: the words of its splits as rows of a table of word vectors, or of
// two vocabularies for sentence pairs.
type Data struct {
	Name               string
	Classes            []string
	Train, Valid, Test *dataset.Encoded  // Valid is nil if nothing is chosen by a score
	Table              *embedding.Table  // empty for models with their own embeddings
	Digests            map[string]string // of the data and of the vectors

	kind    string // runs.NgramsKind for n-grams, else that of the task
	key     dataKey
	divided *division                                   // of the loader's data: the last division of train
	from    *Data                                       // the loader's data, which this copy keeps in memory
	keep    func(dir string) (digest string, err error) // see Keep
	pairs   *pairs.Corpus                               // nil for reviews
}

// Keep stores the words and vectors of the run in a folder of runs and returns their digest.
func (d *Data) Keep(dir string) (digest string, err error) { return d.keep(dir) }

// Spec returns the specification of a network that is trained on the data.
func (d *Data) Spec(m models.Model, r *settings.Run, w *models.Weights, pool *ops.Pool) models.Spec {
	in, out := d.Table.Dim, len(d.Classes)
	if d.pairs != nil {
		in, out = d.pairs.Source.Len(), d.pairs.Target.Len()
	}
	return models.Spec{
		Model: m, Weights: w, Pool: pool, In: in, Out: out,
		Training: true, TrainRows: r.TrainVectors || r.Unknown() == string(embedding.OOVLearned),
		Thinned: r.WordDrop > 0, Seed: r.Seed, ClassWeights: ClassWeights(r, d.Train.Labels, out),
	}
}

// ClassWeights returns the weights of the classes for class.weights=balanced: n/(C·m) for a class
// of m of the n reviews with these labels. It returns nil for class.weights=none.
func ClassWeights(r *settings.Run, labels []int32, classes int) []float32 {
	if r.ClassWeights != "balanced" {
		return nil
	}
	out := make([]float32, classes)
	for _, y := range labels {
		out[y]++
	}
	for c, m := range out {
		if m > 0 {
			out[c] = float32(len(labels)) / (float32(classes) * m)
		}
	}
	return out
}

// Imbalanced reports whether the largest class has over 60 % of the training reviews, which makes
// accuracy a poor score. share is the share of the largest class.
func (d *Data) Imbalanced() (share float64, unequal bool) {
	if len(d.Classes) == 0 || d.Train.Len() == 0 {
		return 0, false
	}
	counts := make([]int, len(d.Classes))
	for _, y := range d.Train.Labels {
		counts[y]++
	}
	largest, n := slices.Max(counts), d.Train.Len()
	return float64(largest) / float64(n), 10*largest > 6*n
}

// Facts returns the sizes of the data for the configuration of a run.
func (d *Data) Facts() runs.DataFacts {
	part := func(e *dataset.Encoded) (p runs.Part) {
		if e != nil {
			p.Reviews, p.Words = e.Len(), len(e.IDs)
		}
		if e != nil && e.Targets != nil {
			p.Targets = len(e.Targets.IDs)
		}
		return p
	}
	return runs.DataFacts{Name: d.Name, Kind: cmp.Or(d.kind, d.key.task.Kind().Kind), Train: part(d.Train), Valid: part(d.Valid), Test: part(d.Test)}
}
