package infer

import "fmt"

// Attention returns the attention that each word of text i receives [n]. In self-attention it is
// that of the last layer, on average over its heads, from [CLS] if there is one, else from all
// words. It adds up to one, less the share of padding with slip.pad and pool=attention. It is nil
// for a model without attention.
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
	if n := len(b.model.network.Heads()); layer < 0 || layer >= n {
		return nil, fmt.Errorf("layer %d of self-attention: the model has %d", layer, n)
	}
	row := make([]float32, b.Seen(i))
	return row, b.model.network.AttentionRow(row, layer, head, b.place[i], query)
}

// wordsReceived returns the attention that each word of text i receives in one layer of
// self-attention [n], on average over its heads: from [CLS] if there is one, else from all words.
// It adds up to one over the words; the shares of [CLS] and padding are omitted.
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
