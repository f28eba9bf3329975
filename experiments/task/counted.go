package task

import (
	"context"
	"fmt"

	"imdbexp/dataset/embedding"
	"imdbexp/dataset/folder"
	"imdbexp/dataset/vectors"
	"imdbexp/internal/settings"
	"imdbexp/models"
	"imdbexp/runs"
)

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
	d.Train, d.Test, d.Table, err = embedding.Encode(c, words, embedding.Options{MaxLen: k.maxLen, Limit: k.limit})
	if err == nil && (d.Train.Len() == 0 || d.Test.Len() == 0) {
		err = fmt.Errorf("data=%s: %d reviews to train on and %d to test on: both are needed", k.data, d.Train.Len(), d.Test.Len())
	}
	return d, err
}

// refuse returns an error that names the first of the task's ignored settings that is not at its default.
func refuse(t Task, set *settings.Set, what string) error {
	for _, s := range set.All() {
		if why, is := t.Ignored().Find(s.Key); is && s.Changed() {
			return fmt.Errorf("%s=%s %s: omit it; %s", s.Key, s.Value, what, why)
		}
	}
	return nil
}
