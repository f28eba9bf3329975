package infer

import (
	"context"
	"encoding/binary"

	"imdbexp/dataset"
	"imdbexp/dataset/folder"
	"imdbexp/dataset/token"
	"imdbexp/runs"
)

// TrainingTexts are the training texts of a run, as sequences of words. Its methods find none in nil.
type TrainingTexts struct {
	tokenizer token.Tokenizer
	numbers   map[string]int32 // of the words
	known     map[string]bool  // by the words' numbers, 4 bytes each
}

// TrainingTexts returns the training texts of the run with the configuration c; nil if they are not known: its data are
// not installed or have changed since, or a part was left out of training (data.train, data.exclude).
func (m *Model) TrainingTexts(ctx context.Context, dir string, c *runs.Config) *TrainingTexts {
	if m.settings.Train != 0 || m.settings.Exclude != "none" {
		return nil
	}
	corpus, err := m.OpenCorpus(ctx, dir, c.Data.Name, folder.Options{})
	if err != nil || DataChanged(c, corpus.Digest) != nil {
		return nil
	}
	t := &TrainingTexts{m.tokenizer, dataset.Index(corpus.Vocab.Words), map[string]bool{}}
	for _, b := range corpus.Train.First(m.settings.Limit, len(corpus.Classes)) {
		t.known[numbered(corpus.Train.Words(b))] = true
	}
	return t
}

func numbered(words []int32) string {
	b := make([]byte, 0, 4*len(words))
	for _, n := range words {
		b = binary.NativeEndian.AppendUint32(b, uint32(n))
	}
	return string(b)
}

// Has reports whether one of the texts has the same words.
func (t *TrainingTexts) Has(text string) bool {
	if t == nil {
		return false
	}
	words := make([]int32, 0, len(text)/4)
	t.tokenizer.Split(text, func(word []byte, _, _ int) {
		n, in := t.numbers[string(word)]
		if !in {
			n = -1
		}
		words = append(words, n)
	})
	return t.known[numbered(words)]
}

// Count returns how many of the test reviews of another data set are among the texts; limit is as in TestSplit.
func (t *TrainingTexts) Count(c *dataset.Corpus, limit int) (n int) {
	if t == nil {
		return 0
	}
	number := make([]int32, len(c.Vocab.Words))
	for id, w := range c.Vocab.Words {
		in := false
		if number[id], in = t.numbers[w]; !in {
			number[id] = -1
		}
	}
	for _, b := range c.Test.First(limit, len(c.Classes)) {
		words := make([]int32, 0, len(c.Test.Words(b)))
		for _, id := range c.Test.Words(b) {
			words = append(words, number[id])
		}
		if t.known[numbered(words)] {
			n++
		}
	}
	return n
}
