package phrases_test

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// What follows reads the French sides alone, with word lists of its own, and checks
// what grammar asks of words that belong together.

// agreement is a set of masculine and feminine, singular and plural.
type agreement uint8

const (
	ms agreement = 1 << iota
	fs
	mp
	fp
)

// forms maps words to what they agree with.
func forms(lists map[agreement]string) map[string]agreement {
	m := map[string]agreement{}
	for a, words := range lists {
		for _, w := range strings.Fields(words) {
			m[w] |= a
		}
	}
	return m
}

var (
	determinerForms = forms(map[agreement]string{
		ms: "le un ce mon son du", fs: "la une cette ma sa",
		mp | fp: "les des de ces mes ses deux trois",
	})
	nounForms = forms(map[agreement]string{
		fs: "fille sœur reine vache maison voiture clé robe pomme glace cuisine ville piscine salle",
		fp: "filles sœurs reines vaches maisons voitures clés robes pommes glaces cuisines villes piscines salles",
		ms: "frère roi médecin chien cheval livre chapeau jardin château tapis",
		mp: "frères rois médecins chiens chevaux livres chapeaux jardins châteaux tapis",
	})
	adjectiveForms = forms(map[agreement]string{
		ms:                "petit grand vieux nouveau beau vert noir blanc fatigué heureux",
		fs:                "petite grande vieille nouvelle belle verte noire blanche fatiguée heureuse",
		mp:                "petits grands vieux nouveaux beaux verts noirs blancs fatigués heureux",
		fp:                "petites grandes vieilles nouvelles belles vertes noires blanches fatiguées heureuses",
		ms | fs:           "jeune rouge",
		mp | fp:           "jeunes rouges",
		ms | fs | mp | fp: "marron bon_marché",
	})
	participleForms = func() map[string]agreement {
		m := map[string]agreement{}
		for _, w := range strings.Fields("vu trouvé cherché vendu venu resté dormi") {
			m[w], m[w+"e"], m[w+"s"], m[w+"es"] = ms, fs, mp, fp
		}
		return m
	}()
	pronounForms = map[string]agreement{"il": ms, "elle": fs, "ils": mp, "elles": fp}
	verbForms    = forms(map[agreement]string{
		ms | fs: "est était a voit trouve cherche vend vient reste dort veut peut",
		mp | fp: "sont étaient ont voient trouvent cherchent vendent viennent restent dorment veulent peuvent",
	})
	adverbs = map[string]bool{"pas": true, "jamais": true, "plus": true, "souvent": true}
)

// apart undoes elision, so that each word stands alone, and joins those words that
// only together mean something.
var apart = strings.NewReplacer("n'", "ne ", "j'", "je ", "parce qu'", "parce_que ", "qu'", "que ", "il y", "y", "bon marché", "bon_marché",
	" de terre", "", " de bains", "", "parce que", "parce_que")

// group is a noun with its determiner and adjectives: words[from:to].
type group struct {
	from, to int
	agrees   agreement
}

// groups finds all nouns of a sentence and checks that what surrounds them agrees.
func groups(t *testing.T, words []string) (out []group) {
	for i, w := range words {
		g := group{from: i - 1, to: i + 1, agrees: nounForms[w]}
		if g.agrees == 0 {
			continue
		}
		for ; adjectiveForms[words[g.from]] != 0; g.from-- {
			g.agrees &= adjectiveForms[words[g.from]]
		}
		require.Contains(t, determinerForms, words[g.from], words)
		g.agrees &= determinerForms[words[g.from]]
		for ; g.to < len(words); g.to++ {
			if words[g.to] == "et" && g.to+1 < len(words) && adjectiveForms[words[g.to+1]] != 0 {
				g.to++
			}
			if adjectiveForms[words[g.to]] == 0 {
				break
			}
			g.agrees &= adjectiveForms[words[g.to]]
		}
		require.NotZero(t, g.agrees, "%q of %q", words[g.from:g.to], words)
		out = append(out, g)
	}
	return out
}

// checker reads what is said of subjects.
type checker struct {
	t     *testing.T
	words []string
	seen  map[string]int // checks made of each rule
}

func (c *checker) word(i int) string {
	if i < len(c.words) {
		return c.words[i]
	}
	return ""
}

func (c *checker) agree(rule string, want agreement, form agreement) {
	c.seen[rule]++
	require.NotZero(c.t, want&form, "%s: %q", rule, c.words)
}

// predicate checks the verb at i, if one is there, and what else agrees with its
// subject.
func (c *checker) predicate(i int, subject agreement) {
	negated := c.word(i) == "ne"
	if negated {
		i++
	}
	if w := c.word(i); w == "le" || w == "la" || w == "les" { // a pronoun: la voit
		i++
	}
	verb := verbForms[c.word(i)]
	if verb == 0 {
		return
	}
	c.agree("verb and subject", verb, subject)
	auxiliary := c.word(i)
	i++
	if negated {
		require.True(c.t, adverbs[c.word(i)] && c.word(i) != "souvent", "%q", c.words)
		c.seen["negation"]++
	}
	if adverbs[c.word(i)] {
		i++
	}
	perfect := auxiliary == "a" || auxiliary == "ont"
	switch w := c.word(i); {
	case perfect && w == "été":
		c.agree("passive", participleForms[c.word(i+1)], subject)
	case perfect:
		c.agree("participle with avoir", participleForms[w], ms)
	case participleForms[w] != 0:
		c.agree("participle and subject", participleForms[w], subject)
	case adjectiveForms[w] != 0:
		c.agree("adjective and subject", adjectiveForms[w], subject)
	}
}

func TestAgreement(t *testing.T) {
	c := checker{t: t, seen: map[string]int{}}
	for _, p := range all() {
		c.words = strings.Fields(apart.Replace(p.Target))
		gs := groups(t, c.words)
		for i, g := range gs {
			c.seen["noun"]++
			second := i+1 < len(gs) && c.word(g.to) == "et" && gs[i+1].from == g.to+1
			switch before, next := c.word(max(0, g.from-1)), c.word(g.to); {
			case next == "qui":
				c.predicate(g.to+1, g.agrees)
			case next == "que" && i+1 < len(gs) && gs[i+1].from == g.to+1: // que la fille voit
				c.predicate(gs[i+1].to, gs[i+1].agrees)
			case next == "que" && pronounForms[c.word(g.to+1)] != 0: // qu'elle voit
				c.predicate(g.to+2, pronounForms[c.word(g.to+1)])
			case g.from > 0 && before != "mais" && before != "quand" && before != "parce_que":
			case second: // la fille et le roi sont
				both := mp
				if (g.agrees|gs[i+1].agrees)&(ms|mp) == 0 {
					both = fp
				}
				c.predicate(gs[i+1].to, both)
			default:
				c.predicate(g.to, g.agrees)
			}
		}
		for i, w := range c.words {
			if pronounForms[w] != 0 && (i == 0 || c.words[i-1] != "que") {
				c.predicate(i+1, pronounForms[w])
			}
		}
	}
	for rule, least := range map[string]int{
		"noun": 8000, "verb and subject": 3000, "negation": 1000, "passive": 200,
		"participle with avoir": 200, "participle and subject": 200, "adjective and subject": 1000,
	} {
		assert.Greater(t, c.seen[rule], least, rule)
	}
}

// it and they take the gender of the only noun of the clause before.
func TestPronounsAgree(t *testing.T) {
	seen := 0
	for _, p := range all() {
		words := strings.Fields(apart.Replace(p.Target))
		gs := groups(t, words)
		english := strings.Fields(p.Source)
		if len(gs) == 0 || gs[0].from > 0 || gs[0].to < len(words) && words[gs[0].to] == "et" {
			continue
		}
		for i := 1; i < len(words); i++ { // up to the second clause
			switch words[i-1] {
			case "et", "mais", "quand", "parce_que":
			default:
				continue
			}
			if adjectiveForms[words[i]] != 0 {
				continue // blanc et noir
			}
			if pronounForms[words[i]] == 0 || !strings.Contains(" it they ", " "+english[clause(english)]+" ") {
				break
			}
			seen++
			require.NotZero(t, pronounForms[words[i]]&gs[0].agrees, "%s: %s", p.Source, p.Target)
			break
		}
	}
	assert.Greater(t, seen, 100)
}

// clause returns where the second clause begins whose subject is a pronoun, or 0.
func clause(english []string) int {
	for i := 1; i < len(english); i++ {
		switch english[i-1] {
		case "and", "but", "when", "because":
			switch english[i] {
			case "it", "they":
				return i
			case "i", "we", "he", "she", "the", "a", "an", "some", "this", "these", "my", "his", "two", "three", "there":
				return 0
			}
		}
	}
	return 0
}

// Every ne has its pas, jamais or plus, and what is negated in one language is in
// the other.
func TestNegation(t *testing.T) {
	english := strings.NewReplacer("cannot", "can not", "no longer", "not")
	for _, p := range all() {
		ne, second, not := 0, 0, 0
		for _, w := range strings.Fields(apart.Replace(p.Target)) {
			switch w {
			case "ne":
				ne++
			case "pas", "jamais", "plus":
				second++
			}
		}
		for _, w := range strings.Fields(english.Replace(p.Source)) {
			if w == "not" || w == "never" {
				not++
			}
		}
		require.Equal(t, [2]int{ne, ne}, [2]int{second, not}, "%s: %s", p.Source, p.Target)
	}
}
