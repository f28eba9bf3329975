package ops

import (
	"errors"
	"fmt"
	"math"
	"slices"

	"imdbexp/internal/simd"
)

// vocabularyOp is the common part of the ops over a vocabulary. They process a block of
// rows at a time, whose logits stay in the second-level cache for the softmax up to some
// thousand words (with 5 000 words they are 2 MB).
type vocabularyOp struct {
	g    *Graph
	axis Axis
	room scratch
}

const (
	logitRows       = 96  // rows of a block of logits: with fewer, products are slower
	vocabularyBlock = 256 // words of a block of a table's gradient
)

// eachBlock calls f for every block of so many rows, with a buffer of the given number of elements
// for the duration of the call.
func (k *vocabularyOp) eachBlock(rows, numbers int, f func(room []float32, lo, hi int)) error {
	blocks := (rows + logitRows - 1) / logitRows
	tasks := min(blocks, maxShards)
	k.room.prepare(tasks, numbers)
	return k.g.pool.For(tasks, func(task int) {
		room := k.room.of(task)(numbers)
		for b := task; b < blocks; b += tasks {
			f(room, b*logitRows, min((b+1)*logitRows, rows))
		}
	})
}

// logits sets z [hi−lo, V] to the logits of the rows lo … hi.
func (k *vocabularyOp) logits(in []Mat, lo, hi int, z []float32) {
	x, w := in[0], in[1]
	simd.NT(hi-lo, w.Rows, w.Cols, x.Range(lo, hi), x.Cols, w.Data, w.Cols, z, w.Rows, false)
	if len(in) == 3 {
		simd.AddBias(z, hi-lo, w.Rows, w.Rows, in[2].Data)
	}
}

// vocabularyScores is the kernel of VocabularyScores.
type vocabularyScores struct {
	vocabularyOp
	ones []float32
}

func (k *vocabularyScores) forward(in, out []Mat) error {
	y := out[0]
	k.ones = ones(k.ones, y.Cols)
	return k.eachBlock(y.Rows, y.Cols+logitRows, func(room []float32, lo, hi int) {
		p, shift := room[:y.Cols], room[y.Cols:][:hi-lo]
		z := y.Range(lo, hi)
		k.logits(in, lo, hi, z)
		for i := range shift {
			shift[i] = -simd.SoftmaxLSE(p, z[i*y.Cols:][:y.Cols])
		}
		outer(z, shift, k.ones, true)
	})
}

// exactLogProbs sets y [rows, V] to log softmax(x·wᵀ + bias).
func exactLogProbs(y Mat64, in []Mat64) {
	var bias []float64
	if len(in) == 3 {
		bias = in[2].Data
	}
	exactLinear(y, in[0], transposed(in[1]), bias)
	p := make([]float64, y.Cols)
	for i := range y.Rows {
		exactSoftmax(p, y.Row(i))
		for j, v := range p {
			y.Row(i)[j] = math.Log(v)
		}
	}
}

func (k *vocabularyScores) exact(in, out []Mat64) error {
	exactLogProbs(out[0], in)
	return nil
}

func (k *vocabularyScores) onnx(x *Export, in []*Node) ([]string, error) {
	z := x.Op("MatMul", x.Name(in[0]), x.transpose(x.Name(in[1]), 1, 0))
	if len(in) == 3 {
		z = x.Op("Add", z, x.row(in[2]))
	}
	return []string{x.softmax("LogSoftmax", z, -1)}, nil
}

func (k *vocabularyScores) backward(_, _, _ []Mat, _ []Grad) error {
	return errors.New("log-probabilities of words are only for decoding, not for a cost")
}

// vocabularyLoss is the kernel of VocabularyLoss.
type vocabularyLoss struct {
	vocabularyOp
	smoothing float64
	labels    int       // number of rows with a label
	losses    []float64 // [M] of the mean
	words     int       // V
	z         []float32 // [M, V] in training: logits, then p−t, zero without a label
	rest      []float32 // [V] −ε/V, with label smoothing
	x, dx, db []float32 // see backward
}

func (k *vocabularyLoss) forward(in, out []Mat) error {
	words, labels, keep := k.words, k.g.pairs.out, k.g.training
	if err := k.count(labels, words); err != nil {
		return err
	}
	k.losses = grown(k.losses, len(labels))
	numbers := logitRows * words
	if keep {
		k.z, numbers = grown(k.z, len(labels)*words), 0
	}
	if k.smoothing > 0 {
		k.rest = grown(k.rest, words)
		simd.Fill(k.rest, -float32(k.smoothing/float64(words)))
	}
	err := k.eachBlock(len(labels), numbers, func(room []float32, lo, hi int) {
		z := room
		if keep {
			z = k.z[lo*words : hi*words]
		}
		k.logits(in, lo, hi, z)
		for i := lo; i < hi; i++ {
			k.row(i, int(labels[i]), z[(i-lo)*words:][:words], out)
		}
	})
	var sum float64
	for _, loss := range k.losses {
		sum += loss
	}
	out[0].Data[0] = float32(sum / float64(max(k.labels, 1)))
	return err
}

func (k *vocabularyLoss) exact(in, out []Mat64) error {
	y, labelled := newWide(in[0].Rows, k.words), 0
	exactLogProbs(y, in)
	for i, label := range k.g.pairs.out {
		row := y.Row(i)
		out[2].Data[i] = float64(slices.Index(row, slices.Max(row)))
		if label < 0 {
			continue
		}
		labelled++
		sum := 0.0
		for _, logP := range row {
			sum += logP
		}
		out[1].Data[i] = -row[label]
		out[0].Data[0] -= (1-k.smoothing)*row[label] + k.smoothing*sum/float64(k.words)
	}
	out[0].Data[0] /= float64(max(labelled, 1))
	return nil
}

func (k *vocabularyLoss) onnx(*Export, []*Node) ([]string, error) { return nil, errTraining }

// count counts the labels and checks that each is a word.
func (k *vocabularyLoss) count(labels []int32, words int) error {
	if len(labels) != k.axis.Len() {
		return fmt.Errorf("%d labels for %d target rows", len(labels), k.axis.Len())
	}
	k.labels = 0
	for i, y := range labels {
		if int(y) >= words {
			return fmt.Errorf("label %d of target row %d, but %d words", y, i, words)
		} else if y >= 0 {
			k.labels++
		}
	}
	return nil
}

// row computes the results of row i and turns its logits z into p−t, the gradient of
// its loss.
func (k *vocabularyLoss) row(i, label int, z []float32, out []Mat) {
	loss := &out[1].Data[i]
	out[2].Data[i] = float32(likeliest(z))
	if label < 0 {
		*loss, k.losses[i] = 0, 0
		clear(z)
		return
	}
	right, mean := z[label], float64(0)
	if k.smoothing > 0 {
		mean = float64(simd.Sum(z)) / float64(len(z))
	}
	lse := simd.SoftmaxLSE(z, z)
	*loss = lse - right
	k.losses[i] = float64(*loss)
	if k.smoothing > 0 {
		k.losses[i] = float64((1-k.smoothing)*float64(*loss)) + float64(k.smoothing*(float64(lse)-mean))
		simd.Add(z, k.rest)
	}
	z[label] -= float32(1 - k.smoothing)
}

// likeliest returns the index of the first of the largest numbers, −1 if one is
// NaN.
func likeliest(z []float32) int {
	const piece = 256 // the exact index is searched in one piece only
	top, first := simd.Max(z[:min(piece, len(z))]), 0
	for lo := piece; lo < len(z); lo += piece {
		if m := simd.Max(z[lo:min(lo+piece, len(z))]); m > top || m != m {
			top, first = m, lo
		}
	}
	if i := slices.Index(z[first:], top); i >= 0 {
		return first + i
	}
	return -1
}

// backward computes, with G = p−t, zero in rows without a label, and s the mean's gradient divided by
// the number of labels,
//
//	∂x = s·G w    ∂w = Gᵀ(s·x)    ∂bias = s·Σᵢ Gᵢ
//
// G itself is not scaled: it is the largest of these matrices. Its columns are
// summed for blocks of words, so no shard needs its own gradient [V, e].
func (k *vocabularyLoss) backward(in, _, dout []Mat, din []Grad) error {
	if dout[0].Data == nil || dout[1].Data != nil || dout[2].Data != nil {
		return errors.New("only the mean can be part of a cost")
	}
	x, w := in[0], in[1]
	scale := dout[0].Data[0] / float32(max(k.labels, 1))
	k.x = grown(k.x, len(x.Data))
	if din[0].Add {
		k.dx = grown(k.dx, len(x.Data))
	}
	err := k.eachBlock(x.Rows, 0, func(_ []float32, lo, hi int) {
		part := Mat{Rows: x.Rows, Cols: x.Cols, Data: k.x}.Range(lo, hi)
		copy(part, x.Range(lo, hi))
		simd.Scale(part, scale)
		if dx := din[0]; dx.Wanted() {
			to := dx.Range(lo, hi)
			if dx.Add {
				to = k.dx[lo*x.Cols : hi*x.Cols]
			}
			simd.NN(hi-lo, x.Cols, w.Rows, k.z[lo*w.Rows:], w.Rows, w.Data, w.Cols, to, x.Cols, false)
			simd.Scale(to, scale)
			if dx.Add {
				simd.Add(dx.Range(lo, hi), to)
			}
		}
	})
	if err != nil || !din[1].Wanted() && (len(in) < 3 || !din[2].Wanted()) {
		return err
	}
	k.db = grown(k.db, w.Rows)
	blocks := (w.Rows + vocabularyBlock - 1) / vocabularyBlock
	err = k.g.pool.For(blocks, func(block int) {
		lo, hi := block*vocabularyBlock, min((block+1)*vocabularyBlock, w.Rows)
		if dw := din[1]; dw.Wanted() {
			simd.TN(hi-lo, w.Cols, x.Rows, k.z[lo:], w.Rows, k.x, w.Cols, dw.Range(lo, hi), w.Cols, dw.Add)
		}
		if len(in) == 3 && din[2].Wanted() {
			simd.ColumnSums(k.db[lo:hi], k.z[lo:], x.Rows, w.Rows, hi-lo, false)
		}
	})
	if len(in) == 3 && din[2].Wanted() {
		simd.Scale(k.db, scale)
		din[2].putAll(k.db)
	}
	return err
}
