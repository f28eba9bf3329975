package sample

import (
	"strings"

	"imdbexp/dataset/internal/dice"
)

// How often things happen, in percent unless said otherwise. grammar.yaml has the percentages of
// the forms of an opinion.
const (
	moodPercent        = 90 // words of mood that share the review's mood
	negatedPercent     = 18 // predicates
	intensifiedPercent = 30 // predicates
	agreePercent       = 57 // opinions that do not count but agree with the label
	fillerPercent      = 50 // reviews with a word on the evening

	maxPlots = 2 // sentences of plot after the first: 0 to maxPlots
	maxAside = 2 // opinions that do not count: 1 to maxAside
)

// compose writes one review: what happens, opinions in any order, and perhaps a
// word on the evening. It leaves the ID to the caller.
func compose(d *dice.Dice, label int) Review {
	g := load()
	subject := d.Below(len(g.Genres))
	w := &writer{Dice: d, grammar: g, genre: &g.Genres[subject], mood: 1 - 2*d.Below(2)}

	w.write(dice.Pick(d, g.Intros))
	for range d.Below(maxPlots + 1) {
		w.write(dice.Pick(d, g.Plots))
	}

	sign := 2*label - 1
	opinions := []opinion{{side: w.genre, sign: sign, decides: true}}
	for range 1 + d.Below(maxAside) {
		other := (subject + 1 + d.Below(len(g.Genres)-1)) % len(g.Genres)
		aside := opinion{side: &g.Genres[other], sign: sign}
		if !d.Chance(agreePercent) {
			aside.sign = -sign
		}
		opinions = append(opinions, aside)
	}
	d.Shuffle(len(opinions), func(i, j int) { opinions[i], opinions[j] = opinions[j], opinions[i] })
	for _, w.opinion = range opinions {
		w.write(dice.Pick(d, w.form()))
	}

	if d.Chance(fillerPercent) {
		w.write(dice.Pick(d, g.Fillers))
	}
	return Review{Text: strings.Join(w.words, " "), Label: label, Verdict: w.verdict}
}

// form chooses a form of opinion and returns its templates.
func (w *writer) form() (templates []string) {
	p := w.Below(100)
	for _, f := range w.Opinions {
		templates = f.Templates
		if p -= f.Percent; p < 0 {
			break
		}
	}
	return templates
}
