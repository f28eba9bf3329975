package task

import (
	"context"

	"imdbexp/dataset/embedding"
	"imdbexp/dataset/open"
	"imdbexp/dataset/pairs"
	"imdbexp/dataset/phrases"
	"imdbexp/internal/settings"
	"imdbexp/models"
	"imdbexp/runs"
)

// pairTask translates sentences.
type pairTask struct{}

func (pairTask) Kept() *runs.Task { return runs.Pairs }

func (pairTask) AutoData(string) string { return phrases.Name }

// AutoVectors is never asked for: what translates has embeddings of its own.
func (pairTask) AutoVectors(string) string { return "auto" }

// reviewsOnly are the settings that mean nothing to a model that translates.
var reviewsOnly = meaningless{
	{"vectors", "a model that translates trains embeddings of its own, for the words of its training pairs"},
	{"oov", "a word that the training pairs do not have has a learned embedding"},
	{"word.dropout", "dropout drops of its sublayers"},
	{"slip.whitespace", "tokens=whitespace splits sentences at blanks alone"},
	{"slip.choose_on_test", "select=best chooses by the validation pairs"},
	{"slip", "it is a slip of published code for reviews"},
}

func (pairTask) Means(key string) bool {
	_, is := reviewsOnly.find(key)
	return !is
}

func (pairTask) Check(set *settings.Set, _ *settings.Run) error {
	return reviewsOnly.refuse(set, "is of models that classify reviews")
}

// Sizes takes the vocabularies of the data.
func (pairTask) Sizes(ctx context.Context, dir string, r *settings.Run) (models.Spec, error) {
	p, err := open.Pairs(ctx, dir, r.Data.Data, pairs.Options{Tokenizer: r.Tokenizer(), Limit: r.Limit, MaxLen: r.MaxLen})
	if err != nil {
		return models.Spec{}, err
	}
	return models.Spec{In: p.Source.Len(), Out: p.Target.Len()}, nil
}

func (pairTask) open(ctx context.Context, l *Loader, k dataKey) (*Data, error) {
	p, err := open.Pairs(ctx, l.Dir, k.data, pairs.Options{
		Tokenizer: k.tokens, Limit: k.limit, MaxLen: k.maxLen, Progress: l.Progress,
	})
	if err != nil {
		return nil, err
	}
	return &Data{
		key: k, Name: k.data, Digests: map[string]string{"data": p.Digest},
		Train: p.Train, Test: p.Test, Table: new(embedding.Table), pairs: p,
		keep: func(dir string) (string, error) {
			return runs.PutVocabularies(dir, &runs.Vocabularies{Source: p.Source.Words(), Target: p.Target.Words()})
		},
	}, nil
}

// Exam has the model translate.
func (pairTask) Exam(d *Data, spec models.Spec) Exam { return &translations{data: d, spec: spec} }
