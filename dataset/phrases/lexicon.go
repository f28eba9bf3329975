package phrases

// form is what French articles, adjectives and participles agree in.
type form struct{ feminine, plural bool }

// of chooses among the forms for masculine, feminine, and their plurals.
func (f form) of(forms [4]string) string {
	i := 0
	if f.feminine {
		i++
	}
	if f.plural {
		i += 2
	}
	return forms[i]
}

// number chooses between singular and plural.
func (f form) number(singular, plural string) string {
	if f.plural {
		return plural
	}
	return singular
}

// kind is a set of kinds of things. Words are combined only if their kinds fit.
type kind uint8

const (
	human kind = 1 << iota
	animal
	thing
	place
	living = human | animal
	all    = living | thing | place
)

// noun is a noun in both languages. None begins with a vowel or a mute h in French.
type noun struct {
	english, englishPlural string
	french, frenchPlural   string
	feminine               bool
	kind                   kind
}

var nouns = []noun{
	{"girl", "girls", "fille", "filles", true, human},
	{"sister", "sisters", "sœur", "sœurs", true, human},
	{"queen", "queens", "reine", "reines", true, human},
	{"brother", "brothers", "frère", "frères", false, human},
	{"king", "kings", "roi", "rois", false, human},
	{"doctor", "doctors", "médecin", "médecins", false, human},
	{"cow", "cows", "vache", "vaches", true, animal},
	{"dog", "dogs", "chien", "chiens", false, animal},
	{"horse", "horses", "cheval", "chevaux", false, animal},
	{"house", "houses", "maison", "maisons", true, thing},
	{"car", "cars", "voiture", "voitures", true, thing},
	{"key", "keys", "clé", "clés", true, thing},
	{"dress", "dresses", "robe", "robes", true, thing},
	{"potato", "potatoes", "pomme de terre", "pommes de terre", true, thing},
	{"ice cream", "ice creams", "glace", "glaces", true, thing},
	{"carpet", "carpets", "tapis", "tapis", false, thing},
	{"book", "books", "livre", "livres", false, thing},
	{"hat", "hats", "chapeau", "chapeaux", false, thing},
	{"kitchen", "kitchens", "cuisine", "cuisines", true, place},
	{"town", "towns", "ville", "villes", true, place},
	{"swimming pool", "swimming pools", "piscine", "piscines", true, place},
	{"bathroom", "bathrooms", "salle de bains", "salles de bains", true, place},
	{"garden", "gardens", "jardin", "jardins", false, place},
	{"castle", "castles", "château", "châteaux", false, place},
}

// adjective is an adjective in both languages.
type adjective struct {
	english string
	french  [4]string
	before  bool // before the noun in French, as in English; most follow it
	kind    kind // the nouns it goes with
}

var adjectives = []adjective{
	{"small", regular("petit"), true, all},
	{"big", regular("grand"), true, all &^ human},
	{"old", [4]string{"vieux", "vieille", "vieux", "vieilles"}, true, all},
	{"new", [4]string{"nouveau", "nouvelle", "nouveaux", "nouvelles"}, true, all &^ human},
	{"beautiful", [4]string{"beau", "belle", "beaux", "belles"}, true, all},
	{"young", regular("jeune"), true, living},
	{"red", regular("rouge"), false, thing},
	{"green", regular("vert"), false, thing | place},
	{"black", regular("noir"), false, thing | animal},
	{"white", [4]string{"blanc", "blanche", "blancs", "blanches"}, false, all &^ human},
	{"brown", invariable("marron"), false, thing | animal},
	{"cheap", invariable("bon marché"), false, thing},
	{"tired", regular("fatigué"), false, living},
	{"happy", [4]string{"heureux", "heureuse", "heureux", "heureuses"}, false, living},
}

// regular adds -e for the feminine, unless the word ends in e, and -s for the plural.
func regular(masculine string) [4]string {
	feminine := masculine
	if last := len(masculine) - 1; masculine[last] != 'e' {
		feminine += "e"
	}
	return [4]string{masculine, feminine, masculine + "s", feminine + "s"}
}

func invariable(word string) [4]string { return [4]string{word, word, word, word} }

// determiner is the first word of a noun phrase.
type determiner struct {
	english, englishPlural string // "" if it has no such number
	french                 [4]string
	weight                 int
}

func (d determiner) form(plural bool) string {
	return form{plural: plural}.number(d.english, d.englishPlural)
}

var determiners = []determiner{
	{"the", "the", [4]string{"le", "la", "les", "les"}, 9},
	{"a", "some", [4]string{"un", "une", "des", "des"}, 4},
	{"this", "these", [4]string{"ce", "cette", "ces", "ces"}, 3},
	{"my", "my", [4]string{"mon", "ma", "mes", "mes"}, 2},
	{"his", "his", [4]string{"son", "sa", "ses", "ses"}, 2},
	{"", "two", [4]string{2: "deux", 3: "deux"}, 2},
	{"", "three", [4]string{2: "trois", 3: "trois"}, 2},
}

// preposition joins a noun phrase to the words before it.
type preposition struct {
	phrase
	kind kind // of the noun that follows
}

var prepositions = []preposition{
	{phrase{"in", "dans"}, place},
	{phrase{"in", "dans"}, place}, // twice as often
	{phrase{"near", "près de"}, all},
	{phrase{"behind", "derrière"}, all},
	{phrase{"in front of", "devant"}, all},
	{phrase{"with", "avec"}, living},
}
