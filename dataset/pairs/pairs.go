// Package pairs holds sentences and their translations, split into words of two vocabularies, and
// reads and writes their files in the data folder.
package pairs

import (
	"context"
	"crypto/sha256"
	"encoding/binary"
	"encoding/csv"
	"encoding/hex"
	"fmt"
	"io"
	"slices"
	"strings"
	"sync"

	"imdbexp/dataset"
	"imdbexp/dataset/internal/jsonl"
	"imdbexp/dataset/token"
	"imdbexp/internal/ragged"
)

// Pair is a sentence and its translation, as they were written.
type Pair struct {
	ID     string `json:"id"` // such as train/0001, unique in its data set
	Source string `json:"source"`
	Target string `json:"target"`
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

// New splits pairs into words.
func New(name string, train, test []Pair, o Options) (*Corpus, error) {
	tok, err := token.Get(o.Tokenizer)
	if err != nil {
		return nil, err
	}
	p := &Corpus{Name: name, Tokenizer: tok.Name, Digest: Digest(train, test)}
	if o.Limit > 0 {
		train, test = train[:min(o.Limit, len(train))], test[:min(o.Limit, len(test))]
	}
	if o.MaxLen > 0 {
		train = slices.DeleteFunc(slices.Clone(train), func(x Pair) bool {
			return max(len(token.Tokens(tok, x.Source)), len(token.Tokens(tok, x.Target))) > o.MaxLen
		})
	}
	if len(train) == 0 || len(test) == 0 {
		return nil, fmt.Errorf("data=%s, data.max_len=%d, data.limit=%d: %d training pairs and %d test pairs remain: choose a larger data.max_len",
			name, o.MaxLen, o.Limit, len(train), len(test))
	}
	p.Source, p.Target = countWords(tok, train, source), countWords(tok, train, target)
	p.Train, p.Test = p.encode(tok, train), p.encode(tok, test)
	p.TrainText, p.TestText = train, test
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

// format is the version of the files of own sentence pairs: gzipped lines of
// JSON. The first line is a header; the pairs follow, train first.
const format = 1

// header is the first line.
type header struct {
	Format  int      `json:"format"`
	Name    string   `json:"name"`
	Pairs   [2]int   `json:"pairs"`   // in train and test
	Sources []string `json:"sources"` // the files, as they were named, and how they were read
}

// Limits of sentence pairs, which are kept in memory whole: of one side, of all
// sides together, and of the number of pairs.
const (
	MaxSideBytes = 64 << 10
	MaxBytes     = 1 << 30
	MaxPairs     = 5_000_000
)

// Write writes pairs into a file.
func Write(to, name string, sources []string, train, test []Pair) error {
	return jsonl.WriteAll(to, header{format, name, [2]int{len(train), len(test)}, sources}, train, test)
}

// Check implements jsonl.Header.
func (h *header) Check() (format, lines int, ok bool) {
	train, test := h.Pairs[dataset.Train], h.Pairs[dataset.Test]
	return h.Format, train + test, min(train, test) > 0 && max(train, test) <= MaxPairs
}

// Read reads a file of Write. Messages call it shown.
func Read(ctx context.Context, path, shown string, progress dataset.Progress) (train, test []Pair, err error) {
	var h header
	var all []Pair
	f := jsonl.File{Path: path, Shown: shown, Format: format, Progress: progress}
	err = jsonl.Read(ctx, f, &h, func(_ string, p *Pair) error {
		if p.ID == "" || p.Source == "" || p.Target == "" {
			return jsonl.Bad("a name or a side is missing")
		}
		all = append(all, *p)
		return nil
	})
	if err != nil {
		return nil, nil, err
	}
	n := h.Pairs[dataset.Train]
	return all[:n:n], all[n:], nil
}

// WriteTSV writes sentence pairs as TSV with a header of source, target and split,
// which tables.ReadPairs reads again. A side that holds a tab, a quote or a line break is
// quoted as in RFC 4180.
func WriteTSV(out io.Writer, train, test []Pair) error {
	w := csv.NewWriter(out)
	w.Comma = '\t'
	if err := w.Write([]string{"source", "target", "split"}); err != nil {
		return err
	}
	for part, split := range [][]Pair{dataset.Train: train, dataset.Test: test} {
		for _, p := range split {
			if err := w.Write([]string{p.Source, p.Target, dataset.Part(part).String()}); err != nil {
				return err
			}
		}
	}
	w.Flush()
	return w.Error()
}

// The first IDs of the vocabulary of either side of sentence pairs.
const (
	UnknownID   int32 = 0                // any word that train does not have
	FirstWordID       = ragged.EndID + 1 // behind it, BeginID and EndID
)

// marks are how the first IDs are shown.
var marks = [FirstWordID]string{"<unk>", "<s>", "</s>"}

// Words is the vocabulary of one side of sentence pairs, V IDs: the three above,
// then words by falling count in train, equal counts in the order of their bytes.
type Words struct {
	words []string // [V − FirstWordID]
	index func() map[string]int32
}

// NewWords returns the vocabulary where words[i] has the ID FirstWordID + i.
func NewWords(words []string) *Words {
	return &Words{words, sync.OnceValue(func() map[string]int32 { return dataset.Index(words) })}
}

// Len returns V.
func (w *Words) Len() int { return len(w.words) + int(FirstWordID) }

// Words returns the words from FirstWordID on, for NewWords; not to be changed.
func (w *Words) Words() []string { return w.words }

// Word returns the word with that ID, or <unk>, <s> or </s>.
func (w *Words) Word(id int32) string {
	if id < FirstWordID {
		return marks[id]
	}
	return w.words[id-FirstWordID]
}

// ID returns the ID of a word, UnknownID if train does not have it.
func (w *Words) ID(word string) int32 {
	if id, ok := w.index()[word]; ok {
		return id + FirstWordID
	}
	return UnknownID
}

// Encode splits any text into words as New did. tokens[i] is the word of
// ids[i]; a text without any word is UnknownID alone with an empty token.
func (w *Words) Encode(tok token.Tokenizer, text string) (ids []int32, tokens []token.Token) {
	tokens = token.Tokens(tok, text)
	if len(tokens) == 0 {
		tokens = []token.Token{{}}
	}
	ids = make([]int32, len(tokens))
	for i, t := range tokens {
		ids[i] = w.ID(t.Word)
	}
	return ids, tokens
}

// Text joins words by spaces.
func (w *Words) Text(ids []int32) string {
	words := make([]string, len(ids))
	for i, id := range ids {
		words[i] = w.Word(id)
	}
	return strings.Join(words, " ")
}

// source and target return the sides of a pair.
func source(p Pair) string { return p.Source }
func target(p Pair) string { return p.Target }

// countWords returns the vocabulary of one side of pairs.
func countWords(tok token.Tokenizer, pairs []Pair, side func(Pair) string) *Words {
	index, words, counts := map[string]int{}, []string(nil), []int64(nil)
	for _, p := range pairs {
		tok.Split(side(p), func(word []byte, _, _ int) {
			i, ok := index[string(word)]
			if !ok {
				i = len(words)
				w := string(word)
				index[w], words, counts = i, append(words, w), append(counts, 0)
			}
			counts[i]++
		})
	}
	vocab, _ := dataset.SortVocab(words, counts)
	return NewWords(vocab.Words)
}

// encode replaces words by their IDs.
func (p *Corpus) encode(tok token.Tokenizer, pairs []Pair) *dataset.Encoded {
	e := p.Source.encode(tok, pairs, source)
	e.Targets = p.Target.encode(tok, pairs, target)
	return e
}

func (w *Words) encode(tok token.Tokenizer, pairs []Pair, side func(Pair) string) *dataset.Encoded {
	e := dataset.NewEncoded(len(pairs), 0)
	for _, p := range pairs {
		ids, _ := w.Encode(tok, side(p))
		e.Add(ids, 0, p.ID)
	}
	return e
}
