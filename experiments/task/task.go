// Package task answers what a run learns: to tell the classes of reviews, by the vectors of
// their words or by counting, or to translate sentences. All that differs between these
// stands here, behind one interface; who resolves settings, trains or shows asks it, and not
// which of them it is.
package task

import (
	"context"

	"imdbexp/internal/ragged"
	"imdbexp/internal/settings"
	"imdbexp/models"
	"imdbexp/models/translate"
	"imdbexp/runs"
)

// Task is reviews, as words or counted, or sentence pairs.
type Task interface {
	// Kept says what a run of the task keeps.
	Kept() *runs.Task

	// AutoData returns what data=auto means, where auto is what it means to models of
	// reviews.
	AutoData(auto string) string
	// AutoVectors returns what vectors=auto means on those data.
	AutoVectors(data string) string
	// Means reports whether a general setting means anything.
	Means(key string) bool
	// Check refuses settings that would have no effect.
	Check(set *settings.Set, r *settings.Run) error

	// Sizes fills in of a spec what the data folder dir decides, and trains nothing.
	Sizes(ctx context.Context, dir string, r *settings.Run) (models.Spec, error)
	// Exam is of the test split of the task's data, for the model that spec builds.
	Exam(d *Data, spec models.Spec) Exam

	open(ctx context.Context, l *Loader, k dataKey) (*Data, error)
}

// Of returns the task of a model.
func Of(m models.Model) Task {
	switch m.(type) {
	case translate.Translator:
		return pairTask{}
	case models.Counting:
		return countTask{}
	}
	return reviewTask{}
}

// OfRun returns the task of a kept run.
func OfRun(c *runs.Config) Task {
	switch {
	case c.Task() == runs.Pairs:
		return pairTask{}
	case c.Counts():
		return countTask{}
	}
	return reviewTask{}
}

// Exam is what a model is asked about the test split, beside its loss.
type Exam interface {
	// Score adds to the metrics of an epoch what an evaluation does not give.
	Score(ctx context.Context, m *runs.Metrics) error
	// Collect is called for each batch of an evaluation, after the network has run on it.
	Collect(b *ragged.Batch, n *models.Network)
	// Answers returns the model's answers, from what Collect has kept or by asking the
	// model, for the run to keep, and does what Score does.
	Answers(ctx context.Context, m *runs.Metrics) (runs.Answers, error)
	Close() error
}
