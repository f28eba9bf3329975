package pairs

import (
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
