package infer

import (
	"context"
	"strings"

	"imdbexp/dataset"
	"imdbexp/dataset/folder"
	"imdbexp/dataset/token"
	"imdbexp/runs"
)

// TrainingTexts are the training texts of a run. Its methods find none in nil.
type TrainingTexts struct {
	tokenizer token.Tokenizer
	known     map[string]bool // by their words, each with a line end
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
	t := &TrainingTexts{m.tokenizer, map[string]bool{}}
	for _, text := range joined(corpus, dataset.Train, m.settings.Limit) {
		t.known[text] = true
	}
	return t
}

// joined returns the words of the first limit reviews of each class of a part, as in known.
func joined(c *dataset.Corpus, p dataset.Part, limit int) (out []string) {
	for _, b := range c.Part(p).First(limit, len(c.Classes)) {
		var text strings.Builder
		for _, id := range c.Part(p).Words(b) {
			text.WriteString(c.Vocab.Words[id])
			text.WriteByte('\n')
		}
		out = append(out, text.String())
	}
	return out
}

// Has reports whether one of the texts has the same words.
func (t *TrainingTexts) Has(text string) bool {
	if t == nil {
		return false
	}
	var words []byte
	t.tokenizer.Split(text, func(word []byte, _, _ int) { words = append(append(words, word...), '\n') })
	return t.known[string(words)]
}

// Count returns how many of the test reviews of another data set are among the texts; limit is as in TestSplit.
func (t *TrainingTexts) Count(c *dataset.Corpus, limit int) (n int) {
	if t == nil {
		return 0
	}
	for _, text := range joined(c, dataset.Test, limit) {
		if t.known[text] {
			n++
		}
	}
	return n
}
