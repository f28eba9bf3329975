package dataset_test

import (
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"imdbexp/dataset"
	"imdbexp/dataset/embedding"
	"imdbexp/dataset/folder"
	"imdbexp/dataset/token"
	"imdbexp/dataset/vectors"
	"imdbexp/internal/mapped"
	"imdbexp/internal/testkit/fixture"
	"imdbexp/internal/testkit/must"
)

// spell writes the reviews of a split as words of the table, "?" for OOVRow.
func spell(e *dataset.Encoded, t *embedding.Table) []string {
	out := make([]string, e.Len())
	for b := range out {
		var w []string
		for _, r := range e.Words(b) {
			if r == embedding.OOVRow {
				w = append(w, "?")
			} else {
				w = append(w, t.Words[r])
			}
		}
		out[b] = strings.Join(w, " ")
	}
	return out
}

func TestEncode(t *testing.T) {
	c := fixture.Open(t, fixture.IMDB(t, fixture.Tiny), folder.Options{})
	mean := []float32{1.5, 4}
	for _, x := range []struct {
		policy embedding.OOV
		row    []float32
		train  []string
		test   []string
	}{
		{"", mean, []string{"? bad ? ? ? ? ? ? ? ?", "?", "? good ? ? ? ? good ?", "? ? ?", "good good ?"}, []string{"bad bad bad", "? ? good"}},
		{embedding.OOVLearned, mean, []string{"? bad ? ? ? ? ? ? ? ?", "?", "? good ? ? ? ? good ?", "? ? ?", "good good ?"}, []string{"bad bad bad", "? ? good"}},
		{embedding.OOVZero, []float32{0, 0}, []string{"? bad ? ? ? ? ? ? ? ?", "?", "? good ? ? ? ? good ?", "? ? ?", "good good ?"}, []string{"bad bad bad", "? ? good"}},
		{embedding.OOVMasked, []float32{0, 0}, []string{"bad", "?", "good good", "?", "good good"}, []string{"bad bad bad", "good"}},
	} {
		train, test, table := embedding.Encode(c, fixture.TwoWords, embedding.Options{OOV: x.policy})
		assert.Equal(t, x.train, spell(train, table), x.policy)
		assert.Equal(t, x.test, spell(test, table), x.policy)
		assert.Equal(t, append(x.row, 2, 5, 1, 3), table.Rows, "by falling count: good, bad")
		assert.Equal(t, []string{"", "good", "bad"}, table.Words)
		assert.Equal(t, c.Train.Labels, train.Labels)
		assert.Equal(t, c.Train.Names, train.Names)
	}
}

// The row of words without a vector, and n-grams, are of the reviews that are trained on: not of
// words that only test has, nor of reviews that are held out.
func TestLearnedFromTrain(t *testing.T) {
	c := fixture.Open(t, fixture.IMDB(t, fixture.Tiny), folder.Options{})
	v := &vectors.Set{Name: "three", Dim: 1, Words: []string{"bad", "good", "unseen"}, Rows: []float32{1, 3, 100}}
	for _, x := range []struct {
		trained []string
		mean    float32
	}{
		{nil, 2},
		{[]string{"train/neg/0_2", "train/pos/0_9"}, 2},
		{[]string{"train/pos/0_9", "train/pos/10_8"}, 3},
		{[]string{"train/pos/10_8"}, 0}, // no word has a vector
	} {
		o := embedding.Options{NGrams: 2, NGramMin: 1}
		for _, name := range x.trained {
			if o.Trained == nil {
				o.Trained = map[string]bool{}
			}
			o.Trained[name] = true
		}
		train, _, table := embedding.Encode(c, v, o)
		require.Equal(t, 5, train.Len(), "all reviews have rows")
		require.Equal(t, []float32{x.mean, 3, 1, 100}, table.Rows[:4], "%v", x.trained)
		_, held := table.Row("good fun")
		require.Equal(t, x.trained == nil, held, "an n-gram of a review that is held out: %v", x.trained)
	}
}

func TestEncodeLimits(t *testing.T) {
	c := fixture.Open(t, fixture.IMDB(t, fixture.Tiny), folder.Options{})
	train, test, table := embedding.Encode(c, fixture.TwoWords, embedding.Options{Limit: 1, MaxLen: 2})
	assert.Equal(t, []string{"train/neg/0_2", "train/pos/0_9"}, train.Names)
	assert.Equal(t, []string{"? bad", "? good"}, spell(train, table))
	assert.Equal(t, []string{"bad bad", "? ?"}, spell(test, table))
	assert.Equal(t, []string{"", "bad", "good"}, table.Words, "counted in what is kept")

	train, _, table = embedding.Encode(c, fixture.TwoWords, embedding.Options{MaxLen: 1})
	assert.Equal(t, []string{"", "good", "bad"}, table.Words, "equal counts in the vocabulary's order")
	assert.Equal(t, []int{0, 1, 2, 3, 4, 5}, train.Offsets)

	_, _, table = embedding.Encode(c, &vectors.Set{Dim: 2}, embedding.Options{})
	assert.Equal(t, []float32{0, 0}, table.Rows, "no word has a vector")
}

// TestTableEncode checks that any text is split as the corpus was.
func TestTableEncode(t *testing.T) {
	c := fixture.Open(t, fixture.IMDB(t, fixture.Tiny), folder.Options{})
	tok := must.Get(token.Get(c.Tokenizer))(t)
	for _, policy := range []embedding.OOV{embedding.OOVMean, embedding.OOVMasked} {
		for _, maxLen := range []int{0, 2} {
			train, _, table := embedding.Encode(c, fixture.TwoWords, embedding.Options{OOV: policy, MaxLen: maxLen})
			kept := embedding.NewTable(table.Words, table.Rows, table.Dim, table.Policy)
			for b, name := range train.Names {
				for _, e := range fixture.Tiny {
					if e.Name == "aclImdb/"+name+".txt" {
						rows, tokens := kept.Encode(tok, e.Text, maxLen)
						assert.Equal(t, train.Words(b), rows, "%s %s %d", name, policy, maxLen)
						assert.Len(t, tokens, len(rows))
					}
				}
			}
		}
	}
	_, _, table := embedding.Encode(c, fixture.TwoWords, embedding.Options{OOV: embedding.OOVMasked})
	rows, tokens := table.Encode(tok, "Not Good, bad!", 0)
	assert.Equal(t, []int32{1, 2}, rows)
	assert.Equal(t, []token.Token{{Word: "good", Start: 4, End: 8}, {Word: "bad", Start: 10, End: 13}}, tokens)
	_, ok := table.Row("good")
	assert.True(t, ok)
	for _, w := range []string{"", "absent"} {
		row, ok := table.Row(w)
		assert.False(t, ok)
		assert.Equal(t, embedding.OOVRow, row)
	}
}

// Split asks elsewhere for words that the table does not have.
func TestTableSplitAsks(t *testing.T) {
	table := embedding.NewTable([]string{"", "good"}, make([]float32, 4), 2, embedding.OOVMasked)
	tok := must.Get(token.Get(""))(t)
	var asked, seen []string
	more := func(word []byte) int32 {
		asked = append(asked, string(word))
		return int32(len(word) % 4) // bad gets 3, some none
	}
	table.Split(tok, "Some bad good film", 3, more, func(row int32, word []byte, start, end int) {
		seen = append(seen, fmt.Sprint(row, string(word), start, end))
	})
	require.Equal(t, []string{"some", "bad"}, asked)
	require.Equal(t, []string{"3bad5 8", "1good9 13"}, seen)
	table.Split(tok, "some", 0, more, func(row int32, word []byte, _, _ int) { seen = append(seen, fmt.Sprint(row, len(word))) })
	require.Equal(t, "0 0", seen[2], "no word is left")
}

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
	tok := must.Get(token.Get(c.Tokenizer))(t)
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

func TestOpen(t *testing.T) {
	path := filepath.Join(t.TempDir(), "f")
	open := func() []byte {
		f := must.Get(os.Open(path))(t)
		defer f.Close()
		return mapped.Open(f)
	}
	require.NoError(t, os.WriteFile(path, []byte("one"), 0o644))
	one := open()
	if one == nil && runtime.GOOS == "windows" {
		t.Skip("not mapped here")
	}
	assert.Equal(t, "one", string(one))
	assert.Same(t, &one[0], &open()[0], "once")
	mapped.Release(one)
	assert.Equal(t, "one", string(one), "it comes back")

	require.NoError(t, os.Remove(path))
	require.NoError(t, os.WriteFile(path, []byte("two"), 0o644))
	assert.Equal(t, "two", string(open()), "another file of that name")
	assert.Equal(t, "one", string(one), "the one before stays")

	heap := []int32{1, 2}
	mapped.Release(heap)
	assert.Equal(t, []int32{1, 2}, heap)
	require.NoError(t, os.WriteFile(path, nil, 0o644))
	assert.Nil(t, open())
}
