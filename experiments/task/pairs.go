package task

import (
	"context"
	"errors"

	"imdbexp/dataset/embedding"
	"imdbexp/dataset/folder"
	"imdbexp/dataset/pairs"
	"imdbexp/dataset/phrases"
	"imdbexp/internal/settings"
	"imdbexp/models"
	"imdbexp/runs"
)

// pairTask translates sentences.
type pairTask struct{}

func (pairTask) Kind() *runs.Task { return runs.Pairs }

func (pairTask) AutoData(string) string { return phrases.Name }

// AutoVectors is never used: translators have their own embeddings.
func (pairTask) AutoVectors(string) string { return "auto" }

func (pairTask) Ignored() runs.Ignored { return runs.IgnoredOn[runs.PairsKind] }

func (t pairTask) Check(set *settings.Set, r *settings.Run) error {
	if r.SelectBy == "macro_f1" {
		return errors.New("select.by=macro_f1: sentence pairs have no classes; choose by accuracy, which is that of the next word, or loss")
	}
	return refuse(t, set, "is a setting of models that classify reviews")
}

// Sizes returns the sizes of the vocabularies.
func (pairTask) Sizes(ctx context.Context, dir string, r *settings.Run) (models.Spec, error) {
	p, err := folder.Pairs(ctx, dir, r.Data.Data, pairs.Options{Tokenizer: r.Tokenizer(), Limit: r.Limit, MaxLen: r.MaxLen})
	if err != nil {
		return models.Spec{}, err
	}
	return models.Spec{In: p.Source.Len(), Out: p.Target.Len()}, nil
}

func (pairTask) open(ctx context.Context, l *Loader, k dataKey) (*Data, error) {
	p, err := folder.Pairs(ctx, l.Dir, k.data, pairs.Options{
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

// Exam returns an exam for which the model translates.
func (pairTask) Exam(d *Data, spec models.Spec) Exam { return &translations{data: d, spec: spec} }
