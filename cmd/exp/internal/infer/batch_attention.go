package infer

import "fmt"

// Attention returns how much attention each word of text i gets [n]: of models with
// one weight a word that weight, of self-attention what the word receives in the
// last layer, on average over its heads, from [CLS] where there is one, else from
// all words. It adds up to one (less what padding gets, where slip.pad lets it take
// part in pool=attention). It is nil for a model without attention.
func (b *Batch) Attention(i int) ([]float32, error) {
	if a := b.model.network.Attention(); a != nil {
		return append([]float32(nil), a[b.seen[b.place[i]]+b.front:][:b.words[i]]...), nil
	}
	if n := len(b.model.network.Heads()); n > 0 {
		return b.wordsReceived(n-1, i)
	}
	return nil, nil
}

// Layers returns the number of heads in each layer of self-attention; nil for a
// model without.
func (b *Batch) Layers() []int { return b.model.Layers() }

// Layers is that of its batches.
func (m *Model) Layers() []int { return m.network.LayerHeads() }

// Front returns how many words the model itself puts before each text: 1 with
// [CLS], else 0.
func (b *Batch) Front() int { return b.front }

// Seen returns the number of words of text i among which self-attention chooses:
// its own, Front before them, and the padding behind them that slip.pad adds.
func (b *Batch) Seen(i int) int {
	at := b.place[i]
	return b.seen[at+1] - b.seen[at]
}

// AttentionRow returns the weights with which one word looks at each word of text i
// [Seen(i)], in one head of one layer; they add up to one, but with
// slip.softmax_queries. The query counts from 0 with [CLS] among the words: word k
// of the text is Front()+k. What is out of range is an error.
func (b *Batch) AttentionRow(layer, head, i, query int) ([]float32, error) {
	if n := len(b.model.network.Heads()); layer < 0 || layer >= n {
		return nil, fmt.Errorf("layer %d of self-attention: the model has %d", layer, n)
	}
	row := make([]float32, b.Seen(i))
	return row, b.model.network.AttentionRow(row, layer, head, b.place[i], query)
}

// wordsReceived returns how much each word of text i is looked at in one layer of
// self-attention [n], on average over its heads: by [CLS], where there is one, else
// by all words of the text. It adds up to one over the words, so that what [CLS]
// and padding receive is left out.
func (b *Batch) wordsReceived(layer, i int) ([]float32, error) {
	sum, err := b.columnSums(i, layer, -1)
	if err != nil {
		return nil, err
	}
	sum = sum[b.front:][:b.words[i]]
	normalise(sum)
	out := make([]float32, len(sum))
	for j, s := range sum {
		out[j] = float32(s)
	}
	return out, nil
}
