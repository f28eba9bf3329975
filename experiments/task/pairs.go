package task

import (
	"context"
	"errors"
	"slices"
	"strings"

	"imdbexp/dataset/embedding"
	"imdbexp/dataset/folder"
	"imdbexp/dataset/pairs"
	"imdbexp/dataset/phrases"
	"imdbexp/dataset/token"
	"imdbexp/internal/bleu"
	"imdbexp/internal/ragged"
	"imdbexp/internal/settings"
	"imdbexp/models"
	"imdbexp/models/translate"
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
	p, err := folder.Pairs(ctx, l.Dir, k.data, pairs.Options{Tokenizer: k.tokens, Limit: k.limit, MaxLen: k.maxLen, Progress: l.Progress})
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

// Tester returns a tester for which the model translates.
func (pairTask) Tester(d *Data, spec models.Spec) Tester { return &translations{data: d, spec: spec} }

// translations are a model's translations of the test pairs. The loss is computed with the words of
// the reference as the decoder's input; here the input is the words that the model has chosen.
type translations struct {
	data    *Data
	spec    models.Spec
	decoder *translate.Decoder // nil until something is translated
}

func (t *translations) Close() error {
	if t.decoder == nil {
		return nil
	}
	return t.decoder.Close()
}

func (t *translations) decode(ctx context.Context, o translate.Options) (list []translate.Translation, err error) {
	if t.decoder == nil {
		if t.decoder, err = translate.NewDecoder(t.spec); err != nil {
			return nil, err
		}
	}
	sources := make([][]int32, t.data.Test.Len())
	for i := range sources {
		sources[i] = t.data.Test.Words(i)
	}
	return t.decoder.Translate(ctx, sources, o)
}

// greedy translates greedily and scores the translations.
func (t *translations) greedy(ctx context.Context, m *runs.Metrics) ([]translate.Translation, error) {
	list, err := t.decode(ctx, translate.Options{Beam: 1})
	if err != nil {
		return nil, err
	}
	exact, score, err := t.data.score(list)
	m.TestExact, m.TestBLEU = new(exact), new(score.BLEU)
	return list, err
}

func (t *translations) Score(ctx context.Context, m *runs.Metrics) error {
	_, err := t.greedy(ctx, m)
	return err
}

func (*translations) Collect(*ragged.Batch, *models.Network) {}

// Answers translates greedily and by beam search.
func (t *translations) Answers(ctx context.Context, m *runs.Metrics) (runs.Answers, error) {
	greedy, err := t.greedy(ctx, m)
	if err != nil {
		return nil, err
	}
	shared := t.spec.Model.(translate.Translator).Shared()
	beam, err := t.decode(ctx, translate.Options{Beam: shared.Beam, Alpha: shared.Alpha})
	if err != nil {
		return nil, err
	}
	return t.data.translations(greedy, beam)
}

// testPairs returns the words of both sides of the test pairs as they are written, including words
// that train does not have.
func (d *Data) testPairs() (sources, references [][]string, err error) {
	tok, err := token.Get(d.pairs.Tokenizer)
	if err != nil {
		return nil, nil, err
	}
	words := func(text string) (out []string) {
		for _, t := range token.Tokens(tok, text) {
			out = append(out, t.Word)
		}
		return out
	}
	for _, p := range d.pairs.TestText {
		sources, references = append(sources, words(p.Source)), append(references, words(p.Target))
	}
	return sources, references, nil
}

// translations joins the test pairs with their translations.
func (d *Data) translations(greedy, beam []translate.Translation) (runs.Translations, error) {
	sources, references, err := d.testPairs()
	if err != nil {
		return nil, err
	}
	text, out := func(words []string) string { return strings.Join(words, " ") }, make(runs.Translations, len(greedy))
	for i, name := range d.Test.Names {
		out[i] = runs.Translation{
			Pair: name, Source: text(sources[i]), Reference: text(references[i]),
			Greedy: d.pairs.Target.Text(greedy[i].Words), GreedyScore: greedy[i].LogProb,
			Beam: d.pairs.Target.Text(beam[i].Words), BeamScore: beam[i].LogProb,
		}
	}
	return out, nil
}

// score compares translations of the test pairs with the references: it returns the percentage that
// is equal word for word, and BLEU.
func (d *Data) score(list []translate.Translation) (exact float64, s bleu.Score, err error) {
	_, references, err := d.testPairs()
	if err != nil {
		return 0, s, err
	}
	var corpus bleu.Corpus
	right := 0
	for i, t := range list {
		var words []string
		for _, id := range t.Words {
			words = append(words, d.pairs.Target.Word(id))
		}
		corpus.Add(words, references[i])
		if slices.Equal(words, references[i]) {
			right++
		}
	}
	return 100 * float64(right) / float64(len(list)), corpus.Score(), nil
}
