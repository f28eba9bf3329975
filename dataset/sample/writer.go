package sample

import (
	"slices"
	"strings"

	"imdbexp/dataset/internal/dice"
)

// writer puts one review together, word by word.
type writer struct {
	*dice.Dice
	*grammar
	words    []string
	sentence int    // where the current sentence starts
	genre    *genre // whose words fill the slots of what happens
	mood     int    // +1 bright or −1 dark
	opinion  opinion
	verdict  []int // positions of the words that decide the label
}

// opinion is the content of a sentence of opinion.
type opinion struct {
	side    *genre
	sign    int  // of the judgement, +1 or −1
	decides bool // the label
	noun    noun // of the current clause
}

// write appends a sentence.
func (w *writer) write(template string) {
	w.sentence = len(w.words)
	for field := range strings.FieldsSeq(template) {
		if slot, ok := strings.CutPrefix(field, "$"); ok {
			w.fill(slot)
		} else {
			w.put(field)
		}
	}
	for i := w.sentence; i+1 < len(w.words); i++ {
		if w.words[i] == "a" {
			w.words[i] = article(w.words[i+1])
		}
	}
}

// article returns the article before a word.
func article(word string) string {
	if strings.IndexByte("aeiou", word[0]) >= 0 {
		return "an"
	}
	return "a"
}

func (w *writer) put(words ...string) { w.words = append(w.words, words...) }

// choose appends one of words that its sentence does not hold yet.
func (w *writer) choose(words []string) {
	for {
		word := dice.Pick(w.Dice, words)
		if !slices.Contains(w.words[w.sentence:], word) {
			w.put(word)
			return
		}
	}
}

func (w *writer) fill(slot string) {
	if words, ok := w.genre.Words[slot]; ok {
		w.choose(words)
		return
	}
	switch slot {
	case "tone":
		w.tone()
	case "N":
		w.newNoun()
		w.put(w.opinion.noun.Word)
	case "is":
		w.put(w.opinion.noun.is())
	case "V", "D":
		w.judge(slot == "V", false)
	case "isV", "isD":
		w.put(w.opinion.noun.is())
		w.predicate(slot == "isV")
	case "VN", "DN":
		w.newNoun()
		if w.opinion.noun.Kind == "single" {
			w.put("a")
		}
		w.judge(slot == "VN", false)
		w.put(w.opinion.noun.Word)
	default:
		w.put("$" + slot) // shows up in the tests
	}
}

func (w *writer) tone() {
	words := w.Bright
	if w.mood < 0 != !w.Chance(moodPercent) {
		words = w.Dark
	}
	w.choose(words)
}

func (w *writer) newNoun() {
	last := w.opinion.noun
	for w.opinion.noun == last {
		w.opinion.noun = w.opinion.side.Nouns[w.Below(len(w.opinion.side.Nouns))]
	}
}

// predicate appends an adjective, intensified, negated or bare.
func (w *writer) predicate(counts bool) {
	switch p := w.Below(100); {
	case p < negatedPercent:
		w.put(strings.Fields(dice.Pick(w.Dice, w.Negations))...)
		w.judge(counts, true)
	case p < negatedPercent+intensifiedPercent:
		w.choose(w.Intensifiers)
		w.judge(counts, false)
	default:
		w.judge(counts, false)
	}
}

// judge appends an adjective of the opinion's polarity, turned round for a decoy
// and again under negation.
func (w *writer) judge(counts, negated bool) {
	if counts && w.opinion.decides {
		w.verdict = append(w.verdict, len(w.words))
	}
	sign := w.opinion.sign
	if counts == negated {
		sign = -sign
	}
	w.choose(w.opinion.side.opinions(sign))
}
