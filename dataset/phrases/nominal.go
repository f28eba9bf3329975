package phrases

import "imdbexp/dataset/internal/dice"

// writer writes random phrases.
type writer struct {
	*dice.Dice
	richness int  // chance, in percent, that a phrase is extended
	past     bool // tense of the main clauses
	nouns    int  // chosen so far
}

// nominal is a subject or an object.
type nominal struct {
	phrase
	person person
	form   form
	kind   kind
}

// article says which determiners fit.
type article int

const (
	anyArticle article = iota
	definite           // a negated verb would turn un chat into de chat
	indefinite         // as after "there is"
)

func (a article) fits(d determiner, plural bool) bool {
	if d.form(plural) == "" {
		return false
	}
	numeral := d.english == ""
	return a == anyArticle || numeral || (d.english == "a") == (a == indefinite)
}

// nounPhrase chooses a determiner, a noun of kind k and adjectives, and up to depth nested
// phrases and clauses.
func (w *writer) nounPhrase(k kind, a article, depth int) nominal {
	n := choose(w, nouns, func(n noun) bool { return n.kind&k != 0 })
	w.nouns++
	f := form{n.feminine, w.Chance(45)}
	d := w.determiner(a, f.plural)
	head := phrase{d.form(f.plural), f.of(d.french)}
	if w.Chance(30) {
		if head.french == "des" {
			head.french = "de" // des maisons, de petites maisons
		}
		adj := w.adjective(n.kind, true)
		head = head.then(phrase{adj.english, f.of(adj.french)})
	}
	adjectives := w.behind(n.kind, f)
	head = phrase{ // red carpet, tapis rouge
		join(head.english, adjectives.english, f.number(n.english, n.englishPlural)),
		join(head.french, f.number(n.french, n.frenchPlural), adjectives.french),
	}
	out := nominal{head, thirdSingular, f, n.kind}
	if f.plural {
		out.person = thirdPlural
	}
	if depth > 0 && w.Chance(w.richness) {
		out.phrase = out.then(w.modifier(out, depth-1))
	}
	return out
}

// behind chooses none, one or two of the adjectives that follow the noun in French.
func (w *writer) behind(k kind, f form) phrase {
	if !w.Chance(35) {
		return phrase{}
	}
	a := w.adjective(k, false)
	p := phrase{a.english, f.of(a.french)}
	if w.Chance(12) {
		if b := w.adjective(k, false); b.english != a.english {
			p = p.then(phrase{"and", "et"}, phrase{b.english, f.of(b.french)})
		}
	}
	return p
}

// modifier chooses a prepositional phrase, an owner or a relative clause. It is the only
// modifier of the noun right before it.
func (w *writer) modifier(n nominal, depth int) phrase {
	switch p := w.Below(100); {
	case p < 30:
		return w.prepositional(depth)
	case p < 40 && n.kind != human:
		return phrase{"of", "de"}.then(w.nounPhrase(human, definite, depth).phrase)
	case p < 65:
		who := phrase{"that", "qui"}
		if n.kind == human {
			who.english = "who"
		}
		return who.then(w.predicate(n, w.Chance(40), depth))
	}
	return w.objectClause(n)
}

// prepositional chooses a preposition and a noun phrase.
func (w *writer) prepositional(depth int) phrase {
	p := dice.Pick(w.Dice, prepositions)
	return p.then(w.nounPhrase(p.kind, definite, depth).phrase)
}

func (w *writer) adjective(k kind, before bool) adjective {
	return choose(w, adjectives, func(a adjective) bool { return a.before == before && a.kind&k != 0 })
}

// determiner chooses a determiner by weight.
func (w *writer) determiner(a article, plural bool) determiner {
	for {
		d := dice.Pick(w.Dice, determiners)
		if a.fits(d, plural) && w.Below(determiners[0].weight) < d.weight {
			return d
		}
	}
}

// choose returns a random element that fits; at least one must fit.
func choose[T any](w *writer, of []T, fits func(T) bool) T {
	for {
		if x := dice.Pick(w.Dice, of); fits(x) {
			return x
		}
	}
}
