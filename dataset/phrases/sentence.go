package phrases

import "imdbexp/dataset/internal/dice"

var (
	conjunctions = []phrase{
		{"and", "et"},
		{"but", "mais"},
		{"when", "quand"},
		{"because", "parce que"},
		{"because", "parce que"}, // twice as often
	}
	nowadays = []phrase{
		{"today", "aujourd'hui"},
		{"tonight", "ce soir"},
		{"every day", "tous les jours"},
	}
	yesterday = phrase{"yesterday", "hier"}
)

var pronouns = []nominal{
	{phrase{"i", "je"}, firstSingular, form{}, human},
	{phrase{"he", "il"}, thirdSingular, form{}, human},
	{phrase{"she", "elle"}, thirdSingular, form{feminine: true}, human},
}

// subject chooses a subject of kind k. A pronoun may refer to before, the subject of the
// previous clause; before is the zero nominal if there is none.
func (w *writer) subject(k kind, before nominal, depth int) nominal {
	switch p := w.Below(100); {
	case p < 30 && before.kind != 0:
		return before.pronoun()
	case p >= 75:
		return dice.Pick(w.Dice, pronouns)
	case p >= 68 && k == living:
		a, b := w.nounPhrase(human, definite, 0), w.nounPhrase(human, definite, 0)
		return nominal{a.then(phrase{"and", "et"}, b.phrase), thirdPlural, form{a.form.feminine && b.form.feminine, true}, human}
	}
	return w.nounPhrase(k, anyArticle, depth)
}

// pronoun returns the pronoun for n; a pronoun in the first person stays as it is.
func (n nominal) pronoun() nominal {
	if n.person < thirdSingular {
		return n
	}
	n.french = n.form.of([4]string{"il", "elle", "ils", "elles"})
	switch {
	case n.form.plural:
		n.english = "they"
	case n.kind != human:
		n.english = "it"
	case n.form.feminine:
		n.english = "she"
	default:
		n.english = "he"
	}
	return n
}

// clause chooses a subject and a predicate. It also returns the subject if the clause has no
// other noun, so that a pronoun can refer to it.
func (w *writer) clause(before nominal, depth int) (phrase, nominal) {
	if w.Chance(8) {
		return w.existential(depth), nominal{}
	}
	k, inside, nouns := all, 0, w.nouns
	if w.Chance(50) {
		k = living
	}
	if w.Chance(15) { // what agrees with the subject is far from it
		inside = depth
	}
	s := w.subject(k, before, inside)
	p := s.then(w.predicate(s, w.past, depth))
	switch {
	case !w.Chance(12):
	case w.past:
		p = p.then(yesterday)
	default:
		p = p.then(dice.Pick(w.Dice, nowadays))
	}
	if w.nouns > nouns+1 {
		return p, nominal{}
	}
	return p, s
}

// existential forms "there is" with a noun and a place.
func (w *writer) existential(depth int) phrase {
	n := w.nounPhrase(living|thing, indefinite, 0)
	p := phrase{join("there", be(n.form, w.past)), "il y a"}
	if w.past {
		p.french = "il y avait"
	}
	return p.then(n.phrase, w.prepositional(depth))
}

// sentence writes a sentence, or a noun phrase, of very roughly n words.
func (w *writer) sentence(n int) phrase {
	w.richness, w.past = 10+3*n, w.Chance(45)
	if n < 10 && w.Chance(30) {
		return w.nounPhrase(all, anyArticle, n/4).spelled()
	}
	p, subject := w.clause(nominal{}, min(n/7, 2))
	for range w.Below(1 + n/4) {
		var next phrase
		next, subject = w.clause(subject, n/14)
		p = p.then(dice.Pick(w.Dice, conjunctions), next)
	}
	return p.spelled()
}
