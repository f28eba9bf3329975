package phrases

// person is the person of a verb; nouns have the third.
type person int

const (
	firstSingular person = iota // je
	thirdSingular
	thirdPlural
)

// verb is a verb in both languages.
type verb struct {
	english    [3]string // base, third person, past
	passive    string    // English participle; "" if there is no passive
	particle   string    // between the verb and its object, as in "looks for"
	present    [3]string // in French, by person
	infinitive string
	participle string // masculine singular; see regular for the other forms
	goes       bool   // perfect with être: the participle agrees with the subject
	subject    kind
	object     kind // 0 if it takes none
}

var verbs = []verb{
	{english: [3]string{"see", "sees", "saw"}, passive: "seen", present: [3]string{"vois", "voit", "voient"},
		infinitive: "voir", participle: "vu", subject: living, object: all},
	{english: [3]string{"find", "finds", "found"}, passive: "found", present: [3]string{"trouve", "trouve", "trouvent"},
		infinitive: "trouver", participle: "trouvé", subject: living, object: all},
	{english: [3]string{"look", "looks", "looked"}, particle: "for", present: [3]string{"cherche", "cherche", "cherchent"},
		infinitive: "chercher", participle: "cherché", subject: living, object: all},
	{english: [3]string{"sell", "sells", "sold"}, present: [3]string{"vends", "vend", "vendent"},
		infinitive: "vendre", participle: "vendu", subject: human, object: animal | thing},
	{english: [3]string{"come", "comes", "came"}, present: [3]string{"viens", "vient", "viennent"},
		infinitive: "venir", participle: "venu", goes: true, subject: living},
	{english: [3]string{"stay", "stays", "stayed"}, present: [3]string{"reste", "reste", "restent"},
		infinitive: "rester", participle: "resté", goes: true, subject: living},
	{english: [3]string{"sleep", "sleeps", "slept"}, present: [3]string{"dors", "dort", "dorment"},
		infinitive: "dormir", participle: "dormi", subject: living},
}

// The auxiliary verbs, by person. The first person has neither a copula nor a past with
// être, because English does not show the gender of "I".
var (
	avoir   = [3]string{"ai", "a", "ont"}
	etre    = [3]string{thirdSingular: "est", thirdPlural: "sont"}
	etait   = [3]string{thirdSingular: "était", thirdPlural: "étaient"}
	vouloir = [3]string{"veux", "veut", "veulent"}
	pouvoir = [3]string{"peux", "peut", "peuvent"}
)
