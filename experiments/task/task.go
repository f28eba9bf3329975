// Package task has the tasks of a run behind one interface: to classify reviews by the vectors of
// their words, to classify them by counting n-grams, to translate sentences, or to guess words.
package task

import (
	"context"

	"imdbexp/internal/ragged"
	"imdbexp/internal/settings"
	"imdbexp/models"
	"imdbexp/models/translate"
	"imdbexp/runs"
)

// Task is the task that a run learns: classes of reviews, translations, or words.
type Task interface {
	// Kind returns how a run of the task stores its results.
	Kind() *runs.Task

	// AutoData returns the data set of data=auto; auto is the one for models of reviews.
	AutoData(auto string) string
	// AutoVectors returns the vectors of vectors=auto on a data set.
	AutoVectors(data string) string
	// Unused returns the general settings that have no effect on models of the task.
	Ignored() runs.Ignored
	// Check refuses settings that would have no effect.
	Check(set *settings.Set, r *settings.Run) error

	// Sizes returns the fields of a spec that depend on the data folder dir. It trains nothing.
	Sizes(ctx context.Context, dir string, r *settings.Run) (models.Spec, error)
	// Exam returns an exam on the test set of the data, for the model that spec builds.
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
	case models.Reader:
		return textTask{}
	}
	return reviewTask{}
}

// Exam evaluates a model on the test set and collects its predictions.
type Exam interface {
	// Score adds the metrics of an epoch that an evaluation of the loss does not give.
	Score(ctx context.Context, m *runs.Metrics) error
	// Collect is called for each batch of an evaluation, after the network has run on it.
	Collect(b *ragged.Batch, n *models.Network)
	// Answers returns the predictions or translations that the run keeps; it also does what
	// Score does.
	Answers(ctx context.Context, m *runs.Metrics) (runs.Answers, error)
	Close() error
}

// evaluated is the part of an exam that needs nothing but the evaluation of the model.
type evaluated struct{}

func (evaluated) Score(context.Context, *runs.Metrics) error { return nil }

func (evaluated) Close() error { return nil }
