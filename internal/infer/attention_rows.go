package infer

import (
	"errors"
	"math"
)

// received is what the words of text i get in a layer: from [CLS] where there is
// one, since that alone goes on to the classifier, else from all words alike.
func (b *Batch) received(i, layer, head int, in string) (*Attended, error) {
	first, queries, what := b.front, b.words[i], "what each word receives from all words "
	if b.front > 0 {
		first, queries, what = 0, 1, "what "+CLS+" looks at "
	}
	row, err := b.mean(i, layer, head, first, queries)
	if err != nil {
		return nil, err
	}
	a := b.attended(i, row)
	a.What = what + in
	return a, nil
}

// meanBlock is how many rows of attention one task adds up.
const meanBlock = 64

// mean returns the mean of the rows of some queries, in one head or in all (-1),
// scaled to add up to one: with slip.softmax_queries rows do not. Blocks of rows
// are summed in parallel and added up in their order, so that the result does not
// depend on who sums which.
func (b *Batch) mean(i, layer, head, first, queries int) ([]float64, error) {
	heads := []int{head}
	if head < 0 {
		heads = heads[:0]
		for h := range b.Layers()[layer] {
			heads = append(heads, h)
		}
	}
	seen, blocks := b.Seen(i), (queries+meanBlock-1)/meanBlock
	sums, errs := make([][]float64, len(heads)*blocks), make([]error, len(heads)*blocks)
	err := b.model.pool.For(len(sums), func(k int) {
		row := make([]float32, seen)
		sums[k] = make([]float64, seen)
		from := k % blocks * meanBlock
		for q := from; q < min(from+meanBlock, queries) && errs[k] == nil; q++ {
			errs[k] = b.model.network.AttentionRow(row, layer, heads[k/blocks], b.place[i], first+q)
			for j, w := range row {
				sums[k][j] += float64(w)
			}
		}
	})
	if err = errors.Join(append(errs, err)...); err != nil {
		return nil, err
	}
	sum, total := sums[0], 0.0
	for _, part := range sums[1:] {
		plus(sum, part)
	}
	for _, s := range sum {
		total += s
	}
	for j := range sum {
		sum[j] /= total
	}
	return sum, nil
}

// attended splits a row over [CLS], words and padding.
func (b *Batch) attended(i int, row []float64) *Attended {
	a := &Attended{Choices: len(row), Entropy: entropyOf(row)}
	words := row[b.front:][:b.words[i]]
	for _, w := range words {
		a.Weights = append(a.Weights, float32(w))
	}
	if b.front > 0 {
		a.CLS = float32(row[0])
	}
	for _, w := range row[b.front+len(words):] {
		a.Padding += float32(w)
	}
	return a
}

// entropyOf returns that of a distribution, in nats.
func entropyOf(p []float64) float64 {
	h := 0.0
	for _, w := range p {
		if w > 0 {
			h -= w * math.Log(w)
		}
	}
	return max(h, 0)
}

// rest is what weights lack to one.
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
