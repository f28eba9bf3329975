package dataset_test

import (
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"imdbexp/dataset"
	"imdbexp/dataset/folder"
	"imdbexp/dataset/own"
	"imdbexp/dataset/pairs"
	"imdbexp/dataset/phrases"
	"imdbexp/dataset/token"
	"imdbexp/internal/ragged"
	"imdbexp/internal/testkit/fixture"
	"imdbexp/internal/testkit/must"
)

// addPairs adds a file called mine to a new data folder.
func addPairs(t *testing.T, in own.Data, text string) (dir string, a folder.PairsAdded, err error) {
	t.Helper()
	dir, in.Name = t.TempDir(), "mine"
	in.Files = []string{put(t, "a.tsv", text)}
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
	assert.Equal(t, a.Digest, checked["mine"].Digest)

	must.Get2(addPairs(t, own.Data{TestFraction: 0.5}, text.String()))(t)
	must.Get(folder.Remove(dir, "mine"))(t)
	untouched(t, dir)
}

func TestPairsReport(t *testing.T) {
	train := "a\tx\na\tx\na\ty\n\tz\nb\t \nc\tz\nd\tz\n"
	_, a := must.Get2(addPairs(t, own.Data{}, train))(t)
	assert.Equal(t, []int{2, 1, 1, 0}, []int{a.Empty, a.Repeated, a.Ambiguous, a.Shared})
	_, a = must.Get2(addPairs(t, own.Data{Test: []string{put(t, "b.tsv", "a\tx\ne\tz\n")}}, train))(t)
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
		"a.tsv: line 2, column \"column 3\": \"none\" is none of the parts":           {"a\tb\ttest\nc\td\tnone\n", own.Data{}},
		"a.tsv: holds 0 different sentences, and two are needed":                      {"a\t\n", own.Data{}},
		"a.tsv: holds no texts or pairs":                                              {"source\ttarget\n", own.Data{}},
		"a.tsv: no pairs to train on":                                                 {"a\tb\ttest\n", own.Data{}},
		"a.tsv: line 1: longer than 65536 bytes":                                      {strings.Repeat("a", 1<<16+1) + "\tb\n", own.Data{}},
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
	file := put(t, "a.tsv", "a\tx\nb\ty\n")
	reviews := put(t, "a.csv", fixture.CSV(5, "a", "b"))
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

func TestOpenPhrases(t *testing.T) {
	p := must.Get(folder.Pairs(ctx, t.TempDir(), phrases.Name, pairs.Options{}))(t)
	assert.Equal(t, []int{3000, 3000, 500, 500}, []int{p.Train.Len(), p.Train.Targets.Len(), p.Test.Len(), p.Test.Targets.Len()})
	assert.Equal(t, []int{141 + 3, 211 + 3}, []int{p.Source.Len(), p.Target.Len()})
	assert.Equal(t, "a851d697075e68c42ac637dd9abe47a5b149382400ab4aa226dd2a95aefc0661", p.Digest)
	for _, split := range []struct {
		e     *dataset.Encoded
		texts []pairs.Pair
	}{{p.Train, p.TrainText}, {p.Test, p.TestText}} {
		require.Len(t, split.texts, split.e.Len())
		for i, x := range split.texts {
			require.Equal(t, x.ID, split.e.Names[i])
			require.Equal(t, x.ID, split.e.Targets.Names[i])
			require.Equal(t, x.Source, p.Source.Text(split.e.Words(i)))
			require.Equal(t, x.Target, p.Target.Text(split.e.Targets.Words(i)))
			require.Zero(t, split.e.Labels[i])
		}
	}
}

func TestPairVocabulary(t *testing.T) {
	dir := fixture.AddedPairs(t, "b a b\tx\nc a b\ty x\n", "b d <s>\tz x\n")
	p := must.Get(folder.Pairs(ctx, dir, "mine", pairs.Options{Tokenizer: "whitespace"}))(t)
	assert.Equal(t, []string{"b", "a", "c"}, p.Source.Words(), "by count, then by name")
	assert.Equal(t, []string{"x", "y"}, p.Target.Words())
	assert.Equal(t, []int32{3, 4, 3, 5, 4, 3}, p.Train.IDs)
	assert.Equal(t, []int32{3, pairs.UnknownID, pairs.UnknownID}, p.Test.IDs, "a word <s> is none of the marks")
	assert.Equal(t, "<unk> x", p.Target.Text(p.Test.Targets.IDs))
	assert.Equal(t, []string{"<unk>", "<s>", "</s>", "b"}, []string{p.Source.Word(0), p.Source.Word(ragged.BeginID), p.Source.Word(ragged.EndID), p.Source.Word(3)})

	again := pairs.NewWords(p.Source.Words())
	ids, tokens := again.Encode(token.PTB, "A  zebra")
	assert.Equal(t, []int32{4, pairs.UnknownID}, ids)
	assert.Equal(t, []token.Token{{Word: "a", Start: 0, End: 1}, {Word: "zebra", Start: 3, End: 8}}, tokens)
	ids, tokens = again.Encode(token.PTB, " ")
	assert.Equal(t, []int32{pairs.UnknownID}, ids)
	assert.Equal(t, []token.Token{{}}, tokens)
}

func TestPairOptions(t *testing.T) {
	dir := fixture.AddedPairs(t, "a\tx y z\nb b\tx\nc c c\tx\nd\ty\n", "a a a a\tx\na\tx\n")
	open := func(o pairs.Options) (*pairs.Corpus, error) { return folder.Pairs(ctx, dir, "mine", o) }
	p := must.Get(open(pairs.Options{MaxLen: 2}))(t)
	assert.Equal(t, []string{"train/00000002", "train/00000004"}, p.Train.Names, "without those with a longer side")
	assert.Equal(t, []string{"b", "d"}, p.Source.Words())
	assert.Len(t, p.TrainText, 2)
	assert.Equal(t, 2, p.Test.Len(), "whole")
	whole := must.Get(open(pairs.Options{}))(t)
	assert.Equal(t, whole.Digest, p.Digest)
	p = must.Get(open(pairs.Options{Limit: 1}))(t)
	assert.Equal(t, []string{"train/00000001", "test/00000001"}, []string{p.Train.Names[0], p.Test.Names[0]})
	assert.Equal(t, []int{1, 1, 1}, []int{p.Train.Len(), p.Test.Len(), len(p.TestText)})
	for want, o := range map[string]pairs.Options{
		`unknown tokeniser "bpe"`:                          {Tokenizer: "bpe"},
		"0 training pairs and 1 test pairs remain: choose": {Limit: 1, MaxLen: 1},
	} {
		assert.ErrorContains(t, must.Fail(open(o)), want)
	}
}

func TestPackPairs(t *testing.T) {
	dir := fixture.AddedPairs(t, "a\tx y\nb b\tx\nc c c\ty y x\n", "a\tx\n")
	p := must.Get(folder.Pairs(ctx, dir, "mine", pairs.Options{}))(t)
	var b ragged.Batch
	dataset.Pack(p.Train, []int32{0, 1}, &b)
	x, y := p.Target.ID("x"), p.Target.ID("y")
	assert.Equal(t, ragged.Batch{
		IDs: []int32{p.Source.ID("b"), p.Source.ID("b"), p.Source.ID("a")}, Offsets: []int{0, 2, 3},
		Reviews: []int32{1, 0}, Labels: []int32{0, 0}, Order: []int32{1, 0},
		TargetIn:      []int32{ragged.BeginID, x, ragged.BeginID, x, y},
		TargetOut:     []int32{x, ragged.EndID, x, y, ragged.EndID},
		TargetOffsets: []int{0, 2, 5},
	}, b)
	dataset.Pack(p.Train, []int32{2}, &b)
	assert.Equal(t, []int32{ragged.BeginID, y, y, x}, b.TargetIn)
	assert.Equal(t, []int{0, 4}, b.TargetOffsets)

	reviews := []int32{0, 1}
	assert.Zero(t, testing.AllocsPerRun(20, func() { dataset.Pack(p.Train, reviews, &b) }))
	dataset.Pack(fixture.Encoded(2), []int32{0}, &b)
	assert.Nil(t, b.TargetIn, "reviews have no targets")
	assert.Nil(t, b.TargetOffsets)
}

// Both sides of a pair are held out together.
func TestHoldPairs(t *testing.T) {
	p := must.Get(folder.Pairs(ctx, t.TempDir(), phrases.Name, pairs.Options{Limit: 100}))(t)
	rest, valid := must.Get2(dataset.HoldOut(p.Train, 0.2, 1))(t)
	assert.Equal(t, []int{80, 20}, []int{rest.Len(), valid.Len()})
	targets := map[string]string{}
	for _, x := range p.TrainText {
		targets[x.Source] = x.Target
	}
	for _, part := range []*dataset.Encoded{rest, valid} {
		for i := range part.Len() {
			require.Equal(t, targets[p.Source.Text(part.Words(i))], p.Target.Text(part.Targets.Words(i)))
		}
	}
}

// What is exported can be added again and is the same.
func TestWritePairs(t *testing.T) {
	train := []pairs.Pair{{ID: "train/00000001", Source: "a\tb", Target: "say \"no\"\nnow"}, {ID: "train/00000002", Source: "\"x\"", Target: "é"}}
	test := []pairs.Pair{{ID: "test/00000001", Source: "b", Target: "train"}}
	var out strings.Builder
	require.NoError(t, pairs.WriteTSV(&out, train, test))
	dir := t.TempDir()
	a := must.Get(folder.AddPairs(ctx, dir, own.Data{Name: "mine", Files: []string{put(t, "a.tsv", []byte(out.String()))}}, folder.Options{}))(t)
	assert.Zero(t, a.HeldOut)
	gotTrain, gotTest := must.Get2(folder.PairTexts(ctx, dir, "mine", nil))(t)
	assert.Equal(t, train, gotTrain)
	assert.Equal(t, test, gotTest)
}
