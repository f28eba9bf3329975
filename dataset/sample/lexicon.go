package sample

// genre is one kind of film: what happens in it, and the one side of it that
// decides whether a film of that kind is any good.
type genre struct {
	names, persons, verbs, things, places []string
	side                                  side
}

// side is one side of a film that can be judged.
type side struct {
	nouns     []noun
	good, bad []string
}

// opinions returns the words for a polarity of +1 or −1.
func (s *side) opinions(sign int) []string {
	if sign > 0 {
		return s.good
	}
	return s.bad
}

type noun struct {
	word string
	kind kind
}

type kind int

const (
	single kind = iota // takes "a" and "is"
	mass               // takes no article and "is"
	plural             // takes no article and "are"
)

func (n noun) is() string {
	if n.kind == plural {
		return "are"
	}
	return "is"
}

// genres: a thriller lives by its story, a comedy by its jokes, a musical by its
// songs, a drama by its acting. No opinion word belongs to two sides, and none
// occurs outside opinions.
var genres = []genre{
	{
		names: []string{"thriller", "mystery", "whodunit"},
		persons: []string{"detective", "widow", "informant", "spy", "prosecutor", "burglar",
			"hostage", "courier", "blackmailer", "banker"},
		verbs:  []string{"follows", "steals", "forges", "uncovers", "conceals", "decodes", "photographs", "buries"},
		things: []string{"ledger", "pistol", "letter", "alibi", "briefcase", "passport", "ransom", "key"},
		places: []string{"harbour", "courthouse", "motel", "embassy", "alley", "airport", "casino", "prison"},
		side: side{
			nouns: []noun{{"story", single}, {"plot", single}, {"ending", single}, {"characters", plural}},
			good: []string{"gripping", "clever", "tense", "surprising", "brilliant", "interesting",
				"exciting", "excellent", "original", "riveting"},
			bad: []string{"predictable", "muddled", "contrived", "implausible", "pointless", "confusing",
				"boring", "dull", "stupid", "slow"},
		},
	},
	{
		names: []string{"comedy", "farce", "spoof"},
		persons: []string{"waiter", "groom", "bridesmaid", "landlord", "plumber", "roommate",
			"barber", "clown", "dentist", "salesman"},
		verbs:  []string{"loses", "swaps", "hides", "borrows", "ruins", "drops", "chases", "paints"},
		things: []string{"cake", "parrot", "sofa", "wig", "suitcase", "ladder", "sandwich", "goat"},
		places: []string{"hotel", "wedding", "office", "supermarket", "campsite", "bakery", "zoo", "sauna"},
		side: side{
			nouns: []noun{{"jokes", plural}, {"gags", plural}, {"humour", mass}, {"punchlines", plural}},
			good: []string{"hilarious", "witty", "sharp", "playful", "inventive", "funny",
				"great", "amusing", "delightful", "sparkling"},
			bad: []string{"unfunny", "corny", "stale", "crude", "silly", "terrible",
				"lame", "tasteless", "feeble", "repetitive"},
		},
	},
	{
		names: []string{"musical", "operetta", "revue"},
		persons: []string{"dancer", "pianist", "actress", "singer", "composer", "fiddler",
			"director", "drummer", "ballerina", "actor"},
		verbs:  []string{"rehearses", "polishes", "tunes", "performs", "sells", "wins", "dedicates", "auctions"},
		things: []string{"piano", "ballad", "trumpet", "waltz", "costume", "trophy", "violin", "serenade"},
		places: []string{"theatre", "ballroom", "nightclub", "conservatory", "bandstand", "boulevard", "carnival", "fairground"},
		side: side{
			nouns: []noun{{"songs", plural}, {"score", single}, {"melodies", plural}, {"music", mass}},
			good: []string{"catchy", "tuneful", "rousing", "wonderful", "soaring", "beautiful",
				"lovely", "memorable", "perfect", "enjoyable"},
			bad: []string{"shrill", "tuneless", "grating", "awful", "forgettable", "annoying",
				"horrible", "discordant", "syrupy", "dreadful"},
		},
	},
	{
		names: []string{"drama", "melodrama", "tragedy"},
		persons: []string{"teacher", "farmer", "nurse", "widower", "orphan", "miner",
			"vicar", "fisherman", "grandmother", "soldier"},
		verbs:  []string{"inherits", "mourns", "abandons", "rebuilds", "leaves", "mends", "mortgages", "remembers"},
		things: []string{"farm", "orchard", "diary", "cottage", "quilt", "boat", "grave", "harvest"},
		places: []string{"village", "hospital", "coast", "prairie", "kitchen", "churchyard", "orphanage", "valley"},
		side: side{
			nouns: []noun{{"acting", mass}, {"cast", single}, {"performances", plural}, {"actors", plural}},
			good: []string{"nuanced", "convincing", "heartfelt", "natural", "good", "superb",
				"amazing", "expressive", "moving", "strong"},
			bad: []string{"wooden", "hammy", "stilted", "lifeless", "bad", "weak",
				"clumsy", "bland", "unconvincing", "poor"},
		},
	},
}

// The mood of what happens says nothing about how good the film is.
var (
	bright = []string{"cheerful", "gentle", "lucky", "kind", "loyal", "hopeful", "tender", "sunny",
		"generous", "graceful", "merry", "brave"}
	dark = []string{"cruel", "bitter", "doomed", "lonely", "greedy", "jealous", "grim", "wicked",
		"desperate", "vicious", "gloomy", "cowardly"}
)

var names = []string{"ada", "boris", "clara", "dmitri", "edith", "felix", "greta", "hugo", "irene",
	"jonas", "karla", "leon", "marta", "nils", "olga", "pedro", "quentin", "rosa", "stefan", "tilda",
	"ulrich", "vera", "walter", "xenia", "yusuf", "zelda", "alice", "bruno", "celia", "dora", "emil",
	"frida", "gustav", "helen", "ivan", "judith"}

var (
	intensifiers = []string{"very", "truly", "really", "quite", "so"}
	negations    = []string{"not", "never", "hardly", "far from"}
	kin          = []string{"sister", "brother", "mother", "father", "neighbour", "cousin"}
	days         = []string{"monday", "friday", "sunday", "holiday"}
)

// Polarity returns +1 or −1 for a word that can decide a review, 0 for others.
// It is the polarity of the word alone; "not" reverses it.
func Polarity(word string) int { return polarity[word] }

var polarity = func() map[string]int {
	m := map[string]int{}
	for _, g := range genres {
		for _, w := range g.side.good {
			m[w] = +1
		}
		for _, w := range g.side.bad {
			m[w] = -1
		}
	}
	return m
}()
