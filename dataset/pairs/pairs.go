package dataset

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"slices"

	"imdbexp/dataset/phrases"
	"imdbexp/dataset/token"
)

// Phrases is the data set of sentence pairs that is always there, English to
// French, see package phrases.
const Phrases = "phrases"

// Pair is a sentence and its translation, as they were written.
type Pair struct {
	ID     string // such as train/0001, unique in its data set
	Source string
	Target string
}

// Pairs is a data set of sentence pairs, split into words. The rows of
// Train.IDs are of Source, those of Train.Targets.IDs of Target; likewise Test.
type Pairs struct {
	Name      string
	Tokenizer string // name of the tokeniser of both sides
	Digest    string // SHA-256 of the content, all pairs as they were written
	Source    *Words // words of the sources that train has
	Target    *Words // words of the targets that train has

	Train, Test         *Encoded // B pairs each; Targets is set, Labels are 0
	TrainText, TestText []Pair   // [B] the same pairs
}

// PairOptions says how sentence pairs are opened; the zero value keeps all.
type PairOptions struct {
	Tokenizer string // name; "" is token.Default
	Limit     int    // keep the first Limit pairs of each split; 0 keeps all
	// MaxLen leaves out of train the pairs of which a side has more words, as
	// Bahdanau et al. 2015 trained on sentences of up to 30 and of up to 50 words;
	// a sentence cut off would have another translation. Test stays whole. 0 keeps all.
	MaxLen   int
	Progress Progress // hears about reading that takes time
}

// OpenPairs returns the sentence pairs of that name: Phrases, or what AddPairs has
// put into the data folder. Its vocabularies are those of the kept pairs of train.
// A data set of reviews is a *KindError.
func OpenPairs(ctx context.Context, dir, name string, o PairOptions) (*Pairs, error) {
	tok, err := token.Get(o.Tokenizer)
	if err != nil {
		return nil, err
	}
	if o.MaxLen < 0 || o.Limit < 0 {
		return nil, fmt.Errorf("data.max_len=%d and data.limit=%d must not be negative", o.MaxLen, o.Limit)
	}
	train, test, err := PairTexts(ctx, dir, name, o.Progress)
	if err != nil {
		return nil, err
	}
	p := &Pairs{Name: name, Tokenizer: tok.Name(), Digest: pairsDigest(train, test)}
	if o.Limit > 0 {
		train, test = train[:min(o.Limit, len(train))], test[:min(o.Limit, len(test))]
	}
	if p.encode(tok, train, test, o.MaxLen); p.Train.Len() == 0 || p.Test.Len() == 0 {
		return nil, fmt.Errorf("data=%s, data.max_len=%d, data.limit=%d: %d pairs to train on and %d to test on are left: choose a larger data.max_len",
			name, o.MaxLen, o.Limit, p.Train.Len(), p.Test.Len())
	}
	return p, nil
}

// PairTexts returns the pairs of a data set as they were written, in the order of
// their IDs.
func PairTexts(ctx context.Context, dir, name string, progress Progress) (train, test []Pair, err error) {
	if name == Phrases {
		train, test := phrases.Pairs()
		return pairsOf(train), pairsOf(test), nil
	}
	own, err := findOwn(dir, name, PairsKind)
	if err != nil {
		return nil, nil, err
	}
	return readPairs(ctx, own.Path, own.Path, progress)
}

// PhrasesToTrain returns n embedded pairs to train on, see phrases.ToTrain; those to
// test on stay as they are.
func PhrasesToTrain(n int) []Pair { return pairsOf(phrases.ToTrain(n)) }

func pairsOf(in []phrases.Pair) []Pair {
	out := make([]Pair, len(in))
	for i, p := range in {
		out[i] = Pair{p.ID, p.Source, p.Target}
	}
	return out
}

// pairsDigest identifies the content of a data set whatever it is packed in.
func pairsDigest(train, test []Pair) string {
	b := []byte("imdbexp pairs 1\n")
	for _, p := range slices.Concat(train, test) {
		for _, s := range []string{p.ID, p.Source, p.Target} {
			b = appendString(b, s)
		}
	}
	sum := sha256.Sum256(b)
	return hex.EncodeToString(sum[:])
}
