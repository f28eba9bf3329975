package dataset

import (
	"iter"
	"strings"
	"unicode"

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

// beginning returns the first Letters letters of n words.
func beginning(n int, letters func(i int) string) string {
	var b []rune
	for i := 0; i < n && len(b) < Letters; i++ {
		b = append(b, []rune(letters(i))...)
	}
	return string(b[:min(len(b), Letters)])
}

// Without returns the corpus without the training and unlabelled reviews that begin as one of the
// texts: with the same letters and digits, up to Letters of them. These are the reviews that have
// the same words as a text, and those of which it is a part or a correction. The vocabulary is that
// of the reviews which are left and of the test reviews, which all stay. mark identifies the texts;
// it becomes part of Key, so word vectors of the corpus are trained again. Digest stays, because
// the test reviews are the same. left says how many reviews of each part are left out.
func (c *Corpus) Without(tok token.Tokenizer, texts iter.Seq[string], mark string) (out *Corpus, left [Parts]int) {
	known := map[string]bool{}
	for text := range texts { // split as the reviews are, so that texts with the same words begin alike
		tokens := token.Tokens(tok, text)
		known[beginning(len(tokens), func(i int) string { return letters(tokens[i].Word) })] = true
	}
	delete(known, "") // texts without any letter are not each other's
	words := make([]string, len(c.Vocab.Words))
	for id, w := range c.Vocab.Words {
		words[id] = letters(w)
	}
	out = &Corpus{Head: c.Head}
	out.Key += "-" + mark[:min(12, len(mark))]
	counts := make([]int64, len(c.Vocab.Words))
	for p := range Parts {
		from, to := c.Part(p), NewEncoded(0, 0)
		for b := range from.Labels {
			ids := from.Words(b)
			if p != Test && known[beginning(len(ids), func(i int) string { return words[ids[i]] })] {
				left[p]++
				continue
			}
			for _, id := range ids {
				counts[id]++
			}
			to.Add(ids, from.Labels[b], from.Names[b])
		}
		*out.Part(p) = *to
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
			words, occur = append(words, c.Vocab.Words[int32(id)]), append(occur, n)
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
