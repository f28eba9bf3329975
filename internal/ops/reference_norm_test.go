package ops_test

import (
	"math"

	"imdbexp/internal/ragged"
)

// refNormal returns (v − mean)/√(variance + ε) with the biased variance.
func refNormal(v []float64, eps float64) []float64 {
	var mean, variance float64
	for _, x := range v {
		mean += x / float64(len(v))
	}
	for _, x := range v {
		variance += (x - mean) * (x - mean) / float64(len(v))
	}
	out := make([]float64, len(v))
	for i, x := range v {
		out[i] = (x - mean) / math.Sqrt(variance+eps)
	}
	return out
}

func refLayerNorm(x, scale, shift mat64, eps float64) mat64 {
	y := newMat64(x.rows, x.cols)
	for i := range x.rows {
		for j, u := range refNormal(x.row(i), eps) {
			y.row(i)[j] = scale.at[j]*u + shift.at[j]
		}
	}
	return y
}

func refBatchNorm(x, scale, shift mat64, eps float64) mat64 {
	y := newMat64(x.rows, x.cols)
	column := make([]float64, x.rows)
	for j := range x.cols {
		for i := range column {
			column[i] = x.row(i)[j]
		}
		for i, u := range refNormal(column, eps) {
			y.row(i)[j] = scale.at[j]*u + shift.at[j]
		}
	}
	return y
}

// refUnpaddedNorm normalises all rows by the mean and variance of the rows that are not
// padding.
func refUnpaddedNorm(b *ragged.Batch, x, scale, shift mat64, eps float64) mat64 {
	y, length := newMat64(x.rows, x.cols), x.rows/b.Len()
	for j := range x.cols {
		var words []float64
		for r := range b.Len() {
			for i := range b.Offsets[r+1] - b.Offsets[r] {
				words = append(words, x.row(r*length + i)[j])
			}
		}
		var mean, variance float64
		for _, v := range words {
			mean += v / float64(len(words))
		}
		for _, v := range words {
			variance += (v - mean) * (v - mean) / float64(len(words))
		}
		for i := range x.rows {
			y.row(i)[j] = scale.at[j]*(x.row(i)[j]-mean)/math.Sqrt(variance+eps) + shift.at[j]
		}
	}
	return y
}

// refSlotNorm takes each position and column apart; a review's slot is where it was
// drawn.
func refSlotNorm(b *ragged.Batch, x, scale, shift mat64, eps float64) mat64 {
	y := newMat64(x.rows, x.cols)
	length := x.rows / b.Len()
	across := make([]float64, b.Len())
	for i := range length {
		for j := range x.cols {
			for r := range across {
				across[r] = x.row(r*length + i)[j]
			}
			for r, u := range refNormal(across, eps) {
				y.row(r*length + i)[j] = scale.at[b.Drawn[r]]*u + shift.at[b.Drawn[r]]
			}
		}
	}
	return y
}

// refSmoothed is the mean of −Σ t·log p with the smoothed labels t.
func refSmoothed(b *ragged.Batch, z mat64, smoothing float64) mat64 {
	mean := newMat64(1, 1)
	for r := range z.rows {
		if b.Labels[r] < 0 {
			continue
		}
		p, _ := refSoftmax(z.row(r))
		for c, v := range p {
			t := smoothing / float64(z.cols)
			if c == int(b.Labels[r]) {
				t += 1 - smoothing
			}
			mean.at[0] -= t * math.Log(v) / float64(z.rows)
		}
	}
	return mean
}
