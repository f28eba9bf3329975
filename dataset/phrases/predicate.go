package phrases

import "imdbexp/dataset/internal/dice"

// adverb stands before the verb in English and behind it in French, in a negation
// with ne before it.
type adverb struct {
	phrase
	negative bool
	present  bool // not with the past
}

var (
	negations = []adverb{
		{phrase{"not", "pas"}, true, false},
		{phrase{"not", "pas"}, true, false}, // twice as often as the others
		{phrase{"never", "jamais"}, true, false},
		{phrase{"no longer", "plus"}, true, true},
	}
	often = adverb{phrase: phrase{"often", "souvent"}}
)

func (a adverb) ne() string {
	if a.negative {
		return "ne"
	}
	return ""
}

// adverb chooses an adverb or none.
func (w *writer) adverb(past bool) adverb {
	switch p := w.Below(100); {
	case p < 30:
		return choose(w, negations, func(a adverb) bool { return !past || !a.present })
	case p < 38 && !past:
		return often
	}
	return adverb{}
}

// predicate chooses a predicate for a subject.
func (w *writer) predicate(s nominal, past bool, depth int) phrase {
	third := s.person >= thirdSingular
	switch {
	case third && past && w.Chance(28):
		return w.passive(s, depth)
	case third && (s.kind&living == 0 || w.Chance(22)):
		return w.copula(s, past, depth)
	}
	goes := third && w.Chance(50)
	v := choose(w, verbs, func(v verb) bool { return s.kind&v.subject == s.kind && v.goes == goes })
	a := w.adverb(past)
	o := w.object(v, a, past, depth)
	if !past && w.Chance(33) {
		return w.modal(s, v, a, o)
	}
	return action(s, v, a, o, past)
}

// object is the object of a verb: a phrase after it, or a pronoun, which French puts before
// the verb.
type object struct {
	phrase
	clitic string
}

var clitics = []object{
	{phrase: phrase{english: "him"}, clitic: "le"},
	{phrase: phrase{english: "her"}, clitic: "la"},
	{phrase: phrase{english: "them"}, clitic: "les"},
}

func (w *writer) object(v verb, a adverb, past bool, depth int) object {
	switch {
	case v.object == 0 && w.Chance(w.richness):
		return object{phrase: w.prepositional(depth)}
	case v.object == 0:
		return object{}
	case !past && v.object&human != 0 && w.Chance(25):
		return dice.Pick(w.Dice, clitics)
	case a.negative:
		return object{phrase: w.nounPhrase(v.object, definite, depth).phrase}
	}
	return object{phrase: w.nounPhrase(v.object, anyArticle, depth).phrase}
}

// action forms a verb with its subject, adverb and object.
func action(s nominal, v verb, a adverb, o object, past bool) phrase {
	english := join(conjugate(s, v.english, a, past), v.particle, o.english)
	if !past {
		return phrase{english, join(a.ne(), o.clitic, v.present[s.person], a.french, o.french)}
	}
	auxiliary, agrees := avoir, form{}
	if v.goes {
		auxiliary, agrees = etre, s.form
	}
	return phrase{english, join(a.ne(), auxiliary[s.person], a.french, agrees.of(regular(v.participle)), o.french)}
}

// conjugate forms an English verb with its adverb.
func conjugate(s nominal, v [3]string, a adverb, past bool) string {
	finite, do := v[0], "do"
	switch {
	case past:
		finite, do = v[2], "did"
	case s.person == thirdSingular:
		finite, do = v[1], "does"
	}
	if a.english == "not" {
		return join(do, "not", v[0])
	}
	return join(a.english, finite)
}

// modal forms "want to" or "can" with a verb.
func (w *writer) modal(s nominal, v verb, a adverb, o object) phrase {
	english, auxiliary := join(conjugate(s, [3]string{"want", "wants"}, a, false), "to"), vouloir
	switch can := w.Chance(50); {
	case can && a.english == "":
		english, auxiliary = "can", pouvoir
	case can && a.english == "not":
		english, auxiliary = "cannot", pouvoir
	}
	return phrase{
		join(english, v.english[0], v.particle, o.english),
		join(a.ne(), auxiliary[s.person], a.french, o.clitic, v.infinitive, o.french),
	}
}

// copula forms "is" or "was" with an adjective or a place.
func (w *writer) copula(s nominal, past bool, depth int) phrase {
	is := etre
	if past {
		is = etait
	}
	a := w.adverb(past)
	p := phrase{join(be(s.form, past), a.english), join(a.ne(), is[s.person], a.french)}
	if s.kind != place && w.Chance(35) {
		return p.then(w.prepositional(depth))
	}
	adj := choose(w, adjectives, func(a adjective) bool { return a.kind&s.kind == s.kind })
	return p.then(phrase{adj.english, s.form.of(adj.french)})
}

// be is the English copula of the third person.
func be(f form, past bool) string {
	if past {
		return f.number("was", "were")
	}
	return f.number("is", "are")
}

// passive forms a verb in the passive.
func (w *writer) passive(s nominal, depth int) phrase {
	v := choose(w, verbs, func(v verb) bool { return v.passive != "" && s.kind&v.object == s.kind })
	a := w.adverb(true)
	p := phrase{
		join(be(s.form, true), a.english, v.passive),
		join(a.ne(), avoir[s.person], a.french, "été", s.form.of(regular(v.participle))),
	}
	if w.Chance(30 + w.richness/2) {
		p = p.then(phrase{"by", "par"}, w.nounPhrase(human, anyArticle, depth).phrase)
	}
	return p
}

// objectClause chooses a relative clause whose object is the noun. It is in the present
// because a past participle would agree with the noun.
func (w *writer) objectClause(n nominal) phrase {
	s := w.subject(human, nominal{}, 0)
	v := choose(w, verbs, func(v verb) bool { return v.object&n.kind != 0 })
	a := w.adverb(false)
	said := action(s, v, a, object{}, false)
	if w.Chance(33) {
		said = w.modal(s, v, a, object{})
	}
	return phrase{"that", "que"}.then(s.phrase, said)
}
