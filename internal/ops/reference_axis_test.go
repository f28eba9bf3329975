package ops_test

import (
	"math"

	"imdbexp/internal/ops"
	"imdbexp/internal/ragged"
)

// refFronted and refPadded are the batch as it lies on a derived axis.
func refFronted(b *ragged.Batch) *ragged.Batch {
	return relaid(b, func(n int) int { return n + 1 })
}

func refPadded(b *ragged.Batch) *ragged.Batch {
	return relaid(b, func(int) int { return longest(b) })
}

func relaid(b *ragged.Batch, length func(n int) int) *ragged.Batch {
	c := &ragged.Batch{Reviews: b.Reviews, Labels: b.Labels, Drawn: b.Drawn, Offsets: []int{0}}
	for r := range b.Len() {
		c.Offsets = append(c.Offsets, c.Offsets[r]+length(b.Offsets[r+1]-b.Offsets[r]))
	}
	return c
}

func refPrepend(b *ragged.Batch, x, row mat64) mat64 {
	y := newMat64(x.rows+b.Len(), x.cols)
	for r := range b.Len() {
		copy(y.row(b.Offsets[r]+r), row.at)
		for i := b.Offsets[r]; i < b.Offsets[r+1]; i++ {
			copy(y.row(i+r+1), x.row(i))
		}
	}
	return y
}

func refFirst(b *ragged.Batch, x mat64) mat64 {
	y := newMat64(b.Len(), x.cols)
	for r := range b.Len() {
		copy(y.row(r), x.row(b.Offsets[r]))
	}
	return y
}

func refPad(b *ragged.Batch, x mat64) mat64 {
	n := longest(b)
	y := newMat64(b.Len()*n, x.cols)
	for r := range b.Len() {
		for i := b.Offsets[r]; i < b.Offsets[r+1]; i++ {
			copy(y.row(r*n+i-b.Offsets[r]), x.row(i))
		}
	}
	return y
}

// refSinusoid has the formulas of the papers, with math.Pow for the powers.
func refSinusoid(b *ragged.Batch, x mat64, base float64, layout ops.PositionLayout) mat64 {
	table := newMat64(longest(b), x.cols)
	d := float64(x.cols)
	for i := range table.rows {
		for h := range x.cols {
			var pe float64
			switch {
			case layout == ops.Interleaved && h%2 == 0:
				pe = math.Sin(float64(i) / math.Pow(base, float64(h)/d))
			case layout == ops.Interleaved:
				pe = math.Cos(float64(i) / math.Pow(base, float64(h-1)/d))
			case h < x.cols/2:
				pe = math.Sin(float64(i) / math.Pow(base, float64(h)/float64(x.cols/2-1)))
			case h < x.cols/2*2:
				pe = math.Cos(float64(i) / math.Pow(base, float64(h-x.cols/2)/float64(x.cols/2-1)))
			}
			table.row(i)[h] = pe
		}
	}
	return refPositions(b, x, table)
}

// refJoined puts the encodings, p wide, behind the rows.
func refJoined(b *ragged.Batch, x mat64, p int, base float64, layout ops.PositionLayout) mat64 {
	codes := refSinusoid(b, newMat64(x.rows, p), base, layout)
	y := newMat64(x.rows, x.cols+p)
	for i := range x.rows {
		copy(y.row(i)[copy(y.row(i), x.row(i)):], codes.row(i))
	}
	return y
}

func refPositions(b *ragged.Batch, x, table mat64) mat64 {
	y := newMat64(x.rows, x.cols)
	for r := range b.Len() {
		for i := b.Offsets[r]; i < b.Offsets[r+1]; i++ {
			for j, v := range table.row(i - b.Offsets[r]) {
				y.row(i)[j] = x.row(i)[j] + v
			}
		}
	}
	return y
}

func refAdd(a, b mat64) mat64 {
	y := newMat64(a.rows, a.cols)
	for i, v := range a.at {
		y.at[i] = v + b.at[i]
	}
	return y
}

func refAddReview(b *ragged.Batch, x, s mat64) mat64 {
	y := newMat64(x.rows, x.cols)
	for r := range b.Len() {
		for i := b.Offsets[r]; i < b.Offsets[r+1]; i++ {
			for j, v := range s.row(r) {
				y.row(i)[j] = x.row(i)[j] + v
			}
		}
	}
	return y
}

func refGELU(x float64) float64 {
	return 0.5 * x * (1 + math.Tanh(math.Sqrt(2/math.Pi)*(x+0.044715*x*x*x)))
}

func refSimilarity(w mat64, heads int) mat64 {
	k := w.cols / heads
	product := func(a, b int) (s float64) {
		for r := range w.rows {
			for c := range k {
				s += w.row(r)[a*k+c] * w.row(r)[b*k+c]
			}
		}
		return s
	}
	y := newMat64(1, 1)
	for i := range heads {
		for j := range heads {
			if c := product(i, j); i != j {
				y.at[0] += c * c / (product(i, i) * product(j, j))
			}
		}
	}
	return y
}

func refAverage(in []mat64) mat64 {
	y := newMat64(in[0].rows, in[0].cols)
	for _, x := range in {
		for i, v := range x.at {
			y.at[i] += v / float64(len(in))
		}
	}
	return y
}
