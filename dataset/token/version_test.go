package token_test

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"

	"imdbexp/dataset/token"
)

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
