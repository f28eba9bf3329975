package dataset

import (
	"iter"
	"strings"
	"unicode"
	"unicode/utf8"

	"golang.org/x/text/unicode/norm"

	"imdbexp/dataset/token"
)

// Letters is how many letters and digits at the beginning of two texts make them one text for
// Without. Sets of minimal pairs cut and correct the reviews that they come from.
const Letters = 150

// letters returns the letters and digits of a word, without case and accents.
func letters(word string) string {
	return strings.Map(func(r rune) rune {
		if unicode.IsLetter(r) || unicode.IsDigit(r) {
			return unicode.ToLower(r)
		}
		return -1
	}, norm.NFKD.String(word))
}

// beginnings are the first Letters letters and digits of texts.
type beginnings map[string]bool

// beginningsOf splits texts into words, as the reviews of a corpus are, so that texts with the same
// words have the same beginning.
func beginningsOf(tok token.Tokenizer, texts iter.Seq[string]) beginnings {
	all := beginnings{}
	var b beginning
	for text := range texts {
		b = beginning{b.letters[:0], 0}
		tok.Split(text, func(word []byte, _, _ int) { b.add(letters(string(word))) })
		all[string(b.letters)] = true
	}
	delete(all, "") // texts without any letter are not each other's
	return all
}

// beginning collects the first letters of a text.
type beginning struct {
	letters []byte
	n       int
}

// add adds the letters of the next word, and reports whether these are all.
func (b *beginning) add(word string) (full bool) {
	for _, r := range word {
		if b.n == Letters {
			return true
		}
		b.letters = utf8.AppendRune(b.letters, r)
		b.n++
	}
	return b.n == Letters
}

// Without returns the corpus without the training and unlabelled reviews that begin as one of the
// texts: with the same letters and digits, up to Letters of them. These are the reviews that have
// the same words as a text, and those of which it is a part or a correction. The vocabulary is that
// of the reviews which are left and of the test reviews, which all stay. mark identifies the texts;
// it becomes part of Key, so that word vectors of the corpus are trained anew. Digest stays, because
// the test reviews are the same. left says how many reviews of each part are left out.
func (c *Corpus) Without(tok token.Tokenizer, texts iter.Seq[string], mark string) (out *Corpus, left [Parts]int) {
	known := beginningsOf(tok, texts)
	words := make([]string, c.Vocab.Len())
	for id, w := range c.Vocab.Words() {
		words[id] = letters(w)
	}
	out = &Corpus{Head: c.Head}
	out.Key += "-" + mark[:min(12, len(mark))]
	counts := make([]int64, c.Vocab.Len())
	var begin beginning
	for p := range Parts {
		from, to := c.Part(p), out.Part(p)
		to.Offsets = []int{0}
		for b := range from.Labels {
			if p != Test {
				begin = beginning{begin.letters[:0], 0}
				for _, id := range from.Words(b) {
					if begin.add(words[id]) {
						break
					}
				}
				if known[string(begin.letters)] {
					left[p]++
					continue
				}
			}
			for _, id := range from.Words(b) {
				counts[id]++
			}
			to.IDs = append(to.IDs, from.Words(b)...)
			to.Offsets = append(to.Offsets, len(to.IDs))
			to.Labels, to.Names = append(to.Labels, from.Labels[b]), append(to.Names, from.Names[b])
		}
	}
	out.renumber(counts)
	return out, left
}

// renumber makes the vocabulary that of words with these counts, without those that do not occur.
func (c *Corpus) renumber(counts []int64) {
	var words []string
	var occur []int64
	number := make([]int32, len(counts))
	for id, n := range counts {
		if n > 0 {
			number[id] = int32(len(words))
			words, occur = append(words, c.Vocab.Word(int32(id))), append(occur, n)
		}
	}
	vocab, place := SortVocab(words, occur)
	c.Vocab = vocab
	for p := range Parts {
		ids := c.Part(p).IDs
		for i, id := range ids {
			ids[i] = place[number[id]]
		}
	}
}
