// Package bleu scores translations by BLEU (Papineni et al. 2002) as sacreBLEU
// defines it by default (Post 2018, nrefs:1|case:mixed|eff:no|tok:13a|smooth:exp):
// n-grams of up to four words over the whole corpus, smoothed as NIST's
// mteval-v13a.pl does, with a brevity penalty.
package bleu

import (
	"math"

	"imdbexp/internal/simd"
)

// Order is the length of the longest n-grams.
const Order = 4

// Corpus holds the counts of a corpus that BLEU needs. The zero value is an empty corpus. No
// sentence is kept, so a corpus can have any size.
type Corpus struct {
	Matches [Order]int // n-grams, by n-1, that a reference has too
	Totals  [Order]int // n-grams, by n-1
	Words   int        // of the translations
	Wanted  int        // of the references that are closest in length to each translation
}

// gram is an n-gram of n words; the other words are empty.
type gram struct {
	n     int
	words [Order]string
}

func count(words []string) map[gram]int {
	out := map[gram]int{}
	for i := range words {
		g := gram{}
		for g.n < Order && i+g.n < len(words) {
			g.words[g.n] = words[i+g.n]
			g.n++
			out[g]++
		}
	}
	return out
}

// Add counts a translation against its references, at least one. An n-gram matches as often as it
// occurs in the reference that has it most often.
func (c *Corpus) Add(words []string, references ...[]string) {
	highest, closest := map[gram]int{}, -1
	for _, r := range references {
		for g, n := range count(r) {
			highest[g] = max(highest[g], n)
		}
		d, best := distance(len(r), len(words)), distance(closest, len(words))
		if closest < 0 || d < best || d == best && len(r) < closest {
			closest = len(r)
		}
	}
	for g, n := range count(words) {
		c.Totals[g.n-1] += n
		c.Matches[g.n-1] += min(n, highest[g])
	}
	c.Words += len(words)
	c.Wanted += max(0, closest)
}

func distance(a, b int) int { return max(a-b, b-a) }

// Score is BLEU and its parts; all except Brevity are in percent.
type Score struct {
	BLEU       float64
	Precisions [Order]float64 // by n-1, smoothed
	Brevity    float64        // the penalty of translations shorter than their references, 1 for none
}

// Score returns the corpus's BLEU: the geometric mean of the precisions times the
// brevity penalty exp(1 - wanted/words). An n without a match counts as ½ match, the
// next such n as ¼, and so on (exp smoothing); a corpus without any match, or
// without n-grams of some n, has BLEU 0. The same counts give the same bits on every
// processor: the mean is two square roots, which are exact, instead of logarithms.
func (c *Corpus) Score() (s Score) {
	switch {
	case c.Words >= c.Wanted:
		s.Brevity = 1
	case c.Words > 0:
		s.Brevity = simd.Exp64(1 - float64(c.Wanted)/float64(c.Words))
	}
	if c.Matches == [Order]int{} {
		return s
	}
	product, part := 1.0, 1.0
	for i, total := range c.Totals {
		switch matches := c.Matches[i]; {
		case total == 0: // as for longer n-grams
			return s
		case matches == 0:
			part /= 2
			s.Precisions[i] = 100 * part / float64(total)
		default:
			s.Precisions[i] = 100 * float64(matches) / float64(total)
		}
		product *= s.Precisions[i]
	}
	s.BLEU = s.Brevity * math.Sqrt(math.Sqrt(product))
	return s
}
