package folder_test

import (
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"imdbexp/dataset/folder"
	"imdbexp/dataset/own"
	"imdbexp/dataset/pairs"
	"imdbexp/dataset/phrases"
	"imdbexp/internal/testkit/fixture"
	"imdbexp/internal/testkit/must"
)

// addPairs adds a file called mine to a new data folder.
func addPairs(t *testing.T, in own.Data, text string) (dir string, a folder.PairsAdded, err error) {
	t.Helper()
	dir, in.Name = t.TempDir(), "mine"
	in.Files = []string{fixture.Put(t, t.TempDir(), "a.tsv", []byte(text))}
	a, err = folder.AddPairs(ctx, dir, in, folder.Options{Warn: func(err error) { t.Errorf("warning: %v", err) }})
	return dir, a, err
}

func TestAddPairs(t *testing.T) {
	var text strings.Builder
	for i := range 10 {
		text.WriteString("word " + strings.Repeat("a", i+1) + "\tmot " + strings.Repeat("b", i+1) + "\n")
	}
	dir, a := must.Get2(addPairs(t, own.Data{}, text.String()))(t)
	assert.Equal(t, []int{8, 2}, []int{a.Train, a.Test})
	assert.Equal(t, 0.2, a.HeldOut)
	assert.Equal(t, filepath.Join(dir, "mine.pairs.jsonl.gz"), a.Path)
	assert.Equal(t, folder.PairsKind, a.Kind)
	items := must.Get(folder.Installed(dir))(t)
	assert.Equal(t, []folder.Item{a.Item}, items)

	p := must.Get(folder.Pairs(ctx, dir, "mine", pairs.Options{}))(t)
	assert.Equal(t, a.Digest, p.Digest)
	assert.Equal(t, []int{8, 2}, []int{p.Train.Len(), p.Test.Len()})
	checked := must.Get(check(t, dir))(t)
	assert.Equal(t, a.Digest, checked["mine"].Recorded)
	noted := must.Get(folder.Records(dir))(t)
	assert.Equal(t, 8, noted["mine.pairs.jsonl.gz"].Train)

	must.Get2(addPairs(t, own.Data{TestFraction: 0.5}, text.String()))(t)
	must.Get(folder.Remove(dir, "mine"))(t)
	untouchedButRecord(t, dir)
}

func TestPairsReport(t *testing.T) {
	train := "a\tx\na\tx\na\ty\n\tz\nb\t \nc\tz\nd\tz\n"
	_, a := must.Get2(addPairs(t, own.Data{}, train))(t)
	assert.Equal(t, []int{2, 1, 1, 0}, []int{a.Empty, a.Repeated, a.Ambiguous, a.Shared})
	_, a = must.Get2(addPairs(t, own.Data{Test: []string{fixture.Put(t, t.TempDir(), "b.tsv", []byte("a\tx\ne\tz\n"))}}, train))(t)
	assert.Equal(t, []int{2, 1, 1}, []int{a.Repeated, a.Ambiguous, a.Shared})
	assert.Equal(t, []int{5, 2}, []int{a.Train, a.Test})
	_, a = must.Get2(addPairs(t, own.Data{}, "a\tx\ttrain\nb\ty\ttest\nc\tz\t\n"))(t)
	assert.Equal(t, []int{2, 1}, []int{a.Train, a.Test}, "a line that says nothing is to train on")
}

func TestPairsErrors(t *testing.T) {
	for want, x := range map[string]struct {
		text string
		in   own.Data
	}{
		"a.tsv: line 2: 3 columns instead of 2":                                       {"a\tb\nc\td\te\n", own.Data{}},
		"a.tsv: line 2: the split \"dev\": write train or test":                       {"a\tb\ttest\nc\td\tdev\n", own.Data{}},
		"a.tsv: holds 0 different sentences, and two are needed":                      {"a\t\n", own.Data{}},
		"a.tsv: holds no texts or pairs":                                              {"source\ttarget\n", own.Data{}},
		"a.tsv: no pairs to train on":                                                 {"a\tb\ttest\n", own.Data{}},
		"a.tsv says what to test on: leave out --test-fraction":                       {"a\tb\ttest\nc\td\ttrain\n", own.Data{TestFraction: 0.1}},
		"b.tsv: line 1: says by itself whether it is to train or to test on":          {"a\tb\n", own.Data{Test: []string{fixture.Put(t, t.TempDir(), "b.tsv", []byte("c\td\ttrain\n"))}}},
		"a.tsv: line 1: longer than 65536 bytes":                                      {strings.Repeat("a", 1<<16+1) + "\tb\n", own.Data{}},
		"a test fraction of 2: choose":                                                {"a\tb\n", own.Data{TestFraction: 2}},
		"a.tsv: line 1: a single column: put a tab between a sentence and its transl": {"a b\n", own.Data{}},
	} {
		dir, _, err := addPairs(t, x.in, x.text)
		require.ErrorContains(t, err, want)
		untouched(t, dir)
	}
}

// One name stands for one thing.
func TestPairsNames(t *testing.T) {
	dir := fixture.AddedPairs(t, "a\tx\n", "b\ty\n")
	file := fixture.Put(t, t.TempDir(), "a.tsv", []byte("a\tx\nb\ty\n"))
	reviews := fixture.Put(t, t.TempDir(), "a.csv", fixture.CSV(5, "a", "b"))
	_, err := folder.AddPairs(ctx, dir, own.Data{Name: "mine", Files: []string{file}}, folder.Options{})
	require.ErrorContains(t, err, "data=mine is installed in "+dir+" already: --force replaces it")
	a := must.Get(folder.AddPairs(ctx, dir, own.Data{Name: "mine", Files: []string{file}, Force: true, TestFraction: 0.5}, folder.Options{}))(t)
	assert.Equal(t, 1, a.Train)
	_, err = folder.AddReviews(ctx, dir, own.Data{Name: "mine", Files: []string{reviews}, Force: true}, folder.Options{})
	require.ErrorContains(t, err, "data=mine is installed in "+dir+" already and is of another kind (pairs): choose another name, or remove it first")
	for _, name := range []string{phrases.Name, "sample", "glove50"} {
		_, err = folder.AddPairs(ctx, dir, own.Data{Name: name, Files: []string{file}}, folder.Options{})
		require.ErrorContains(t, err, "the name "+name+" is reserved")
	}
}
