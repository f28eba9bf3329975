package infer

import (
	"math"

	"imdbexp/models"
)

// joined is attention by heads that share the width, joined by NAME.O.
func (l *layered) joined(layer int, rows [][]float64, heads int) [][]float64 {
	f := l.attention(layer, rows, heads, 1/math.Sqrt(float64(len(rows[0])/heads)), false)
	return l.linear(models.LayerName(layer)+".O", f)
}

// attention returns all heads' results side by side and keeps the steps of the one
// wanted.
func (l *layered) attention(layer int, rows [][]float64, heads int, scale float64, overQueries bool) [][]float64 {
	name := models.LayerName(layer)
	q, k, v := l.linear(name+".Q", rows), l.linear(name+".K", rows), l.linear(name+".V", rows)
	out := make([][]float64, len(rows))
	if l.err != nil {
		return rows
	}
	dk, dv := len(q[0])/heads, len(v[0])/heads
	for h := range heads {
		keys, values := columns(k, h*dk, dk), columns(v, h*dv, dv)
		all := make([]Steps, len(rows))
		for i := range rows {
			all[i].attend(q[i][h*dk:][:dk], keys, values, scale)
		}
		if overQueries {
			for j := range rows {
				column := make([]float64, len(rows))
				for i := range all {
					column[i] = all[i].Scaled[j]
				}
				for i, w := range softmax(column) {
					all[i].Weights[j] = w
				}
			}
		}
		for i := range all {
			if overQueries {
				all[i].Sum = weighted(all[i].Weights, values)
			}
			out[i] = append(out[i], all[i].Sum...)
		}
		if layer == l.layer && h == l.head {
			l.keep(all, overQueries)
		}
	}
	return out
}

// keep takes over the steps of a head.
func (l *layered) keep(all []Steps, overQueries bool) {
	s, one := l.steps, &all[l.steps.Place]
	s.Query, s.Scores, s.Scale, s.Scaled, s.Weights, s.Values, s.Sum = one.Query, one.Scores, one.Scale, one.Scaled, one.Weights, one.Values, one.Sum
	s.OverQueries = overQueries
	for i := range all {
		s.All = append(s.All, all[i].Weights)
	}
}

// add adds rows b to rows a in place.
func add(a, b [][]float64) {
	for i := range a {
		plus(a[i], b[i])
	}
}

// columns returns n columns of each row, from the given one on.
func columns(rows [][]float64, from, n int) [][]float64 {
	out := make([][]float64, len(rows))
	for i, r := range rows {
		out[i] = r[from:][:n]
	}
	return out
}
