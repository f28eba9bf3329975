package infer

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"gonum.org/v1/gonum/stat"
	"imdbexp/dataset/token"
)

// CLS is the name of the word that some models put before a text.
const CLS = "[CLS]"

// Selection chooses one of a model's attentions. The zero value is the weight of each word. In layers of
// self-attention it is the attention that each word receives in the last layer, on average over
// its heads. Layers and heads count from 1.
type Selection struct {
	Layer int    // 0: the last
	Head  int    // 0: the mean of all heads of the layer
	Word  string // the attention of this word: a word, its number from 1, or [CLS]
}

// Attended is the attention of a model to a text of n words.
type Attended struct {
	Weights []float32 `json:"-"`       // [n]
	CLS     float32   `json:"cls"`     // weight of [CLS], if it is attended to
	Padding float32   `json:"padding"` // weight of padding (slip.pad); all weights together add up to one
	Choices int       `json:"choices"` // number of positions attended to: n, and [CLS] and padding
	Entropy float64   `json:"entropy"` // in nats, between 0 (one position) and log Choices (uniform)
	What    string    `json:"what"`    // description
}

// Select returns the attention that o chooses for text i, which was encoded as e; nil for a model
// without attention. It returns a SelectionError if the model or the text does not have it.
func (b *Batch) Select(i int, e Encoded, o Selection) (*Attended, error) {
	heads := b.Layers()
	if pooled := b.model.network.Attention() != nil; o == (Selection{}) && (pooled || heads == nil) {
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
		return nil, SelectionErrorf("the model has no layers of self-attention to choose from")
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
// mean of all. heads has the number of heads of each layer.
func (o Selection) Choose(heads []int) (layer, head int, err error) {
	if layer = o.Layer - 1; o.Layer == 0 {
		layer = len(heads) - 1
	}
	if layer < 0 || layer >= len(heads) {
		return 0, 0, SelectionErrorf("layer %d: the model has layers 1 to %d", o.Layer, len(heads))
	}
	if o.Head < 0 || o.Head > heads[layer] {
		return 0, 0, SelectionErrorf("in layer %d: head %d: the model has heads 1 to %d", layer+1, o.Head, heads[layer])
	}
	return layer, o.Head - 1, nil
}

// query returns the position of the word whose attention is chosen, counting [CLS], and its name for
// messages.
func (b *Batch) query(i int, e Encoded, word string) (place int, name string, err error) {
	n := len(e.Rows)
	if bare := strings.Trim(word, "[]"); strings.EqualFold(bare, "cls") && (b.front > 0 || bare != word) {
		if b.front == 0 {
			return 0, "", SelectionErrorf("word %s: the model has none", CLS)
		}
		return 0, CLS, nil
	}
	if len(e.Words) != n {
		return 0, "", SelectionErrorf("word %q: the words of this text are not available; omit the word", word)
	}
	number, notNumber := strconv.Atoi(word)
	k := number - 1
	if notNumber != nil || k < 0 || k >= n { // in a short text 10 may be a word
		k = slices.IndexFunc(e.Words, func(w token.Token) bool { return strings.EqualFold(w.Word, word) })
	}
	switch {
	case k < 0 && notNumber != nil:
		return 0, "", SelectionErrorf("word %q is not one of the %d words of the text that the model reads", word, n)
	case k < 0:
		return 0, "", SelectionErrorf("word %s: the model reads words 1 to %d of the text", word, n)
	}
	return b.front + k, fmt.Sprintf("word %d, %q,", k+1, e.Words[k].Word), nil
}

// columnSums returns the attention that [CLS], the words and the padding of text i receive, summed
// over one head or all (-1): from [CLS] if there is one, because the classifier reads only that, else
// from all words.
func (b *Batch) columnSums(i, layer, head int) ([]float64, error) {
	all, err := b.columns(layer)
	if err != nil {
		return nil, err
	}
	words := b.seen[len(b.seen)-1]
	sum := make([]float64, b.Seen(i))
	for h := range len(all) / words {
		if head >= 0 && h != head {
			continue
		}
		for j, w := range all[h*words+b.seen[b.place[i]]:][:len(sum)] {
			sum[j] += float64(w)
		}
	}
	return sum, nil
}

// columns returns the attention that every word of the batch receives in each head of a layer
// [H, N]. It is computed for all texts at the first call.
func (b *Batch) columns(layer int) ([]float32, error) {
	heads := b.model.network.Heads()
	if b.gets == nil {
		b.gets = make([][]float32, len(heads))
	}
	if b.gets[layer] == nil {
		queries := make([]int, len(b.place)) // of the packed texts
		for i, at := range b.place {
			if queries[at] = b.words[i]; b.front > 0 {
				queries[at] = b.front
			}
		}
		all := make([]float32, heads[layer].Cols*b.seen[len(b.seen)-1])
		if err := b.model.network.AttentionReceived(all, layer, func(at int) int { return queries[at] }); err != nil {
			return nil, err
		}
		b.gets[layer] = all
	}
	return b.gets[layer], nil
}

// row returns the attention of a query, averaged over one head or all (-1).
func (b *Batch) row(i, layer, head, query int) ([]float64, error) {
	sum := make([]float64, b.Seen(i))
	for h := range b.Layers()[layer] {
		if head >= 0 && h != head {
			continue
		}
		row, err := b.AttentionRow(layer, h, i, query)
		if err != nil {
			return nil, err
		}
		for j, w := range row {
			sum[j] += float64(w)
		}
	}
	return sum, nil
}

// normalise scales weights to a sum of one. Sums over several queries or heads need it, and so does
// one query with slip.softmax_queries. With that slip the queries of the padding may take all of the
// attention; then the weights stay 0.
func normalise(weights []float64) {
	total := 0.0
	for _, w := range weights {
		total += w
	}
	if total == 0 {
		return
	}
	for j := range weights {
		weights[j] /= total
	}
}

// attended splits a row into [CLS], words and padding.
func (b *Batch) attended(i int, row []float64) *Attended {
	a := &Attended{Choices: len(row), Entropy: Entropy(row)}
	words := row[b.front:][:b.words[i]]
	a.Weights = Float32s(words)
	if b.front > 0 {
		a.CLS = float32(row[0])
	}
	for _, w := range row[b.front+len(words):] {
		a.Padding += float32(w)
	}
	return a
}

// Float32s rounds numbers.
func Float32s(list []float64) []float32 {
	out := make([]float32, len(list))
	for i, v := range list {
		out[i] = float32(v)
	}
	return out
}

// Entropy returns the entropy of a distribution in nats.
func Entropy(p []float64) float64 {
	return max(0, stat.Entropy(p))
}

// rest returns one minus the sum of weights.
func rest(weights []float32) float32 {
	sum := 0.0
	for _, w := range weights {
		sum += float64(w)
	}
	if sum > 1-1e-4 {
		return 0 // rounding
	}
	return float32(1 - sum)
}

// Attention returns the attention that each word of text i receives [n]. In self-attention it is
// that of the last layer, on average over its heads, from [CLS] if there is one, else from all
// words. It adds up to one, less the share of padding with slip.pad and pool=attention. It is nil
// for a model without attention.
func (b *Batch) Attention(i int) ([]float32, error) {
	if a := b.model.network.Attention(); a != nil {
		return append([]float32(nil), a[b.seen[b.place[i]]+b.front:][:b.words[i]]...), nil
	}
	n := len(b.model.network.Heads())
	if n == 0 {
		return nil, nil
	}
	sum, err := b.columnSums(i, n-1, -1)
	if err != nil {
		return nil, err
	}
	sum = sum[b.front:][:b.words[i]]
	normalise(sum)
	return Float32s(sum), nil
}

// Layers returns the number of heads in each layer of self-attention; nil for a
// model without.
func (b *Batch) Layers() []int { return b.model.Layers() }

// Layers returns the number of heads in each layer of self-attention; nil for a model without.
func (m *Model) Layers() []int { return m.network.LayerHeads() }

// Front returns the number of words that the model adds before each text: 1 with [CLS], else 0.
func (b *Batch) Front() int { return b.front }

// Seen returns the number of words of text i for self-attention: its own, Front before them, and
// the padding after them with slip.pad.
func (b *Batch) Seen(i int) int {
	at := b.place[i]
	return b.seen[at+1] - b.seen[at]
}

// AttentionRow returns the attention of one word to each word of text i [Seen(i)], in one head of
// one layer. It adds up to one, except with slip.softmax_queries. The query counts from 0 with
// [CLS] among the words: word k of the text is Front()+k.
func (b *Batch) AttentionRow(layer, head, i, query int) ([]float32, error) {
	row := make([]float32, b.Seen(i))
	return row, b.model.network.AttentionRow(row, layer, head, b.place[i], query)
}
