package embedding_test

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"imdbexp/dataset"
	"imdbexp/dataset/embedding"
	"imdbexp/dataset/folder"
	"imdbexp/dataset/token"
	"imdbexp/internal/testkit/fixture"
)

// Train has "i like it" and "i do n't like it", "a good film", "a bad film", "it's good",
// "good good fun", whatever stands between.
func TestEncodeNGrams(t *testing.T) {
	c := fixture.Open(t, fixture.IMDB(t, fixture.Tiny), folder.Options{})
	o := embedding.Options{NGrams: 2, NGramMin: 2}
	train, test, table := embedding.Encode(c, fixture.TwoWords, o)
	assert.Equal(t, []string{"", "good", "bad", "like it"}, table.Words, "counted in train, not in test")
	assert.Equal(t, []float32{1.5, 4, 2, 5, 1, 3, 0, 0}, table.Rows, "no n-gram is in the mean, each begins with zeros")
	assert.Equal(t, "? ? ? like it", spell(train, table)[3], "behind the word that it ends with")
	assert.Equal(t, []string{"bad bad bad", "? ? good"}, spell(test, table))

	o.OOV = embedding.OOVMasked
	train, _, table = embedding.Encode(c, fixture.TwoWords, o)
	assert.Equal(t, "like it", spell(train, table)[3], "of words without a vector, too")

	o.MaxLen = 2
	_, _, table = embedding.Encode(c, fixture.TwoWords, o)
	assert.NotContains(t, table.Words, "like it", "only as far as a review is read")
}

// Texts, reviews by another vocabulary and those of training have the same rows, and so
// they have by the definition: each n-gram that is kept, behind the word it ends with.
func TestNGramsOfAnyText(t *testing.T) {
	c := fixture.Open(t, fixture.IMDB(t, fixture.Tiny), folder.Options{})
	tok, err := token.Get(c.Tokenizer)
	require.NoError(t, err)
	for _, o := range []embedding.Options{
		{NGrams: 2, NGramMin: 1}, {NGrams: 3, NGramMin: 1}, {NGrams: 3, NGramMin: 2},
		{NGrams: 3, NGramMin: 1, OOV: embedding.OOVMasked}, {NGrams: 3, NGramMin: 1, MaxLen: 3},
	} {
		train, test, table := embedding.Encode(c, fixture.TwoWords, o)
		kept := embedding.NewTable(table.Words, table.Rows, table.Dim, table.Policy)
		word := make([]int32, len(c.Vocab.Words))
		for id, w := range c.Vocab.Words {
			word[id], _ = kept.Row(w)
		}
		over := kept.Over(c.Vocab, word)
		for _, part := range []struct {
			*dataset.Encoded
			split *dataset.Split
		}{{train, &c.Train}, {test, &c.Test}} {
			for b, name := range part.Names {
				want := part.Words(b)
				ids := part.split.Words(b)
				if o.MaxLen > 0 {
					ids = ids[:min(len(ids), o.MaxLen)]
				}
				assert.Equal(t, want, defined(kept, c.Vocab, ids), "%s %+v", name, o)
				var rows []int32
				over.Each(ids, func(row int32, _ int) { rows = append(rows, row) })
				if len(rows) > 0 {
					assert.Equal(t, want, rows, "%s %+v", name, o)
				}
				for _, e := range fixture.Tiny {
					if e.Name != "aclImdb/"+name+".txt" {
						continue
					}
					rows, tokens := kept.Encode(tok, e.Text, o.MaxLen)
					assert.Equal(t, want, rows, "%s %+v", name, o)
					for i, x := range tokens {
						if strings.Contains(x.Word, " ") {
							assert.Equal(t, kept.Words[rows[i]], x.Word)
							first, _, _ := strings.Cut(x.Word, " ")
							assert.True(t, strings.HasPrefix(strings.ToLower(e.Text[x.Start:x.End]), first), "%q at %q", x.Word, e.Text[x.Start:x.End])
						}
					}
				}
			}
		}
	}
}

// defined looks every n-gram up by its name.
func defined(t *embedding.Table, vocab *dataset.Vocab, ids []int32) (rows []int32) {
	for i := range ids {
		name := ""
		for n := 0; n <= min(i, embedding.MostNGrams-1); n++ {
			name = strings.TrimSpace(vocab.Words[ids[i-n]] + " " + name)
			row, is := t.Row(name)
			if is || n == 0 && t.Policy != embedding.OOVMasked {
				rows = append(rows, row)
			}
		}
	}
	if len(rows) == 0 {
		rows = append(rows, embedding.OOVRow)
	}
	return rows
}
