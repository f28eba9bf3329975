package dataset_test

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"imdbexp/dataset/token"
	"imdbexp/internal/testkit/must"
)

func words(t token.Tokenizer, text string) string {
	var w []string
	for _, x := range token.Tokens(t, text) {
		w = append(w, x.Word)
	}
	return strings.Join(w, "|")
}

func TestPTB(t *testing.T) {
	for text, want := range map[string]string{
		"":                                       "",
		" \t\n":                                  "",
		"It's good.":                             "it|'s|good|.",
		"I don't, can't, won't!":                 "i|do|n't|,|ca|n't|,|wo|n't|!",
		"DON’T":                                  "do|n't",
		"shouldn't've":                           "should|n't|'ve",
		"n't don'ts ain't":                       "n't|don'ts|ai|n't",
		"we'll you're they've I'd I'm":           "we|'ll|you|'re|they|'ve|i|'d|i|'m",
		"the actors' 'best' film":                "the|actors|'|'|best|'|film",
		"O'Connor's":                             "o'connor|'s",
		"'em 'til 'cause rock 'n' roll":          "'em|'til|'cause|rock|'n|'|roll",
		"the '80s and 1930's":                    "the|'80s|and|1930|'s",
		"one<br /><br/>two<BR>three< / br >four": "one|two|three|four",
		"a<b":                                    "a|<|b",
		"7.5/10, 1,000. 8/10.":                   "7.5|/|10|,|1,000|.|8/10|.",
		"end.Next":                               "end|.|next",
		"wait....what… no..":                     "wait|...|what|...|no|...",
		"well-acted -- yes---no":                 "well|-|acted|--|yes|--|no",
		"U.S. e.g. U.S.A. a.b..":                 "u.s.|e.g.|u.s.a.|a|.|b|...",
		"“quoted” ``twice'' `once'":              `"|quoted|"|"|twice|"|'|once|'`,
		"what\u0092s \u0093this\u0094\u0096\u0085": `what|'s|"|this|"|–|...`,
		"Café cafe\u0301 naïve":                    "café|café|naïve",
		"*** !!":                                   "*|*|*|!|!",
		"a\x00b\xffc":                              "a|b|\ufffd|c",
		"日本語 ok":                                   "日本語|ok",
	} {
		assert.Equal(t, want, words(token.PTB, text), "%q", text)
	}
}

func TestWhitespace(t *testing.T) {
	for text, want := range map[string]string{
		"":                                   "",
		"It's GOOD.<br />No":                 "it's|good.<br|/>no",
		"a\u0085b\u00a0c\x1cd\u2028e\u3000f": "a|b|c|d|e|f",
		"a\u200bb":                           "a\u200bb",
		"İ ΣΑΣ Σ ΑΣ. ΑΣΑ":                    "i̇|σας|σ|ας.|ασα", // as Python 3 prints
	} {
		assert.Equal(t, want, words(token.Whitespace, text), "%q", text)
	}
}

func TestUnicode(t *testing.T) {
	for text, want := range map[string]string{
		"": "",
		"L’histoire d'un film qu'elle n'aime pas.": "l'|histoire|d'|un|film|qu'|elle|n'|aime|pas|.",
		"Aujourd'hui, jusqu'à l'été":               "aujourd'hui|,|jusqu'|à|l'|été",
		"d’avis, s'y, c'est":                       "d'|avis|,|s'|y|,|c'|est",
		"dell'arte un'altra l'ho po' bene":         "dell'|arte|un'|altra|l'|ho|po|'|bene",
		"l'home s'ha d'aigua":                      "l'|home|s'|ha|d'|aigua",
		"I don't, it's O'Connor's; we're ma'am":    "i|don't|,|it's|o'connor's|;|we're|ma'am",
		"peut-être 3,14 1'000":                     "peut|-|être|3,14|1'000",
		"«très bien»… 'cause' <br />fin":           `"|très|bien|"|...|'|cause|'|fin`,
		"Größe, м'ята, ελληνικά":                   "größe|,|м'ята|,|ελληνικά",
		"映画は素晴らしい カタカナ":                            "映|画|は|素|晴|ら|し|い|カタカナ",
		"e\u0301t\u0301e 👍🏽 a\u200bb":              "ét\u0301e|👍🏽|a|b",
	} {
		assert.Equal(t, want, words(token.Unicode, text), "%q", text)
	}
}

func TestLanguage(t *testing.T) {
	for text, want := range map[string]bool{
		"":                                    false,
		"good film, bad film":                 false,
		"the plot of this film is to die for": false,
		"C'est un film de la vieille école":   true,
		"Der Film ist nicht gut":              true,
		"Es una de las mejores películas":     true,
		"отличный фильм":                      true,
		"素晴らしい映画":                             true,
		"the naïve owner of a small café":     false,
	} {
		var l token.Language
		l.Add(text)
		assert.Equal(t, want, l.Other(), text)
	}
}

// checkTokens checks what holds for every text: words are not empty and hold
// no white space, spans lie in order inside the text.
func checkTokens(t assert.TestingT, tok token.Tokenizer, text string) {
	at := 0
	for _, x := range token.Tokens(tok, text) {
		ok := assert.NotEmpty(t, x.Word) &&
			assert.False(t, strings.ContainsAny(x.Word, " \t\n"), "%q", x.Word) &&
			assert.LessOrEqual(t, x.Start, x.End) && assert.LessOrEqual(t, x.End, len(text)) &&
			assert.LessOrEqual(t, at, x.Start)
		if !ok {
			return
		}
		at = x.Start
	}
}

func TestAnyText(t *testing.T) {
	alphabet := rapid.SampledFrom([]rune("aN't.<br/>- 81,`’“Éé\u0301Σ\u0085\x00İ日"))
	for _, name := range token.Names() {
		tok := must.Get(token.Get(name))(t)
		rapid.Check(t, func(rt *rapid.T) {
			text := rapid.OneOf(rapid.String(), rapid.StringOf(alphabet)).Draw(rt, "text")
			checkTokens(rt, tok, text)
		})
	}
}

// TestASCIIAgrees checks the short cut for ASCII: a character outside it at the
// end, which sends the text the long way, changes nothing before.
func TestASCIIAgrees(t *testing.T) {
	for _, name := range token.Names() {
		tok := must.Get(token.Get(name))(t)
		rapid.Check(t, func(rt *rapid.T) {
			text := rapid.StringOf(rapid.RuneFrom([]rune("aBn't.<br/>- 81,`\"s"))).Draw(rt, "text")
			short := token.Tokens(tok, text)
			long := token.Tokens(tok, text+" é")
			require.Equal(rt, len(short)+1, len(long))
			assert.Equal(rt, append([]token.Token{}, short...), long[:len(short)])
		})
	}
}

func FuzzTokenizers(f *testing.F) {
	f.Add("It's <br /> don’t Cafe\u0301 u.s. 7.5 '80s ΑΣ\xff\x00")
	f.Fuzz(func(t *testing.T, text string) {
		for _, name := range token.Names() {
			tok := must.Get(token.Get(name))(t)
			checkTokens(t, tok, text)
		}
	})
}

// pieces are what splitting depends on; texts of all their neighbours follow.
var pieces = strings.Split(
	" |  |\t|\n|a|b's|don't|O'Connor|'em|'80s|U.S.|e.g.|7.5|1,000|8/10|.|..|...|…|,|-|--|—|'|''|`|\"|“|”|’|<br />|<BR>|<|>|&amp;|*|!|?|/|$|%|(|)|é|e\u0301|Σ|İ|日本|\u0092|\u00a0|\u200b|\xff", "|")

// Caches of split texts carry the version, so that a tokeniser that splits any text
// differently and keeps its version would leave runs on the old words.
func TestVersionIsRaisedWithTheWords(t *testing.T) {
	want := map[string]string{
		"ptb 2":        "33e76323cb985597",
		"unicode 1":    "1d3daf09c296cb22",
		"whitespace 1": "5c8b1f8f55afbe76",
	}
	for _, name := range token.Names() {
		tok, err := token.Get(name)
		assert.NoError(t, err)
		r, sum := rand.New(rand.NewPCG(1, 2)), sha256.New()
		for range 4000 {
			var text strings.Builder
			for range 12 {
				text.WriteString(pieces[r.IntN(len(pieces))])
			}
			for _, w := range token.Tokens(tok, text.String()) {
				fmt.Fprintf(sum, "%q %d %d\n", w.Word, w.Start, w.End)
			}
		}
		key := fmt.Sprint(name, " ", tok.Version)
		assert.Equal(t, want[key], hex.EncodeToString(sum.Sum(nil))[:16],
			"%s: raise Version, and runs.PresentVersion with it, when some text is split differently", key)
	}
}
