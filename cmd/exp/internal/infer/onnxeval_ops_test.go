package infer_test

import (
	"fmt"
	"math"
	"slices"

	"imdbexp/internal/onnx"
)

// broadcast applies f element by element, dimensions of 1 repeated.
func broadcast(f func([]float64) float64, x ...array) array {
	rank := 0
	for _, a := range x {
		rank = max(rank, len(a.dims))
	}
	out := array{dims: slices.Repeat([]int{1}, rank)}
	for _, a := range x {
		for i, d := range a.dims {
			at := rank - len(a.dims) + i
			if d != 1 && out.dims[at] != 1 && out.dims[at] != d {
				panic(fmt.Sprintf("shapes %v and %v", out.dims, a.dims))
			}
			out.dims[at] = max(out.dims[at], d)
		}
	}
	values := make([]float64, len(x))
	each(out.dims, func(at []int) {
		for k, a := range x {
			values[k] = a.data[offset(a.dims, at[rank-len(a.dims):])]
		}
		out.data = append(out.data, f(values))
	})
	return out
}

// each calls f with every index of a shape, in order.
func each(dims []int, f func(at []int)) {
	at := make([]int, len(dims))
	for range volume(dims) {
		f(at)
		for i := len(at) - 1; i >= 0; i-- {
			if at[i]++; at[i] < dims[i] {
				break
			}
			at[i] = 0
		}
	}
}

func volume(dims []int) int {
	n := 1
	for _, d := range dims {
		n *= d
	}
	return n
}

// offset is the place of an element, where dimensions of 1 are repeated.
func offset(dims, at []int) int {
	n := 0
	for i, d := range dims {
		n = n*d + min(at[i], d-1)
	}
	return n
}

func reshaped(n onnx.Node, x []array) []int {
	dims := slices.Clone(x[0].dims)
	switch n.Op {
	case "Unsqueeze":
		for _, a := range x[1].data {
			dims = slices.Insert(dims, int(a), 1)
		}
	case "Squeeze":
		if len(x) == 1 {
			return slices.DeleteFunc(dims, func(d int) bool { return d == 1 })
		}
		if dims[int(x[1].data[0])] != 1 {
			panic(fmt.Sprintf("%s: shape %v", n.Name, dims))
		}
		dims = slices.Delete(dims, int(x[1].data[0]), int(x[1].data[0])+1)
	default:
		dims = nil
		for i, d := range x[1].data {
			if d == 0 {
				d = float64(x[0].dims[i])
			}
			dims = append(dims, int(d))
		}
		if i := slices.Index(dims, -1); i >= 0 {
			dims[i] = len(x[0].data) / -volume(dims)
		}
	}
	if volume(dims) != len(x[0].data) {
		panic(fmt.Sprintf("%s: %v as %v", n.Name, x[0].dims, dims))
	}
	return dims
}

func transposed(x array, perm []int64) array {
	var out array
	for _, p := range perm {
		out.dims = append(out.dims, x.dims[p])
	}
	from := make([]int, len(perm))
	each(out.dims, func(at []int) {
		for i, p := range perm {
			from[p] = at[i]
		}
		out.data = append(out.data, x.data[offset(x.dims, from)])
	})
	return out
}

func concat(axis int, x []array) array {
	if axis < 0 {
		axis += len(x[0].dims)
	}
	out := array{dims: slices.Clone(x[0].dims)}
	out.dims[axis] = 0
	for _, a := range x {
		out.dims[axis] += a.dims[axis]
	}
	for row := range volume(x[0].dims[:axis]) {
		for _, a := range x {
			n := volume(a.dims[axis:])
			out.data = append(out.data, a.data[row*n:][:n]...)
		}
	}
	return out
}

// lines calls f for every line of x along an axis, as the places of its elements.
func lines(x array, axis int, f func(places []int)) {
	if axis < 0 {
		axis += len(x.dims)
	}
	inner := volume(x.dims[axis+1:])
	for outer := range volume(x.dims[:axis]) {
		for i := range inner {
			var places []int
			for k := range x.dims[axis] {
				places = append(places, (outer*x.dims[axis]+k)*inner+i)
			}
			f(places)
		}
	}
}

func reduceSum(x array, axis int, keep bool) array {
	return reduce(x, axis, keep, 0, func(a, b float64) float64 { return a + b })
}

func reduce(x array, axis int, keep bool, begin float64, with func(a, b float64) float64) array {
	out := array{dims: slices.Clone(x.dims)}
	lines(x, axis, func(places []int) {
		all := begin
		for _, p := range places {
			all = with(all, x.data[p])
		}
		out.data = append(out.data, all)
	})
	if out.dims[axis] = 1; !keep {
		out.dims = slices.Delete(out.dims, axis, axis+1)
	}
	return out
}

func softmaxed(x array, axis int, logs bool) array {
	out := array{dims: x.dims, data: make([]float64, len(x.data))}
	lines(x, axis, func(places []int) {
		top, sum := math.Inf(-1), 0.0
		for _, p := range places {
			top = max(top, x.data[p])
		}
		for _, p := range places {
			sum += math.Exp(x.data[p] - top)
		}
		for _, p := range places {
			if out.data[p] = x.data[p] - top - math.Log(sum); !logs {
				out.data[p] = math.Exp(out.data[p])
			}
		}
	})
	return out
}

// product is the matrix product of the last two dimensions, the others broadcast.
func product(a, b array) array {
	n, k, m := a.dims[len(a.dims)-2], a.dims[len(a.dims)-1], b.dims[len(b.dims)-1]
	if b.dims[len(b.dims)-2] != k {
		panic(fmt.Sprintf("product of %v and %v", a.dims, b.dims))
	}
	first := func(x array) array { // where each matrix begins
		out := array{dims: x.dims[:len(x.dims)-2]}
		for i := range volume(out.dims) {
			out.data = append(out.data, float64(i))
		}
		return out
	}
	var out array
	pairs := broadcast(func(v []float64) float64 {
		x, y := a.data[int(v[0])*n*k:], b.data[int(v[1])*k*m:]
		for i := range n {
			for j := range m {
				sum := 0.0
				for l := range k {
					sum += x[i*k+l] * y[l*m+j]
				}
				out.data = append(out.data, sum)
			}
		}
		return 0
	}, first(a), first(b))
	out.dims = append(pairs.dims, n, m)
	return out
}

// layerNormalised is over the last dimension.
func layerNormalised(x, scale, shift array, epsilon float64) array {
	out := array{dims: x.dims, data: make([]float64, len(x.data))}
	lines(x, -1, func(places []int) {
		mean, variance := 0.0, 0.0
		for _, p := range places {
			mean += x.data[p] / float64(len(places))
		}
		for _, p := range places {
			variance += (x.data[p] - mean) * (x.data[p] - mean) / float64(len(places))
		}
		for j, p := range places {
			out.data[p] = (x.data[p]-mean)/math.Sqrt(variance+epsilon)*scale.data[j] + shift.data[j]
		}
	})
	return out
}
