package infer

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"imdbexp/dataset/token"
)

// CLS is the name of the word that some models put before a text.
const CLS = "[CLS]"

// Look chooses one of a model's attentions. The zero value is the weight of each word. In layers of
// self-attention it is the attention that each word receives in the last layer, on average over
// its heads. Layers and heads count from 1.
type Look struct {
	Layer int    // 0: the last
	Head  int    // 0: the mean of all heads of the layer
	Word  string // the attention of this word: a word, its number from 1, or [CLS]
}

// Attended is the attention of a model to a text of n words.
type Attended struct {
	Weights []float32 `json:"-"`       // [n]
	CLS     float32   `json:"cls"`     // weight of [CLS], if it is attended to
	Padding float32   `json:"padding"` // weight of padding (slip.pad); all weights together add up to one
	Choices int       `json:"-"`       // number of positions attended to: n, and [CLS] and padding
	Entropy float64   `json:"entropy"` // in nats, between 0 (one position) and log Choices (uniform)
	What    string    `json:"what"`    // description
}

// Look returns the attention that o chooses for text i, which was encoded as e; nil for a model
// without attention. It returns a LookError if the model or the text does not have it.
func (b *Batch) Look(i int, e Encoded, o Look) (*Attended, error) {
	heads := b.Layers()
	if pooled := b.model.network.Attention() != nil; o == (Look{}) && (pooled || heads == nil) {
		w, err := b.Attention(i)
		if w == nil || err != nil {
			return nil, err
		}
		a := &Attended{Weights: w, Choices: len(w), Entropy: float64(b.Entropy(i)), What: "how much of each word goes into the review's vector"}
		if n := b.model.Members(); n > 1 {
			a.What += fmt.Sprintf(", the mean over %d networks, as is the entropy", n)
		}
		if heads != nil {
			a.Choices = b.Seen(i)
			a.Padding = rest(w)
		}
		return a, nil
	}
	if heads == nil {
		return nil, LookErrorf("the model has no layers of self-attention to choose from")
	}
	layer, head, err := o.Choose(heads)
	if err != nil {
		return nil, err
	}
	in := fmt.Sprintf("in layer %d of %d, ", layer+1, len(heads))
	switch {
	case heads[layer] == 1:
		in += "which has one head"
	case head < 0:
		in += fmt.Sprintf("the mean of its %d heads", heads[layer])
	default:
		in += fmt.Sprintf("head %d of %d", head+1, heads[layer])
	}
	var row []float64
	what := "what each word receives from all words "
	if o.Word != "" {
		var query int
		var name string
		if query, name, err = b.query(i, e, o.Word); err != nil {
			return nil, err
		}
		what = "what " + name + " looks at "
		row, err = b.row(i, layer, head, query)
	} else {
		if b.front > 0 {
			what = "what " + CLS + " looks at "
		}
		row, err = b.columnSums(i, layer, head)
	}
	if err != nil {
		return nil, err
	}
	normalise(row)
	a := b.attended(i, row)
	a.What = what + in
	return a, nil
}

// Choose returns the indices of the layer, by default the last, and of its head, by default -1 for the
// mean of all; heads are those of each layer.
func (o Look) Choose(heads []int) (layer, head int, err error) {
	if layer = o.Layer - 1; o.Layer == 0 {
		layer = len(heads) - 1
	}
	if layer < 0 || layer >= len(heads) {
		return 0, 0, LookErrorf("layer %d: the model has layers 1 to %d", o.Layer, len(heads))
	}
	if o.Head < 0 || o.Head > heads[layer] {
		return 0, 0, LookErrorf("in layer %d: head %d: the model has heads 1 to %d", layer+1, o.Head, heads[layer])
	}
	return layer, o.Head - 1, nil
}

// query returns the position of the word whose attention is chosen, with [CLS] among the words, and
// its name for messages.
func (b *Batch) query(i int, e Encoded, word string) (place int, name string, err error) {
	n := len(e.Rows)
	if bare := strings.Trim(word, "[]"); strings.EqualFold(bare, "cls") && (b.front > 0 || bare != word) {
		if b.front == 0 {
			return 0, "", LookErrorf("word %s: the model has none", CLS)
		}
		return 0, CLS, nil
	}
	if len(e.Words) != n {
		return 0, "", LookErrorf("word %q: the words of this text are not available; omit the word", word)
	}
	number, notNumber := strconv.Atoi(word)
	k := number - 1
	if notNumber != nil || k < 0 || k >= n { // in a short text 10 may be a word
		k = slices.IndexFunc(e.Words, func(w token.Token) bool { return strings.EqualFold(w.Word, word) })
	}
	switch {
	case k < 0 && notNumber != nil:
		return 0, "", LookErrorf("word %q is not one of the %d words of the text that the model reads", word, n)
	case k < 0:
		return 0, "", LookErrorf("word %s: the model reads words 1 to %d of the text", word, n)
	}
	return b.front + k, fmt.Sprintf("word %d, %q,", k+1, e.Words[k].Word), nil
}
