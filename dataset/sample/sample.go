// Package sample is a corpus of film reviews for use without any download. A
// small grammar wrote it, in such a way that models of attention differ on it for reasons
// one can name:
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
// "not", "but" and "despite" also occur in opinions that do not count. They need a model that
// reads in order, such as an LSTM. Opinions on the other sides agree with the label slightly more
// often than not. So accuracy rises in four steps from the mean to the LSTM.
//
// Each everyday word (good, awful, boring, film, actor) has one use: "great" describes jokes,
// "boring" stories. So a model trained here knows the words of a typed text.
package sample

import (
	"context"
	_ "embed"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"sync"

	"imdbexp/dataset"
	"imdbexp/dataset/internal/stream"
	"imdbexp/dataset/probe"
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

	opposite []string // for each of them the word of the other polarity
}

const trainReviews = 2000

// packed holds the reviews, training reviews first: a line each with label, text, and the verdict as
// word indices and words of the other polarity.
//
//go:embed reviews.tsv.zst
var packed []byte

// Reviews returns 2000 reviews to train on and 1000 to test on, half of each positive. No text
// occurs twice. The slices are not to be changed.
func Reviews() (train, test []Review) { return load() }

var load = sync.OnceValues(func() (train, test []Review) {
	for line := range strings.Lines(stream.Unpack(packed)) {
		fields := strings.Split(strings.TrimSuffix(line, "\n"), "\t")
		r := Review{Text: fields[1]}
		r.Label, _ = strconv.Atoi(fields[0])
		for i, word := range strings.Fields(fields[2]) {
			if i%2 == 1 {
				r.opposite = append(r.opposite, word)
				continue
			}
			at, _ := strconv.Atoi(word)
			r.Verdict = append(r.Verdict, at)
		}
		split, name := &train, "train"
		if len(train) == trainReviews {
			split, name = &test, "test"
		}
		r.ID = fmt.Sprintf("%s/%04d", name, len(*split)+1)
		*split = append(*split, r)
	}
	return train, test
})

// Source is the embedded corpus, as a corpus is read.
type Source struct{}

// String and Classes implement Source.
func (Source) String() string    { return "sample" }
func (Source) Classes() []string { return []string{"neg", "pos"} }

// HasRationales reports that reviews have them.
func (Source) HasRationales() bool { return true }

// rationale are the words that decide the label, which the grammar knows.
func (r Review) rationale() (spans []dataset.Span) {
	at := 0
	for i, word := range strings.Split(r.Text, " ") {
		if slices.Contains(r.Verdict, i) {
			spans = append(spans, dataset.Span{Start: at, End: at + len(word)})
		}
		at += len(word) + 1
	}
	return spans
}

// Reviews implements Source.
func (Source) Reviews(_ context.Context, yield func(dataset.Part, dataset.Review) error) error {
	train, test := Reviews()
	for p, reviews := range [][]Review{dataset.Train: train, dataset.Test: test} {
		for _, r := range reviews {
			if err := yield(dataset.Part(p), dataset.Review{ID: r.ID, Text: r.Text, Label: r.Label, Rationale: r.rationale()}); err != nil {
				return err
			}
		}
	}
	return nil
}

// MinimalPairs returns test reviews as minimal pairs. In the set swapped, the words that decide the
// label, and no others, have changed to words of the other polarity. In the set negated, "not" stands
// before the one word that decides.
func MinimalPairs() *probe.Probe {
	_, test := Reviews()
	p := &probe.Probe{Name: "sample"}
	add := func(set string, r Review, words []string) {
		labels := Source{}.Classes()
		p.Pairs = append(p.Pairs, probe.Pair{
			ID: set + "/" + strings.TrimPrefix(r.ID, "test/"), Set: set,
			Original:  probe.Text{Label: labels[r.Label], Text: r.Text},
			Rewritten: probe.Text{Label: labels[1-r.Label], Text: strings.Join(words, " ")},
		})
	}
	for _, r := range test {
		words := strings.Fields(r.Text)
		for k, i := range r.Verdict {
			words[i] = r.opposite[k]
			if before := words[max(0, i-1)]; before == "a" || before == "an" {
				words[i-1] = article(words[i])
			}
		}
		add("swapped", r, words)
	}
	for _, r := range test {
		words := strings.Fields(r.Text)
		if i := r.Verdict[0]; len(r.Verdict) == 1 && i > 0 && (words[i-1] == "is" || words[i-1] == "are") {
			add("negated", r, slices.Insert(words, i, "not"))
		}
	}
	return p
}

// article returns the article before a word.
func article(word string) string {
	if strings.IndexByte("aeiou", word[0]) >= 0 {
		return "an"
	}
	return "a"
}
