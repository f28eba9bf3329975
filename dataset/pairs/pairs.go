// Package pairs holds sentences and their translations, split into words of two vocabularies, and
// reads and writes their files in the data folder.
package pairs

import (
	"crypto/sha256"
	"encoding/binary"
	"encoding/hex"
	"fmt"
	"slices"

	"imdbexp/dataset"
	"imdbexp/dataset/token"
)

// Pair is a sentence and its translation, as they were written.
type Pair struct {
	ID     string // such as train/0001, unique in its data set
	Source string
	Target string
}

// Corpus is a data set of sentence pairs, split into words. Train.IDs are IDs of Source, and
// Train.Targets.IDs are IDs of Target; likewise for Test.
type Corpus struct {
	Name      string
	Tokenizer string // name of the tokeniser of both sides
	Digest    string // SHA-256 of the content, all pairs as they were written
	Source    *Words // words of the sources that train has
	Target    *Words // words of the targets that train has

	Train, Test         *dataset.Encoded // B pairs each; Targets is set, Labels are 0
	TrainText, TestText []Pair           // [B] the same pairs
}

// Options says how sentence pairs are opened; the zero value keeps all.
type Options struct {
	Tokenizer string // name; "" is token.Default
	Limit     int    // keep the first Limit pairs of each split; 0 keeps all
	// MaxLen omits training pairs with a longer side, in words. Bahdanau et al. 2015 trained on
	// sentences of up to 30 and of up to 50 words. A truncated sentence would have another
	// translation. Test stays whole. 0 keeps all.
	MaxLen   int
	Progress dataset.Progress // is called while a large file is read
}

// Check returns an error for invalid options.
func (o *Options) Check() error {
	if _, err := token.Get(o.Tokenizer); err != nil {
		return err
	}
	if o.MaxLen < 0 || o.Limit < 0 {
		return fmt.Errorf("data.max_len=%d and data.limit=%d must not be negative", o.MaxLen, o.Limit)
	}
	return nil
}

// New splits pairs into words.
func New(name string, train, test []Pair, o Options) (*Corpus, error) {
	tok, err := token.Get(o.Tokenizer)
	if err != nil {
		return nil, err
	}
	p := &Corpus{Name: name, Tokenizer: tok.Name(), Digest: Digest(train, test)}
	if o.Limit > 0 {
		train, test = train[:min(o.Limit, len(train))], test[:min(o.Limit, len(test))]
	}
	if p.encode(tok, train, test, o.MaxLen); p.Train.Len() == 0 || p.Test.Len() == 0 {
		return nil, fmt.Errorf("data=%s, data.max_len=%d, data.limit=%d: %d training pairs and %d test pairs remain: choose a larger data.max_len",
			name, o.MaxLen, o.Limit, p.Train.Len(), p.Test.Len())
	}
	return p, nil
}

// Digest identifies the content of a data set whatever it is packed in.
func Digest(train, test []Pair) string {
	b := []byte("imdbexp pairs 1\n")
	for _, p := range slices.Concat(train, test) {
		for _, s := range []string{p.ID, p.Source, p.Target} {
			b = append(binary.AppendUvarint(b, uint64(len(s))), s...)
		}
	}
	sum := sha256.Sum256(b)
	return hex.EncodeToString(sum[:])
}
