package sample

import (
	"strings"

	"imdbexp/dataset/internal/dice"
)

// How often things happen, in percent unless said otherwise. Piled opinions ("the
// story is tense , clever and riveting") are the dial that matters most: they are
// what lets word vectors trained on the corpus tell good from bad. With a third of
// their share no model learns much in ten epochs; with twice of it the uniform mean
// nearly catches up with attention.
const (
	moodPercent        = 90 // words of mood that share the review's mood
	negatedPercent     = 18 // predicates
	intensifiedPercent = 30 // predicates
	agreePercent       = 57 // opinions that do not count but agree with the label
	fillerPercent      = 50 // reviews with a word on the evening

	maxPlots = 2 // sentences of plot after the first: 0 to maxPlots
	maxAside = 2 // opinions that do not count: 1 to maxAside
)

// forms are the forms of an opinion with their percentages; the rest of 100 is plain.
var forms = []struct {
	percent   int
	templates []string
}{
	{18, piled},
	{13, contrasted},
	{10, ordered},
	{7, weighed},
}

// compose writes one review: what happens, opinions in any order, and perhaps a
// word on the evening. It leaves the ID to the caller.
func compose(d *dice.Dice, label int) Review {
	subject := d.Below(len(genres))
	w := &writer{Dice: d, genre: &genres[subject], mood: 1 - 2*d.Below(2)}

	w.write(dice.Pick(d, intros))
	for range d.Below(maxPlots + 1) {
		w.write(dice.Pick(d, plots))
	}

	sign := 2*label - 1
	opinions := []opinion{{side: &w.genre.side, sign: sign, decides: true}}
	for range 1 + d.Below(maxAside) {
		other := (subject + 1 + d.Below(len(genres)-1)) % len(genres)
		aside := opinion{side: &genres[other].side, sign: sign}
		if !d.Chance(agreePercent) {
			aside.sign = -sign
		}
		opinions = append(opinions, aside)
	}
	d.Shuffle(len(opinions), func(i, j int) { opinions[i], opinions[j] = opinions[j], opinions[i] })
	for _, w.opinion = range opinions {
		w.write(dice.Pick(d, form(d)))
	}

	if d.Chance(fillerPercent) {
		w.write(dice.Pick(d, fillers))
	}
	return Review{Text: strings.Join(w.words, " "), Label: label, Verdict: w.verdict}
}

func form(d *dice.Dice) []string {
	p := d.Below(100)
	for _, f := range forms {
		if p < f.percent {
			return f.templates
		}
		p -= f.percent
	}
	return plain
}
