// Package sample is a corpus of film reviews written by a grammar.
package sample

import (
	"fmt"
	"strings"
)

// Review is one film review.
type Review struct {
	ID      string // such as train/0001
	Text    string
	Label   int // 0 negative, 1 positive
	Verdict []int
}

const (
	shippedSeed = 1
	trainCount  = 2000
	testCount   = 1000
)

// Reviews returns the corpus that ships with the program.
func Reviews() (train, test []Review) { return Generate(shippedSeed, trainCount, testCount) }

// Generate writes a corpus.
func Generate(seed uint64, nTrain, nTest int) (train, test []Review) {
	seen := map[string]bool{}
	make := func(name string, split uint64, n int) []Review {
		rs := make([]Review, n)
		for i := range rs {
			label := newDice(seed, split, uint64(i/2)).below(2) ^ i&1
			for try := uint64(0); ; try++ {
				rs[i] = compose(newDice(seed, split, uint64(i), try, 1), label)
				if !seen[rs[i].Text] {
					break
				}
			}
			seen[rs[i].Text] = true
			rs[i].ID = fmt.Sprintf("%s/%04d", name, i+1)
		}
		return rs
	}
	return make("train", 0, nTrain), make("test", 1, nTest)
}

var kinds = []struct {
	percent   int
	templates []string
}{{pairPct, piled}, {conPct, contrasted}, {ordPct, ordered}, {weiPct, weighed}, {100, plain}}

// compose writes one review.
func compose(d *dice, label int) Review {
	subject := d.below(len(genres))
	w := &writer{dice: d, genre: &genres[subject], mood: 1 - 2*d.below(2)}
	w.write(d.pick(intros))
	for range minPlots + d.below(morePlots+1) {
		w.write(d.pick(plots))
	}

	sign := 2*label - 1
	opinions := []opinion{{side: &genres[subject].side, sign: sign, decides: true}}
	for k := range distractors + d.below(2) {
		_ = k
		other := (subject + 1 + d.below(len(genres)-1)) % len(genres)
		o := opinion{side: &genres[other].side, sign: sign}
		if !d.chance(agreePercent) {
			o.sign = -sign
		}
		opinions = append(opinions, o)
	}
	d.shuffle(len(opinions), func(i, j int) { opinions[i], opinions[j] = opinions[j], opinions[i] })
	for _, o := range opinions {
		w.opinion = o
		w.write(d.pick(templates(d)))
	}
	if d.chance(fillerPct) {
		w.write(d.pick(fillers))
	}
	return Review{Text: strings.Join(w.words, " "), Label: label, Verdict: w.verdict}
}

func templates(d *dice) []string {
	p := d.below(100)
	for _, k := range kinds {
		if p < k.percent {
			return k.templates
		}
		p -= k.percent
	}
	return plain
}
