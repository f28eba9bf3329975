package dataset

import (
	"iter"
	"regexp"
	"strconv"
	"strings"
	"unicode"

	"golang.org/x/text/cases"
	"golang.org/x/text/unicode/norm"

	"imdbexp/dataset/token"
)

var decimal = regexp.MustCompile(`^[+-]?([0-9]+([.,][0-9]*)?|[.,][0-9]+)(e[+-]?[0-9]+)?$`)

// thousands is a number such as 1,000, which may be a thousand or one.
var thousands = regexp.MustCompile(`^[+-]?[0-9]+,[0-9]{3}$`)

// LabelNumber returns the value of a label that is a decimal number, with a point or a comma.
func LabelNumber(label string) (value float64, ok bool) {
	label = plainLabel(label)
	if !decimal.MatchString(label) || thousands.MatchString(label) {
		return 0, false
	}
	value, err := strconv.ParseFloat(strings.Replace(label, ",", ".", 1), 64)
	return value + 0, err == nil // −0 is 0
}

// LabelKey returns a key that is equal for two ways to write one label. Numbers are compared
// by value, in the digits of any script. Other labels are compared without case, invisible characters,
// and differences between composed and decomposed letters, and between kinds of quotes and hyphens.
func LabelKey(label string) string {
	if v, ok := LabelNumber(label); ok {
		return "number " + strconv.FormatFloat(v, 'g', -1, 64)
	}
	return plainLabel(label)
}

// Invisible reports whether a character has no shape of its own: format characters, variation selectors,
// and letters such as the Hangul filler.
func Invisible(r rune) bool {
	return unicode.Is(unicode.Cf, r) || unicode.Is(unicode.Variation_Selector, r) || strings.ContainsRune("\u034f\u115f\u1160\u17b4\u17b5\u2800\u3164\uffa0", r)
}

func plainLabel(label string) string {
	label = strings.Map(func(r rune) rune {
		switch {
		case Invisible(r):
			return -1
		case strings.ContainsRune("\u2212\u2010\u2012\u2013\u2014", r): // minus, hyphen and dashes
			return '-'
		case strings.ContainsRune("\u2018\u2019\u02bc\u00b4`", r):
			return '\''
		case strings.ContainsRune("\u201c\u201d\u201e", r):
			return '"'
		}
		return asciiDigit(r)
	}, norm.NFKC.String(label))
	return strings.Join(strings.Fields(cases.Fold().String(label)), " ")
}

// asciiDigit returns the ASCII digit for one of another script, and other characters as they are.
// Unicode has the digits of a script in a row, from 0.
func asciiDigit(r rune) rune {
	for _, row := range unicode.Nd.R16 {
		if rune(row.Lo) <= r && r <= rune(row.Hi) {
			return '0' + (r-rune(row.Lo))%10
		}
	}
	return r
}

// Letters is the number of letters and digits at the beginning of two texts that make them one text
// for Without. Sets of minimal pairs cut and correct the reviews that they come from.
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

// Changed reports which words differ between a text and its rewriting: the words of a and of b that
// are not in their longest common subsequence (Wagner and Fischer 1974). Time and memory grow with
// len(a)·len(b).
func Changed(a, b []string) (inA, inB []bool) {
	inA, inB = make([]bool, len(a)), make([]bool, len(b))
	common := make([][]int32, len(a)+1) // common[i][j] is the length of the subsequence of a[i:] and b[j:]
	for i := range common {
		common[i] = make([]int32, len(b)+1)
	}
	for i := len(a) - 1; i >= 0; i-- {
		for j := len(b) - 1; j >= 0; j-- {
			if common[i][j] = max(common[i+1][j], common[i][j+1]); a[i] == b[j] {
				common[i][j] = common[i+1][j+1] + 1
			}
		}
	}
	i, j := 0, 0
	for i < len(a) || j < len(b) {
		switch {
		case i < len(a) && j < len(b) && a[i] == b[j]:
			i, j = i+1, j+1
		case j == len(b) || i < len(a) && common[i+1][j] >= common[i][j+1]:
			inA[i] = true
			i++
		default:
			inB[j] = true
			j++
		}
	}
	return inA, inB
}
