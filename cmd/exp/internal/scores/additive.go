package scores

import (
	"gonum.org/v1/gonum/integrate/quad"

	"imdbexp/models/counts"
)

// additive returns the Shapley values of a model with binary n-grams. Its margin is a sum over
// n-grams, and so are its Shapley values. An n-gram counts once all words of one of its places are
// there.
func (a *Asker) additive(t Text) ([]float64, error) {
	e, err := a.model.Explain(t.Encoded, t.Class)
	if err != nil {
		return nil, err
	}
	sign := 1.0
	if e.For != t.Class {
		sign = -1
	}
	out := make([]float64, len(t.Rows))
	for _, term := range e.Terms {
		for word, share := range shares(term.Places) {
			out[word] += sign * term.Sum * share
		}
	}
	return out, nil
}

// shares returns the Shapley values of the game that is won by all words of any of the places,
// which are given in the order of the text. Places without common words share evenly. Else a value
// is the integral over p of the probability that a word decides, when each other word is there with
// probability p (Owen 1972).
func shares(places []counts.Place) map[int]float64 {
	out, ends, apart := map[int]float64{}, map[int]bool{}, true
	for i, p := range places {
		apart = apart && (i == 0 || places[i-1].To <= p.From)
		ends[p.To-1] = true
		for w := p.From; w < p.To; w++ {
			out[w] = 1
		}
	}
	words := places[0].To - places[0].From
	for word := range out {
		if out[word] = 1 / float64(len(out)); !apart {
			out[word] = quad.Fixed(func(p float64) float64 {
				return none(places, ends, words, word, p, 0) - none(places, ends, words, word, p, 1)
			}, 0, 1, len(out)/2+1, quad.Legendre{}, 0)
		}
	}
	return out
}

// none returns the probability that no place is complete, when one word is there with probability
// given, and each other word with probability p.
func none(places []counts.Place, ends map[int]bool, words, one int, p, given float64) float64 {
	run := make([]float64, words+1) // by how many words up to here are there without a gap
	run[0] = 1
	for w := places[0].From; w < places[len(places)-1].To; w++ {
		here, gone := p, 0.0
		if w == one {
			here = given
		}
		for _, v := range run {
			gone += v * (1 - here)
		}
		run[words] = (run[words] + run[words-1]) * here
		for k := words - 1; k > 0; k-- {
			run[k] = run[k-1] * here
		}
		if run[0] = gone; ends[w] {
			run[words] = 0
		}
	}
	total := 0.0
	for _, v := range run {
		total += v
	}
	return total
}
