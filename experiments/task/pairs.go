package experiments

import (
	"context"
	"slices"
	"strings"

	"imdbexp/dataset"
	"imdbexp/dataset/token"
	"imdbexp/internal/bleu"
	"imdbexp/models"
	"imdbexp/runs"
)

// openPairs opens the sentence pairs of a key. Their table of word vectors is empty:
// what translates has embeddings of its own.
func (l *Loader) openPairs(ctx context.Context, k dataKey) (*Data, error) {
	p, err := dataset.OpenPairs(ctx, l.Dir, k.data, dataset.PairOptions{
		Tokenizer: k.tokens, Limit: k.limit, MaxLen: k.maxLen, Progress: l.Progress,
	})
	if err != nil {
		return nil, err
	}
	return &Data{
		key: k, Name: k.data, Digests: map[string]string{"data": p.Digest},
		Train: p.Train, Test: p.Test, Table: new(dataset.Table), Pairs: p,
	}, nil
}

// putWords keeps what the run's words are beside the runs, and returns its digest.
func (d *Data) putWords(dir string) (digest string, err error) {
	if p := d.Pairs; p != nil {
		return runs.PutVocabularies(dir, &runs.Vocabularies{Source: p.Source.Words(), Target: p.Target.Words()})
	}
	return runs.PutTable(dir, &runs.Table{Words: d.Table.Words, Rows: d.Table.Rows, Dim: d.Table.Dim, OOV: dataset.OOVRow})
}

// testPairs returns the words of both sides of the test pairs as they were written,
// also those that train does not have.
func (d *Data) testPairs() (sources, references [][]string, err error) {
	tok, err := token.Get(d.Pairs.Tokenizer)
	if err != nil {
		return nil, nil, err
	}
	words := func(text string) (out []string) {
		for _, t := range token.Tokens(tok, text) {
			out = append(out, t.Word)
		}
		return out
	}
	for _, p := range d.Pairs.TestText {
		sources, references = append(sources, words(p.Source)), append(references, words(p.Target))
	}
	return sources, references, nil
}

// translations joins the test pairs with what was made of them greedily and by beam
// search.
func (d *Data) translations(greedy, beam []models.Translation) ([]runs.Translation, error) {
	sources, references, err := d.testPairs()
	if err != nil {
		return nil, err
	}
	text, out := func(words []string) string { return strings.Join(words, " ") }, make([]runs.Translation, len(greedy))
	for i, name := range d.Test.Names {
		out[i] = runs.Translation{
			Pair: name, Source: text(sources[i]), Reference: text(references[i]),
			Greedy: d.Pairs.Target.Text(greedy[i].Words), GreedyScore: greedy[i].LogProb,
			Beam: d.Pairs.Target.Text(beam[i].Words), BeamScore: beam[i].LogProb,
		}
	}
	return out, nil
}

// score compares translations of the test pairs with their references: how many are
// the same word for word, in percent, and BLEU of their words.
func (d *Data) score(list []models.Translation) (exact float64, s bleu.Score, err error) {
	_, references, err := d.testPairs()
	if err != nil {
		return 0, s, err
	}
	var corpus bleu.Corpus
	right := 0
	for i, t := range list {
		var words []string
		for _, id := range t.Words {
			words = append(words, d.Pairs.Target.Word(id))
		}
		corpus.Add(words, references[i])
		if slices.Equal(words, references[i]) {
			right++
		}
	}
	return 100 * float64(right) / float64(len(list)), corpus.Score(), nil
}
