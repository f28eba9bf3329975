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

// splitPair is a pair and its words.
type splitPair struct {
	Pair
	words [2][]string // of source and target
}

// encode fills in the splits and the vocabularies. It omits training pairs with a side of
// more than maxLen words, unless maxLen is 0.
func (p *Corpus) encode(tok token.Tokenizer, train, test []Pair, maxLen int) {
	kept, rest := splitPairs(tok, train), splitPairs(tok, test)
	if maxLen > 0 {
		kept = slices.DeleteFunc(kept, func(x splitPair) bool { return max(len(x.words[0]), len(x.words[1])) > maxLen })
	}
	p.Source, p.Target = countWords(kept, 0), countWords(kept, 1)
	p.Train, p.Test = p.encodeBoth(kept), p.encodeBoth(rest)
	p.TrainText, p.TestText = texts(kept), test
}

func splitPairs(tok token.Tokenizer, pairs []Pair) []splitPair {
	out := make([]splitPair, len(pairs))
	for i, p := range pairs {
		out[i].Pair = p
		for side, text := range []string{p.Source, p.Target} {
			tok.Split(text, func(word []byte, _, _ int) {
				out[i].words[side] = append(out[i].words[side], string(word))
			})
		}
	}
	return out
}

func texts(pairs []splitPair) []Pair {
	out := make([]Pair, len(pairs))
	for i, p := range pairs {
		out[i] = p.Pair
	}
	return out
}

// countWords returns the vocabulary of one side.
func countWords(pairs []splitPair, side int) *Words {
	index, words, counts := map[string]int{}, []string(nil), []int64(nil)
	for _, p := range pairs {
		for _, w := range p.words[side] {
			i, ok := index[w]
			if !ok {
				i = len(words)
				index[w], words, counts = i, append(words, w), append(counts, 0)
			}
			counts[i]++
		}
	}
	vocab, _ := dataset.SortVocab(words, counts)
	return NewWords(vocab.Words)
}

func (p *Corpus) encodeBoth(pairs []splitPair) *dataset.Encoded {
	e := p.Source.encodeSide(pairs, 0)
	e.Targets = p.Target.encodeSide(pairs, 1)
	return e
}

// encodeSide replaces the words of one side by their IDs; a sentence without any
// is UnknownID alone.
func (w *Words) encodeSide(pairs []splitPair, side int) *dataset.Encoded {
	e := dataset.NewEncoded(len(pairs), 0)
	for _, p := range pairs {
		from := len(e.IDs)
		for _, word := range p.words[side] {
			e.IDs = append(e.IDs, w.ID(word))
		}
		if len(e.IDs) == from {
			e.IDs = append(e.IDs, UnknownID)
		}
		e.Add(nil, 0, p.ID)
	}
	return e
}
