package scores

import (
	"context"
	"math"
	"slices"

	"imdbexp/dataset"
	"imdbexp/dataset/embedding"
	"imdbexp/internal/infer"
	"imdbexp/internal/simd"
)

var attention = Score{
	Name: Attention, Title: "attention", Source: "Bahdanau, Cho and Bengio 2015; Vaswani et al. 2017",
	Definition: "The weight with which a word enters the review's vector; with layers of self-attention, the weight it receives in the last one. It has no sign, and does not show how the model uses the word.",
	needs:      attends,
	compute: func(ctx context.Context, a *Asker, texts []Text) ([][]float32, error) {
		return a.forward(ctx, texts, func(b *infer.Batch, k, _ int) ([]float32, error) { return b.Attention(k) })
	},
}

var gradient = Score{
	Name: Gradient, Title: "gradient × input", Signed: true, Source: "Shrikumar et al. 2017; Ancona et al. 2018",
	Definition: "xᵢ·∂m/∂xᵢ, with m the margin of the class: what m would lose if the word's vector shrank to zero and m were linear.",
	needs:      vectors,
	compute: func(ctx context.Context, a *Asker, texts []Text) ([][]float32, error) {
		return a.derive(ctx, texts, false, func(d infer.Derived, word int) float32 { return simd.Dot(d.X(word), d.D(word)) })
	},
}

var gradientConstant = Score{
	Name: GradientConstant, Title: "gradient (fixed α)", Signed: true, Source: "Jain and Wallace 2019, section 4.1",
	Definition: "xᵢ·∂m/∂xᵢ with the attention weights as constants, as in the authors' code: what a word adds to the review's vector, without its effect on the weights of all words.",
	needs:      pooling,
	compute: func(ctx context.Context, a *Asker, texts []Text) ([][]float32, error) {
		return a.derive(ctx, texts, true, func(d infer.Derived, word int) float32 { return simd.Dot(d.X(word), d.D(word)) })
	},
}

var norm = Score{
	Name: Norm, Title: "gradient norm", Source: "Simonyan et al. 2014; Li et al. 2016",
	Definition: "‖∂m/∂xᵢ‖: how fast the margin can change when the word's vector moves in any direction. It has no sign.",
	needs:      vectors,
	compute: func(ctx context.Context, a *Asker, texts []Text) ([][]float32, error) {
		return a.derive(ctx, texts, false, func(d infer.Derived, word int) float32 {
			return float32(math.Sqrt(float64(simd.Dot(d.D(word), d.D(word)))))
		})
	},
}

var random = Score{
	Name: Random, Title: "random", Source: "the baseline",
	Definition: "A random number for each word. It carries no information; any useful score must beat it.",
	compute: func(_ context.Context, a *Asker, texts []Text) ([][]float32, error) {
		out := make([][]float32, len(texts))
		for i, t := range texts {
			n := len(t.Rows)
			out[i] = make([]float32, n)
			for rank, k := range dataset.Shuffle(n, a.seed, uint64(t.Number)) {
				out[i][k] = float32(n-rank) / float32(n)
			}
		}
		return out, nil
	},
}

var leaveOut = Score{
	Name: LeaveOut, Title: "leave one out", Signed: true, Source: "Robnik-Šikonja and Kononenko 2008; Li, Monroe and Jurafsky 2016",
	Repeats:    perWord,
	Definition: "What the margin of the class loses when the word is removed from the text. If two words say the same thing, both may score zero.",
	compute: func(ctx context.Context, a *Asker, texts []Text) ([][]float32, error) {
		return a.changed(ctx, texts, func(rows, text []int32, word int) []int32 {
			return append(append(rows, text[:word]...), text[word+1:]...)
		})
	},
}

var occlusion = Score{
	Name: "occlusion", Title: "occlusion", Signed: true, Source: "Zeiler and Fergus 2014; Ancona et al. 2018",
	Repeats:    perWord,
	Definition: "What the margin of the class loses when the mean of all word vectors replaces the word. The length of the text and the positions of the other words stay the same.",
	compute: func(ctx context.Context, a *Asker, texts []Text) (out [][]float32, err error) {
		err = a.model.WithVectors(a.model.MeanVector(), func(mean int32, _ []float32) error {
			out, err = a.changed(ctx, texts, func(rows, text []int32, word int) []int32 {
				return append(append(append(rows, text[:word]...), mean), text[word+1:]...)
			})
			return err
		})
		return out, err
	},
}

const perWord = "it asks the model once for each word"

// changed returns by how much the margin falls when each word in turn is changed: change appends the
// changed text to rows. A text of n words is asked about n times.
func (a *Asker) changed(ctx context.Context, texts []Text, change func(rows, text []int32, word int) []int32) ([][]float32, error) {
	out, whole := make([][]float32, len(texts)), make([]float64, len(texts))
	err := a.model.Each(ctx, encoded(texts), func(i int, b *infer.Batch, k int) error {
		whole[i] = Margin(b.Logits(k), texts[i].Class)
		return nil
	})
	for i, t := range texts {
		if err != nil {
			return nil, err
		}
		out[i] = make([]float32, len(t.Rows))
		err = a.variants(ctx, t, len(t.Rows), func(rows []int32, word int) []int32 { return change(rows, t.Rows, word) },
			func(word int, b *infer.Batch, k int) { out[i][word] = float32(whole[i] - Margin(b.Logits(k), t.Class)) })
	}
	return out, err
}

// variants asks about n variants of a text: build appends variant i to rows, and heard is called with
// its place in a batch. A variant without words is one unknown word.
func (a *Asker) variants(ctx context.Context, t Text, n int, build func(rows []int32, i int) []int32, heard func(i int, b *infer.Batch, k int)) error {
	size := max(1, maxRows/max(1, len(t.Rows))) // of a group
	var rows []int32
	for from := 0; from < n; from += size {
		list := make([]infer.Encoded, min(size, n-from))
		rows = slices.Grow(rows[:0], len(list)*max(1, len(t.Rows)))
		for k := range list {
			lo := len(rows)
			if rows = build(rows, from+k); len(rows) == lo {
				rows = append(rows, embedding.OOVRow)
			}
			list[k].Rows = rows[lo:len(rows):len(rows)]
		}
		err := a.model.Each(ctx, list, func(k int, b *infer.Batch, at int) error {
			heard(from+k, b, at)
			return nil
		})
		if err != nil {
			return err
		}
	}
	return nil
}

// maxRows is about how many words of variants are held at once; a variable for tests.
var maxRows = 1 << 22

var rollout = Score{
	Name: Rollout, Title: "attention rollout", Source: "Abnar and Zuidema 2020, section 3",
	Definition: "The product of the weights of all layers, each averaged with the residual connection: how much of a word reaches the review's vector if the layers did nothing else. It has no sign.",
	needs:      layers,
	compute: func(ctx context.Context, a *Asker, texts []Text) ([][]float32, error) {
		return a.forward(ctx, texts, func(b *infer.Batch, k, n int) ([]float32, error) {
			r, err := readers(a.model, b, k, n)
			for l := len(b.Layers()) - 1; l >= 0 && err == nil; l-- {
				next := make([]float64, len(r))
				for q, share := range r {
					if share == 0 {
						continue
					}
					row, err := mixed(a.model, b, l, k, q)
					if err != nil {
						return nil, err
					}
					for j, w := range row {
						next[j] += float64(share * w)
					}
				}
				r = next
			}
			if err != nil {
				return nil, err
			}
			return infer.Float32s(r[b.Front():][:n]), nil
		})
	},
}

// readers returns the share with which each word that the last layer outputs enters the
// review's vector, including [CLS] and padding. If there is [CLS], it alone has all; else
// the attention that pools the words decides, and without one all words count alike.
func readers(m *infer.Model, b *infer.Batch, text, n int) ([]float64, error) {
	out := make([]float64, b.Seen(text))
	switch {
	case m.Pools():
		w, err := b.Attention(text)
		for i, v := range w {
			out[i] = float64(v)
		}
		return out, err
	case b.Front() > 0:
		out[0] = 1
	default:
		for i := range n {
			out[i] = 1 / float64(n)
		}
	}
	return out, nil
}

// mixed returns how much a word of a layer takes from each word below: the mean of the
// weights over the heads, averaged with the word itself if the layer has a residual
// connection. The shares add up to one.
func mixed(m *infer.Model, b *infer.Batch, layer, text, query int) ([]float64, error) {
	out, total := make([]float64, b.Seen(text)), 0.0
	for h := range b.Layers()[layer] {
		row, err := b.AttentionRow(layer, h, text, query)
		if err != nil {
			return nil, err
		}
		for j, w := range row {
			out[j] += float64(w)
			total += float64(w)
		}
	}
	for j := range out {
		out[j] /= total
	}
	if m.Residual() {
		for j := range out {
			out[j] /= 2
		}
		out[query] += 0.5
	}
	return out, nil
}

var weighted = Score{
	Name: "norms", Title: "value-weighted norm", Source: "Kobayashi et al. 2020",
	Definition: "‖αᵢ·v(xᵢ)‖: the weight times the length of the vector it multiplies. A word with a large weight and a value near zero counts little. With layers of self-attention it is computed in the last one, before its heads are joined. It has no sign.",
	needs:      values,
	compute: func(ctx context.Context, a *Asker, texts []Text) ([][]float32, error) {
		if !a.model.Pools() {
			return a.forward(ctx, texts, func(b *infer.Batch, k, n int) ([]float32, error) { return layerNorms(a.model, b, k, n) })
		}
		var last *infer.Batch // whose norms are known, for all its texts
		var norms [][]float32
		return a.forward(ctx, texts, func(b *infer.Batch, k, _ int) (out []float32, err error) {
			if b != last {
				if norms, err = b.ValueNorms(); err != nil {
					return nil, err
				}
				last = b
			}
			if out, err = b.Attention(k); err != nil {
				return nil, err
			}
			for j, n := range norms[k] {
				out[j] *= n
			}
			return out, nil
		})
	},
}

// layerNorms returns Σᵢ rᵢ √(Σₕ (αʰᵢⱼ ‖vʰⱼ‖)²) of each word j in the last layer, where rᵢ is
// the share with which word i enters the review's vector (readers).
func layerNorms(m *infer.Model, b *infer.Batch, text, n int) ([]float32, error) {
	layer := len(b.Layers()) - 1
	shares, err := readers(m, b, text, n)
	if err != nil {
		return nil, err
	}
	norms, sum := b.HeadNorms(layer, text), make([]float64, b.Seen(text))
	for i, share := range shares {
		if share == 0 {
			continue
		}
		squares := make([]float64, len(sum))
		for h, length := range norms {
			row, err := b.AttentionRow(layer, h, text, i)
			if err != nil {
				return nil, err
			}
			for j, w := range row {
				part := float64(w) * length[j]
				squares[j] += float64(part * part)
			}
		}
		for j, s := range squares {
			sum[j] += float64(share * math.Sqrt(s))
		}
	}
	return infer.Float32s(sum[b.Front():][:n]), nil
}

var integrated = Score{
	Name: Integrated, Title: "integrated gradients", Signed: true, Source: "Sundararajan, Taly and Yan 2017",
	Definition: "xᵢ·∫∂m/∂xᵢ along the straight line from zero vectors to the text's vectors. The numbers of the words add up to what the margin gains on the way (completeness).",
	needs:      vectors,
	compute:    integrate,
}

// Completeness measures how far the sums of integrated gradients are from the differences
// of margins that they distribute.
type Completeness struct {
	Texts      int
	Error, All float64 // Σ |Σᵢ sᵢ − (m(x) − m(0))| and Σ |m(x) − m(0)|
	Worst      float64 // largest single error
	Steps      int     // points evaluated, over all texts
}

// Share is the error relative to the differences, over all texts.
func (c Completeness) Share() float64 { return c.Error / c.All }

// lobatto is the Gauss–Lobatto rule with seven points on [0, 1]. It includes both ends and
// is exact for polynomials of degree 11 (Abramowitz and Stegun 1964, section 25.4.32).
var lobatto = func() (list [7]struct{ at, weight float64 }) {
	root := float64(2.0 / 11 * math.Sqrt(5.0/3))
	near, far := math.Sqrt(5.0/11-root), math.Sqrt(5.0/11+root)
	x := [7]float64{-1, -far, -near, 0, near, far, 1}
	root = float64(7 * math.Sqrt(15))
	outer, inner := (124-root)/350, (124+root)/350
	w := [7]float64{1.0 / 21, outer, inner, 256.0 / 525, inner, outer, 1.0 / 21}
	for i := range list {
		list[i].at, list[i].weight = (1+x[i])/2, w[i]/2
	}
	return list
}()

const (
	// A stretch is halved if its sum is off by more than this share of the text's whole
	// difference of margins, or of minMargin if that is larger.
	completeWithin, minMargin = 0.002, 0.05
	// The margin of an overfitted model can have cliffs, which no number of halvings smooths.
	maxHalvings = 20
	// stretchWords limits the words of the stretches evaluated at once.
	stretchWords = 1 << 13
)

// stretch is a part of the line from zero (0) to a text's vectors (1).
type stretch struct {
	text     int
	from, to float64
	halved   int
}

func (s stretch) length() float64 { return s.to - s.from }

// integrate integrates over all words of a text at once. The margins at the ends of a
// stretch give the sum that it must have; a stretch is halved until its sum is close.
func integrate(ctx context.Context, a *Asker, texts []Text) ([][]float32, error) {
	n := len(texts)
	sums, ends := make([][]float64, n), make([][2]float64, n)
	pending := make([]stretch, n)
	for i, t := range texts {
		sums[i], pending[i] = make([]float64, len(t.Rows)), stretch{text: i, to: 1}
	}
	for len(pending) > 0 {
		count := 1
		for words := len(texts[pending[0].text].Rows); count < len(pending); count++ {
			if words += len(texts[pending[count].text].Rows); words > stretchWords {
				break
			}
		}
		now := pending[:count]
		pending = pending[count:]
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		parts, margins, err := a.stretches(texts, now)
		if err != nil {
			return nil, err
		}
		a.Complete.Steps += len(now) * len(lobatto)
		for k, s := range now {
			if s.halved == 0 {
				ends[s.text] = margins[k]
			}
			total := 0.0
			for _, v := range parts[k] {
				total += v
			}
			off := math.Abs(total - (margins[k][1] - margins[k][0]))
			whole := math.Abs(ends[s.text][1] - ends[s.text][0])
			if off > completeWithin*max(whole, minMargin) && s.halved < maxHalvings {
				middle := s.from + s.length()/2
				pending = append(pending, stretch{s.text, s.from, middle, s.halved + 1}, stretch{s.text, middle, s.to, s.halved + 1})
				continue
			}
			for j, v := range parts[k] {
				sums[s.text][j] += v
			}
		}
	}
	out := make([][]float32, n)
	for i, list := range sums {
		total := 0.0
		for _, v := range list {
			total += v
		}
		out[i] = infer.Float32s(list)
		difference := ends[i][1] - ends[i][0]
		e := math.Abs(total - difference)
		c := &a.Complete
		c.Texts++
		c.Error += e
		c.All += math.Abs(difference)
		c.Worst = max(c.Worst, e)
	}
	return out, nil
}

// stretches returns what each stretch adds to the score of each word of its text, and the
// margins at its ends.
func (a *Asker) stretches(texts []Text, list []stretch) (parts [][]float64, margins [][2]float64, err error) {
	g, err := a.network(false)
	if err != nil {
		return nil, nil, err
	}
	m, d := a.model, a.model.Dim()
	parts, margins = make([][]float64, len(list)), make([][2]float64, len(list))
	begin, words := make([]int, len(list)), 0
	for k, s := range list {
		begin[k] = words
		words += len(texts[s.text].Rows)
		parts[k] = make([]float64, len(texts[s.text].Rows))
	}
	whole, asked := make([]float32, 0, words*d), make([]infer.Encoded, len(list))
	for _, s := range list {
		for _, r := range texts[s.text].Rows {
			whole = append(whole, m.Vector(r)...)
		}
	}
	err = m.WithVectors(whole, func(first int32, moved []float32) error {
		for k := range asked {
			asked[k].Rows = make([]int32, len(parts[k]))
			for j := range asked[k].Rows {
				asked[k].Rows[j] = first + int32(begin[k]+j)
			}
		}
		for p, point := range lobatto {
			for k, s := range list {
				t := s.from + float64(point.at*s.length())
				for j := begin[k] * d; j < (begin[k]+len(parts[k]))*d; j++ {
					moved[j] = float32(t * float64(whole[j]))
				}
			}
			err := g.Run(asked, func(k int) int { return texts[list[k].text].Class }, func(k int, found infer.Derived) {
				w := point.weight * list[k].length()
				for j := range parts[k] {
					parts[k][j] += float64(w * float64(simd.Dot(whole[(begin[k]+j)*d:][:d], found.D(j))))
				}
				switch p {
				case 0:
					margins[k][0] = float64(found.Margin)
				case len(lobatto) - 1:
					margins[k][1] = float64(found.Margin)
				}
			})
			if err != nil {
				return err
			}
		}
		return nil
	})
	return parts, margins, err
}
