package stats

import "math/rand/v2"

// patterns groups the items by the runs that predicted them correctly. A resample needs
// only the counts.
type patterns struct {
	first, second int      // runs of each side
	bits          [][]byte // one bit per run: the first side's, then from a new byte the second's
	count         []int    // number of items with each pattern
	n             int

	tables [][]int // buffers for sums
	things []int   // buffer for the number of items by sum
}

func newPatterns(first, second Outcomes) *patterns {
	p := &patterns{first: len(first), second: len(second), n: len(first[0])}
	width := bytesFor(p.first) + bytesFor(p.second)
	index := map[string]int{}
	b := make([]byte, width)
	for thing := range p.n {
		clear(b)
		set(b, first, thing)
		set(b[bytesFor(p.first):], second, thing)
		i, seen := index[string(b)]
		if !seen {
			i = len(p.bits)
			index[string(b)] = i
			p.bits, p.count = append(p.bits, []byte(string(b))), append(p.count, 0)
		}
		p.count[i]++
	}
	for _, runs := range []int{p.first, p.second} {
		for ; runs > 0; runs -= 8 {
			p.tables = append(p.tables, make([]int, 1<<min(8, runs)))
		}
	}
	return p
}

func bytesFor(runs int) int { return (runs + 7) / 8 }

func set(b []byte, runs Outcomes, thing int) {
	for i, r := range runs {
		if r[thing] {
			b[i/8] |= 1 << (i % 8)
		}
	}
}

// resample returns the difference of the mean accuracies in one resample.
func (p *patterns) resample(r *rand.Rand, paired bool) float64 {
	a, drawnA := drawSeeds(r, p.first)
	b, drawnB := a, drawnA
	if !paired {
		b, drawnB = drawSeeds(r, p.second)
	}
	// The sum of an item is its contribution to the difference in units of
	// 1/(drawnA·drawnB): an integer between −drawnA·drawnB and drawnA·drawnB.
	sums(p.tables, a, -drawnB)
	sums(p.tables[bytesFor(p.first):], b, drawnA)
	unit := drawnA * drawnB
	if size := 2*unit + 1; len(p.things) != size {
		p.things = make([]int, size)
	}
	clear(p.things)
	for i, bits := range p.bits {
		sum := 0
		for j, x := range bits {
			sum += p.tables[j][x]
		}
		p.things[sum+unit] += p.count[i]
	}
	total, left, ahead := 0, p.n, p.n // items still to sample, and items in the categories ahead
	for i, n := range p.things {
		if n == 0 {
			continue
		}
		k := left
		if n < ahead {
			k = binomial(r, left, float64(n)/float64(ahead))
		}
		total += k * (i - unit)
		left, ahead = left-k, ahead-n
	}
	return float64(total) / (float64(p.n) * float64(unit))
}

// drawSeeds samples the seeds. It returns how often each of the k is drawn and the total.
func drawSeeds(r *rand.Rand, k int) (times []int, drawn int) {
	times = make([]int, k)
	if k == 1 {
		times[0] = 1
		return times, 1
	}
	for range k - 1 {
		times[r.IntN(k)]++
	}
	return times, k - 1
}

// sums fills one table for each eight runs. For every combination of correct runs it holds
// the sum of how often each was drawn, times factor.
func sums(tables [][]int, times []int, factor int) {
	for i, t := range times {
		table, bit := tables[i/8], 1<<(i%8)
		for x := range bit { // combinations of the runs before this one
			table[x|bit] = table[x] + factor*t
		}
	}
}
