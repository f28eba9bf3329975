// Package sample is a corpus of film reviews for use without any download. A
// small grammar writes it, the same on every machine, in such a way that models
// of attention differ on it for reasons one can name:
//
//   - Plot is noise. "in this farce a merry clown hides the wig of a jealous
//     barber ." does not tell how good the film is, and neither does its mood. It
//     dilutes a uniform mean; a learned query can ignore it.
//   - The kind of film decides which opinions count: on the story of a thriller, the
//     jokes of a comedy, the songs of a musical and the acting of a drama. Opinions on
//     other sides of the film do not count. In "this spoof … the cast is wooden . the
//     gags are witty ." only "witty" counts, in a tragedy only "wooden". One query for
//     the whole corpus cannot distinguish them. A query computed from the review can,
//     because the plot shows the kind of film.
//   - Negation: "the plot is hardly gripping", "the actors are far from bland".
//   - Contrast: "the songs are catchy , but the score is shrill" and "despite a
//     shrill score , the songs are catchy"; which clause counts is grammar.
//   - Order: "i expected lame jokes and got witty humour" against "i got lame
//     jokes where i expected witty humour".
//   - Degree: "slightly witty and deeply corny", against intensifiers that change
//     nothing ("very", "truly").
//
// A bag of words cannot learn the last four: each word occurs with both labels, and
// "not", "but" and "despite" also occur in opinions that do not count and in sentences
// about the cinema. They need a model that reads in order, such as an LSTM.
//
// Opinions on the other sides agree with the label slightly more often than not, as good films
// are good in several ways. So accuracy rises in four steps from the mean to the LSTM. The
// frequencies in this package were tuned on seeds other than the shipped one.
//
// The grammar has everyday words (good, awful, boring, film, actor). Each has one use: "great"
// describes jokes, "boring" stories. So a model trained here knows the words of a typed text.
package sample

import (
	"fmt"
	"sync"

	"imdbexp/dataset/internal/dice"
)

// Review is one film review.
type Review struct {
	// ID names the review by split and number from 1, such as train/0001.
	ID string
	// Text is lower case, with spaces around punctuation and no other marks than
	// comma and full stop, so that splitting at spaces gives the same words as the
	// whitespace and the ptb tokeniser.
	Text string
	// Label is 0 for a negative and 1 for a positive review.
	Label int
	// Verdict holds the word indices, rising, of the one to three words of opinion
	// that decide Label. It includes neither a "not" before them nor decoys.
	Verdict []int
}

// The shipped corpus.
const (
	shippedSeed  = 1
	shippedTrain = 2000
	shippedTest  = 1000
)

// Reviews returns the corpus that comes with the program: 2000 reviews to train on
// and 1000 to test on, half of each positive. The caller must not change them.
func Reviews() (train, test []Review) { return reviews() }

var reviews = sync.OnceValues(func() (train, test []Review) {
	return Generate(shippedSeed, shippedTrain, shippedTest)
})

// Generate writes another corpus by the same grammar; equal arguments give equal
// corpora. Labels are balanced, to within one when a number is odd, and no text
// occurs twice. The grammar knows many millions of texts, so sizes up to some
// hundred thousand are fine.
func Generate(seed uint64, nTrain, nTest int) (train, test []Review) {
	seen := map[string]bool{}
	return split(seed, "train", 0, nTrain, seen), split(seed, "test", 1, nTest, seen)
}

// Streams of random numbers, the third coordinate of each.
const (
	labelStream = iota
	textStream
)

func split(seed uint64, name string, number uint64, n int, seen map[string]bool) []Review {
	reviews := make([]Review, max(0, n))
	for i := range reviews {
		// Of reviews 2j and 2j+1 one is positive, by toss of a coin.
		coin := dice.New(seed, number, labelStream, uint64(i/2))
		label := coin.Below(2) ^ i&1
		for attempt := uint64(0); ; attempt++ {
			reviews[i] = compose(dice.New(seed, number, textStream, uint64(i), attempt), label)
			if text := reviews[i].Text; !seen[text] {
				seen[text] = true
				break
			}
		}
		reviews[i].ID = fmt.Sprintf("%s/%04d", name, i+1)
	}
	return reviews
}
