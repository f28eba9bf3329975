package ops

import (
	"errors"
	"fmt"
	"math"
	"slices"

	"imdbexp/internal/simd"
)

// Target says which word of its review a row predicts.
type Target int

// The words that rows predict.
const (
	NextWord   Target = iota // the word after it
	WordBefore               // the word before it
	MaskedWord               // its own word, in the rows that Mask has chosen
)

// Sampling are the options of SampledSoftmax.
type Sampling struct {
	Which   Target
	Others  int     // K, the number of negative samples
	Unknown int32   // a word that is never a target; −1 for none
	Masked  float32 // of MaskedWord: the share of the words, as in Mask
}

// Sampled holds the results of SampledSoftmax.
type Sampled struct {
	Mean *Node // [1, 1] nats a prediction: the cost of training
	Each *Node // [B, 1] the sum of a review's losses in nats
	Made *Node // [B, 1] the number of its predictions
	Hits *Node // [B, 1] the number of right ones: the word has a higher score than the K others
}

// SampledSoftmax predicts words from the rows q [N, d], by their vectors x [N, d] and what is learned about the V
// most frequent words, u [V, d], among K negative samples v₁ … v_K, which a batch shares:
//
//	s(w) = q·(x_w + u_w)    ℓ = −log(exp s(w) / (exp s(w) + Σₖ exp s(vₖ))),  without vₖ = w
//
// The samples are uniform over the rows of the batch and new in each step, so a word is sampled as often as it
// occurs in the texts, Q(v). Sampled softmax (Jean et al. 2015, section 3; Bengio and Senécal 2008) would
// subtract log(K·Q) from the scores; here that is part of the model, which estimates
// p(w) ∝ Q(w)·exp s(w). Chance has a loss of log(K+1). With few samples the gradient is biased towards them,
// by about 1/K. Only the mean is differentiated.
func SampledSoftmax(q, x, u *Node, o Sampling) Sampled {
	g := q.g
	words, ok := x.axis.(*Seq)
	if !ok || q.axis != x.axis || q.cols != x.cols || !isWeight(u) || u.cols != x.cols || o.Others < 1 {
		n := g.fail("guess words: q [%s, %d], x [%s, %d], u [%s, %d], %d other words: need vectors of one width for the same words, weights, and another word",
			kind(q.axis), q.cols, kind(x.axis), x.cols, kind(u.axis), u.cols, o.Others)
		return Sampled{n, n, n, n}
	}
	k := &guess{vocabularyOp: vocabularyOp{g: g, axis: words}, words: words, Sampling: o}
	r := g.apply("guess words", k, []*Node{q, x, u}, result{newFixed(1), 1}, result{words.reviews, 1}, result{words.reviews, 1}, result{words.reviews, 1})
	return Sampled{r[0], r[1], r[2], r[3]}
}

// guess is the kernel of SampledSoftmax. It computes on the n rows that predict a word.
type guess struct {
	vocabularyOp
	trainingOnly
	Sampling
	words *Seq

	rows, right []int32   // [n] the rows, and the rows of the words that they guess
	drawn       []int32   // [K] the rows of the other words
	other, own  []float32 // [K, d] and [n, d]: x + u of the other words, and of those that are guessed
	q, dq       []float32 // [n, d]
	z           []float32 // [n, 1+K] in training: the scores, then p, less 1 for the right word
	dother      []float32 // [K, d]
	losses      []float32 // [n]
	hit         []bool    // [n]
}

// choose finds the rows that guess, and draws the other words.
func (k *guess) choose() {
	ids, stream := k.g.ids, simd.Key(k.g.seed, "others")
	k.rows, k.right = k.rows[:0], k.right[:0]
	for b, review := range k.g.reviews {
		lo, hi := k.words.Offsets[b], k.words.Offsets[b+1]
		for i := lo; i < hi; i++ {
			to := i
			switch {
			case k.Which == NextWord:
				to++
			case k.Which == WordBefore:
				to--
			case !hides(k.g, k.Masked, review, i-lo):
				continue
			}
			if to >= lo && to < hi && ids[to] != k.Unknown {
				k.rows, k.right = append(k.rows, int32(i)), append(k.right, int32(to))
			}
		}
	}
	k.drawn = k.drawn[:0]
	for i := range k.Others {
		k.drawn = append(k.drawn, int32(simd.Hash2(stream, k.g.step, uint64(i))%uint64(len(ids))))
	}
}

// gathered returns rows of m in buf. If u is given, it adds the row of u of the word in each.
func (k *guess) gathered(buf []float32, rows []int32, m Mat, u *Mat) []float32 {
	buf = grown(buf, len(rows)*m.Cols)
	for j, i := range rows {
		to := buf[j*m.Cols:][:m.Cols]
		copy(to, m.Row(int(i)))
		if u != nil && int(k.g.ids[i]) < u.Rows {
			simd.Add(to, u.Row(int(k.g.ids[i])))
		}
	}
	return buf
}

// never is the score of an excluded word: its probability is 0.
const never = -math.MaxFloat32

func (k *guess) forward(in, out []Mat) error {
	q, x := in[0], in[1]
	if len(k.g.ids) != x.Rows {
		return fmt.Errorf("%d vectors for %d words", x.Rows, len(k.g.ids))
	}
	k.choose()
	k.q, k.own, k.other = k.gathered(k.q, k.rows, q, nil), k.gathered(k.own, k.right, x, &in[2]), k.gathered(k.other, k.drawn, x, &in[2])
	n, d, width := len(k.rows), x.Cols, 1+k.Others
	k.losses, k.hit = grown(k.losses, n), grown(k.hit, n)
	numbers := logitRows * width
	if k.g.training {
		k.z, numbers = grown(k.z, n*width), 0
	}
	err := k.eachBlock(n, numbers, func(room []float32, lo, hi int) {
		if k.g.training {
			room = k.z[lo*width : hi*width]
		}
		simd.NT(hi-lo, k.Others, d, k.q[lo*d:], d, k.other, d, room[1:], width, false)
		for j := lo; j < hi; j++ {
			z, word := room[(j-lo)*width:][:width], k.g.ids[k.right[j]]
			for i, row := range k.drawn {
				if k.g.ids[row] == word {
					z[1+i] = never
				}
			}
			z[0] = simd.Dot(k.q[j*d:][:d], k.own[j*d:][:d])
			k.hit[j] = z[0] > simd.Max(z[1:])
			score := z[0]
			k.losses[j] = simd.SoftmaxLSE(z, z) - score
			z[0]--
		}
	})
	for _, m := range out {
		clear(m.Data)
	}
	var sum float64
	b := 0
	for j, row := range k.rows {
		for int(row) >= k.words.Offsets[b+1] {
			b++
		}
		sum += float64(k.losses[j])
		out[1].Data[b] += k.losses[j]
		out[2].Data[b]++
		if k.hit[j] {
			out[3].Data[b]++
		}
	}
	out[0].Data[0] = float32(sum / float64(max(n, 1)))
	return err
}

// backward computes, with G = p less 1 for the right word, and s the mean's gradient divided by n,
//
//	∂q = s·(G₀ (x+u)_w + Σₖ Gₖ (x+u)_vₖ)    ∂(x+u)_w = s·G₀ q    ∂(x+u)_vₖ = s·Σ Gₖ q
//
// The guesses of all rows about another word are added in one order, in a part for some of these words.
func (k *guess) backward(in, _, dout []Mat, din []Grad) error {
	if dout[0].Data == nil || slices.ContainsFunc(dout[1:], func(m Mat) bool { return m.Data != nil }) {
		return errors.New("only the mean can be part of a cost")
	}
	x, n, width := in[1], len(k.rows), 1+k.Others
	d, scale := x.Cols, dout[0].Data[0]/float32(max(n, 1))
	if n == 0 {
		for _, to := range din {
			k.scatter(to, nil, nil)
		}
		return nil
	}
	if dq := din[0]; dq.Wanted() {
		k.dq = grown(k.dq, n*d)
		err := k.eachBlock(n, 0, func(_ []float32, lo, hi int) {
			to := k.dq[lo*d : hi*d]
			simd.NN(hi-lo, d, k.Others, k.z[lo*width+1:], width, k.other, d, to, d, false)
			for j := lo; j < hi; j++ {
				simd.Axpy(k.dq[j*d:][:d], k.z[j*width], k.own[j*d:][:d])
			}
			simd.Scale(to, scale)
		})
		if err != nil {
			return err
		}
		k.scatter(dq, k.dq, k.rows)
	}
	if !anyWanted(din[1:]) {
		return nil
	}
	simd.Scale(k.q, scale)
	k.dother = grown(k.dother, k.Others*d)
	err := k.g.pool.For((k.Others+logitRows-1)/logitRows, func(part int) {
		lo, hi := part*logitRows, min((part+1)*logitRows, k.Others)
		simd.TN(hi-lo, d, n, k.z[1+lo:], width, k.q, d, k.dother[lo*d:], d, false)
	})
	if err != nil {
		return err
	}
	for j := range n {
		simd.Scale(k.q[j*d:][:d], k.z[j*width])
	}
	k.scatter(din[1], k.q, k.right)
	din[1].Add = true
	k.scatter(din[1], k.dother, k.drawn)
	for _, rows := range [][]int32{k.right, k.drawn} {
		for j, i := range rows {
			rows[j] = k.g.ids[i]
		}
	}
	k.scatter(din[2], k.q, k.right)
	din[2].Add = true
	k.scatter(din[2], k.dother, k.drawn)
	return nil
}

// scatter writes, or adds, the gradients of some rows; other rows have none.
func (k *guess) scatter(to Grad, from []float32, rows []int32) {
	if !to.Wanted() {
		return
	}
	if !to.Add {
		clear(to.Data)
	}
	for j, i := range rows {
		if int(i) < to.Rows {
			simd.Add(to.Row(int(i)), from[j*to.Cols:][:to.Cols])
		}
	}
}
