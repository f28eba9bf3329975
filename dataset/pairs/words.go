package pairs

import (
	"slices"
	"strings"
	"sync"

	"imdbexp/dataset"
	"imdbexp/dataset/token"
	"imdbexp/internal/ragged"
)

// The first IDs of the vocabulary of either side of sentence pairs.
const (
	UnknownID   int32 = 0                // any word that train does not have
	FirstWordID       = ragged.EndID + 1 // behind it, BeginID and EndID
)

// marks are how the first IDs are shown.
var marks = [FirstWordID]string{"<unk>", "<s>", "</s>"}

// Words is the vocabulary of one side of sentence pairs, V IDs: the three above,
// then words by falling count in train, equal counts in the order of their bytes.
type Words struct {
	words []string // [V − FirstWordID]
	index func() map[string]int32
}

// NewWords returns the vocabulary where words[i] has the ID FirstWordID + i.
func NewWords(words []string) *Words {
	return &Words{words, sync.OnceValue(func() map[string]int32 { return dataset.Index(words) })}
}

// Len returns V.
func (w *Words) Len() int { return len(w.words) + int(FirstWordID) }

// Words returns the words from FirstWordID on, for NewWords; not to be changed.
func (w *Words) Words() []string { return w.words }

// Word returns the word with that ID, or <unk>, <s> or </s>.
func (w *Words) Word(id int32) string {
	if id < FirstWordID {
		return marks[id]
	}
	return w.words[id-FirstWordID]
}

// ID returns the ID of a word, UnknownID if train does not have it.
func (w *Words) ID(word string) int32 {
	if id, ok := w.index()[word]; ok {
		return id + FirstWordID
	}
	return UnknownID
}

// Encode splits any text into words as New did. tokens[i] is the word of
// ids[i]; a text without any word is UnknownID alone with an empty token.
func (w *Words) Encode(tok token.Tokenizer, text string) (ids []int32, tokens []token.Token) {
	tokens = token.Tokens(tok, text)
	if len(tokens) == 0 {
		tokens = []token.Token{{}}
	}
	ids = make([]int32, len(tokens))
	for i, t := range tokens {
		ids[i] = w.ID(t.Word)
	}
	return ids, tokens
}

// Text joins words by spaces.
func (w *Words) Text(ids []int32) string {
	words := make([]string, len(ids))
	for i, id := range ids {
		words[i] = w.Word(id)
	}
	return strings.Join(words, " ")
}

// split returns the words of both sides of pairs.
func split(tok token.Tokenizer, pairs []Pair) (words [2][][]string) {
	for _, p := range pairs {
		for side, text := range []string{p.Source, p.Target} {
			var list []string
			tok.Split(text, func(word []byte, _, _ int) { list = append(list, string(word)) })
			words[side] = append(words[side], list)
		}
	}
	return words
}

// countWords returns the vocabulary of sentences.
func countWords(sentences [][]string) *Words {
	index, words, counts := map[string]int{}, []string(nil), []int64(nil)
	for _, w := range slices.Concat(sentences...) {
		i, ok := index[w]
		if !ok {
			i = len(words)
			index[w], words, counts = i, append(words, w), append(counts, 0)
		}
		counts[i]++
	}
	vocab, _ := dataset.SortVocab(words, counts)
	return NewWords(vocab.Words)
}

// encode replaces words by their IDs.
func (p *Corpus) encode(pairs []Pair, words [2][][]string) *dataset.Encoded {
	e := p.Source.encode(pairs, words[0])
	e.Targets = p.Target.encode(pairs, words[1])
	return e
}

// encode replaces the words of one side by their IDs; a sentence without any
// is UnknownID alone.
func (w *Words) encode(pairs []Pair, sentences [][]string) *dataset.Encoded {
	e := dataset.NewEncoded(len(pairs), 0)
	for i, words := range sentences {
		var ids []int32
		for _, word := range words {
			ids = append(ids, w.ID(word))
		}
		if len(ids) == 0 {
			ids = []int32{UnknownID}
		}
		e.Add(ids, 0, pairs[i].ID)
	}
	return e
}
