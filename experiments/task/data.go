package task

import (
	"cmp"
	"slices"

	"imdbexp/dataset"
	"imdbexp/dataset/embedding"
	"imdbexp/dataset/pairs"
	"imdbexp/internal/ops"
	"imdbexp/internal/settings"
	"imdbexp/models"
	"imdbexp/runs"
)

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

// Unequal reports whether the largest class has over 60 % of the training reviews, which makes
// accuracy a poor score. share is the share of the largest class.
func (d *Data) Unequal() (share float64, unequal bool) {
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
