package task

import (
	"context"
	"fmt"
	"strings"

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

// networksOnly lists the settings, or the first parts of their keys, that have no effect on a model
// that counts n-grams.
var networksOnly = meaningless{
	{"vectors", "n-grams have weights and no vectors"},
	{"oov", "a word that train does not have is part of no n-gram"},
	{"word.dropout", "its solver sees all of train at each step"},
	{"average", "its solver ends at the minimum of the loss"},
	{"batch", "its solver sees all of train at each step"},
	{"clip", "its solver chooses its steps"},
	{"optimizer", "its solver is a trust-region Newton method"},
	{"lr", "its solver chooses its steps"},
	{"momentum", "its solver chooses its steps"},
	{"adam", "its solver is a trust-region Newton method"},
	{"weight_decay", "c weighs the loss against the size of the weights"},
	{"schedule", "its solver chooses its steps"},
	{"slip.whitespace", "tokens=whitespace splits reviews at blanks alone"},
	{"slip", "it is a slip of published code for networks"},
}

func (countTask) Uses(key string) bool {
	_, is := networksOnly.find(key)
	return !is
}

func (countTask) Check(set *settings.Set, _ *settings.Run) error {
	return networksOnly.refuse(set, "is a setting of networks, and this model counts n-grams")
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
	words := &vectors.Set{Name: "none", Words: c.Vocab.Words(), Rows: make([]float32, c.Vocab.Len()), Dim: 1}
	d.Train, d.Test, d.Table, err = embedding.Encode(c, words, embedding.Options{MaxLen: k.maxLen, Limit: k.limit})
	if err == nil && (d.Train.Len() == 0 || d.Test.Len() == 0) {
		err = fmt.Errorf("data=%s: %d reviews to train on and %d to test on: both are needed", k.data, d.Train.Len(), d.Test.Len())
	}
	return d, err
}

// meaningless lists settings, or the first parts of their keys, that have no effect on the models of
// a task, each with its replacement in these models.
type meaningless []struct{ key, instead string }

// find reports whether a setting is in the list, and returns its replacement.
func (list meaningless) find(key string) (instead string, is bool) {
	for _, m := range list {
		if key == m.key || strings.HasPrefix(key, m.key+".") {
			return m.instead, true
		}
	}
	return "", false
}

// refuse returns an error that names the first of the settings that is not at its default.
func (list meaningless) refuse(set *settings.Set, what string) error {
	for _, s := range set.All() {
		if instead, is := list.find(s.Key); is && s.Changed() {
			return fmt.Errorf("%s=%s %s: omit it; %s", s.Key, s.Value, what, instead)
		}
	}
	return nil
}
