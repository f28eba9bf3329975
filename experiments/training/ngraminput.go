package training

import (
	"context"
	"fmt"
	"slices"

	"imdbexp/dataset"
	"imdbexp/dataset/ngrams"
	"imdbexp/experiments/task"
	"imdbexp/internal/ops"
	"imdbexp/internal/settings"
	"imdbexp/internal/sparse"
	"imdbexp/models"
	"imdbexp/models/counts"
	"imdbexp/runs"
)

// ngramInput is the second input of a network's classifier: the scores of a Counting model for each
// review. It is fitted once, before the first step, and saved in checkpoints.
type ngramInput struct {
	run    *settings.Run
	counts models.Counts
	folds  int
	data   *task.Data
	pool   *ops.Pool
	scorer *counts.Scorer // nil until fitted or loaded
	kept   []byte         // the encoded n-grams
	scores []float32      // of train [B, C], from the folds
}

// newNgramInput returns nil for a model without a second input.
func newNgramInput(m models.Model, r *settings.Run, d *task.Data, pool *ops.Pool) *ngramInput {
	wide, folds := models.WideInput(m)
	if wide == nil {
		return nil
	}
	return &ngramInput{run: r, counts: wide.Counts(), folds: folds, data: d, pool: pool}
}

// Fit is the progress of fitting the n-grams of a network's second input.
type Fit struct {
	What        string // the current part
	Done, Total int    // parts of the work
	Weights     int    // of the n-grams, when all is done
}

// ready fits the n-grams unless they are fitted or loaded. tell may be nil.
func (w *ngramInput) ready(ctx context.Context, tell func(Fit)) error {
	if w.scorer != nil {
		return nil
	}
	if tell == nil {
		tell = func(Fit) {}
	}
	if err := w.fit(ctx, tell); err != nil {
		return fmt.Errorf("n-grams of the second input: %w", err)
	}
	return nil
}

// fit finds the n-grams of train and their weights, and scores each fold of train by a fit on the
// other folds. A fold is a range of each class by name: IMDB's reviews of one film have neighbouring
// numbers and so are in one fold, as none of a film in test is in train. Reviews with the same words
// go to one fold, too.
func (w *ngramInput) fit(ctx context.Context, tell func(Fit)) error {
	train, words := w.data.Train, w.data.Table.Words
	parts := w.folds + 2
	tell(Fit{What: "finding n-grams", Total: parts})
	f, err := ngrams.Learn(w.pool, worded{train}, words, ngrams.Options{Max: w.counts.Longest, MinCount: w.counts.MinCount, Top: w.counts.Most})
	if err != nil {
		return err
	}
	scorer := counts.New(w.counts, f, len(w.data.Classes))
	x, err := scorer.Matrix(w.pool, worded{train}, words)
	if err != nil {
		return err
	}
	classes := len(w.data.Classes)
	fold, dealt, sizes := make([]int, train.Len()), make([]int, classes), make([]int, classes)
	for _, y := range train.Labels {
		sizes[y]++
	}
	equal := train.Duplicates()
	for b, y := range train.Labels {
		fold[b] = dealt[y] * w.folds / sizes[y]
		dealt[y]++
		if group := equal[b]; group != nil {
			fold[b] = fold[group[0]]
		}
	}
	scores := make([]float32, train.Len()*classes)
	for k := range w.folds {
		tell(Fit{What: fmt.Sprintf("fitting n-grams without part %d of %d", k+1, w.folds), Done: 1 + k, Total: parts})
		if err := w.solve(ctx, scorer, x, train.Labels, func(b int) bool { return fold[b] != k }); err != nil {
			return err
		}
		own, err := scorer.Scores(w.pool, pick(x, func(b int) bool { return fold[b] == k }))
		if err != nil {
			return err
		}
		for b := range fold {
			if fold[b] == k {
				own = own[copy(scores[b*classes:][:classes], own):]
			}
		}
	}
	tell(Fit{What: "fitting n-grams", Done: parts - 1, Total: parts})
	if err := w.solve(ctx, scorer, x, train.Labels, func(int) bool { return true }); err != nil {
		return err
	}
	if w.kept, err = f.MarshalBinary(); err != nil {
		return err
	}
	w.scorer, w.scores = scorer, scores
	tell(Fit{What: "n-grams fitted", Done: parts, Total: parts, Weights: w.count()})
	return nil
}

// count returns the number of weights, 0 until they are fitted.
func (w *ngramInput) count() int {
	if w.scorer == nil {
		return 0
	}
	return len(w.scorer.W.Data)
}

// maxSolved limits the steps of a solver; a few suffice.
const maxSolved = 50

// solve fits the weights of the scorer on some of the reviews.
func (w *ngramInput) solve(ctx context.Context, to *counts.Scorer, x *sparse.Matrix, labels []int32, on func(b int) bool) error {
	l := &linear{run: w.run, counts: w.counts, scorer: to}
	x = pick(x, on)
	var own []int32
	for b, y := range labels {
		if on(b) {
			own = append(own, y)
		}
	}
	err := l.setUp(w.pool, x, own, len(w.data.Classes))
	for steps := 0; err == nil && !l.done() && steps < maxSolved; steps++ {
		if err = ctx.Err(); err == nil {
			_, err = l.solver.Step()
		}
	}
	if err == nil {
		l.setWeights()
	}
	return err
}

// pick returns the rows of a matrix for which on is true.
func pick(x *sparse.Matrix, on func(row int) bool) *sparse.Matrix {
	out := &sparse.Matrix{Cols: x.Cols, Start: []int{0}}
	for b := range x.Rows {
		if !on(b) {
			continue
		}
		index, value := x.Row(b)
		out.Rows++
		out.Index, out.Start = append(out.Index, index...), append(out.Start, len(out.Index)+len(index))
		if x.Value != nil {
			out.Value = append(out.Value, value...)
		}
	}
	return out
}

// score returns the scores of a split [B, C]; those of train come from the folds.
func (w *ngramInput) score(e *dataset.Encoded) ([]float32, error) {
	if e == w.data.Train && w.scores != nil {
		return w.scores, nil
	}
	x, err := w.scorer.Matrix(w.pool, worded{e}, w.data.Table.Words)
	if err != nil {
		return nil, err
	}
	return w.scorer.Scores(w.pool, x)
}

// wideScores is the name of the scores of train in a checkpoint.
const wideScores = "wide.train"

// save puts the n-grams, their weights and the scores of train into a checkpoint.
func (w *ngramInput) save(c *runs.Checkpoint) {
	c.States = append(c.States, runs.Tensor{Name: models.WideFeatures, Shape: []int{len(w.kept)}, Data: w.kept})
	for _, x := range w.scorer.Weights() {
		c.States = append(c.States, runs.Tensor{Name: models.WidePrefix + x.Name, Shape: []int{x.Rows, x.Cols}, Data: x.Data})
	}
	c.States = append(c.States, runs.Tensor{Name: wideScores, Shape: []int{len(w.scores)}, Data: w.scores})
}

// load restores them.
func (w *ngramInput) load(c *runs.Checkpoint) (err error) {
	if err = w.loadWeights(c); err == nil {
		w.scores, err = runs.TensorValues[float32](c.States, wideScores, w.data.Train.Len()*len(w.data.Classes))
	}
	return err
}

// loadWeights restores the n-grams and their weights, with which any text can be scored.
func (w *ngramInput) loadWeights(c *runs.Checkpoint) error {
	i := slices.IndexFunc(c.States, func(t runs.Tensor) bool { return t.Name == models.WideFeatures })
	if i < 0 {
		return fmt.Errorf("checkpoint: %s is missing", models.WideFeatures)
	}
	kept, _ := c.States[i].Data.([]byte)
	s, err := counts.Load(w.counts, len(w.data.Classes), kept, models.WideWeights(runs.Matrices(c.States)))
	if err != nil {
		return err
	}
	w.scorer, w.kept, w.scores = s, kept, nil
	return nil
}
