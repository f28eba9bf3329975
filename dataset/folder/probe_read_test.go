package folder_test

import (
	"context"
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"

	"imdbexp/dataset"
	"imdbexp/dataset/probe"
	"imdbexp/dataset/token"
	"imdbexp/internal/testkit/must"
)

func write(t *testing.T, name, text string) string {
	t.Helper()
	file := filepath.Join(t.TempDir(), name)
	require.NoError(t, os.WriteFile(file, []byte(text), 0o600))
	return file
}

// Each form of minimal pairs gives the same ones.
func TestGather(t *testing.T) {
	want := []probe.Pair{
		{ID: "mine/00001", Set: "mine", Original: probe.Text{Label: "Negative", Text: "a bad film"}, Rewritten: probe.Text{Label: "Positive", Text: "a good film"}},
		{ID: "mine/00002", Set: "mine", Original: probe.Text{Label: "Positive", Text: `"fun", they say`}, Rewritten: probe.Text{Label: "Negative", Text: "no fun"}},
	}
	for name, files := range map[string][]string{
		"a column pairs the rows": {write(t, "mine_paired.tsv", "Sentiment\tText\tbatch_id\nNegative\ta bad film\t4\nPositive\t\"\"\"fun\"\", they say\"\t2\nPositive\ta good film\t4\nNegative\tno fun\t2\n")},
		"two columns": {write(t, "mine.csv", "original,label,rewritten,rewritten_label\na bad film,Negative,a good film,Positive\n"+
			"\"\"\"fun\"\", they say\",Positive,no fun,Negative\n")},
		"two files": {write(t, "mine_original.tsv", "Sentiment\tText\nNegative\ta bad film\nPositive\t\"\"\"fun\"\", they say\"\n"),
			write(t, "mine_contrast.tsv", "Sentiment\tText\nPositive\ta good film\nNegative\tno fun\n")},
		"lines of JSON": {write(t, "mine.jsonl", `{"pair":"x","text":"a bad film","label":"Negative"}
{"pair":"x","text":"a good film","label":"Positive"}
{"pair":"y","text":"\"fun\", they say","label":"Positive"}
{"pair":"y","text":"no fun","label":"Negative"}
`)},
	} {
		t.Run(name, func(t *testing.T) {
			p, sources := must.Get2((&probe.Files{Name: "mine", Files: files}).Gather(context.Background(), nil))(t)
			require.Equal(t, want, p.Pairs)
			require.Len(t, sources, len(files))
			to := filepath.Join(t.TempDir(), "p.gz")
			require.NoError(t, p.Write(to, nil))
			back := must.Get(probe.Open(context.Background(), to, to, nil))(t)
			require.Equal(t, p, back)
			require.Equal(t, p.Digest(), back.Digest())
			require.Equal(t, []string{"mine"}, p.Sets())
		})
	}
}

func TestGatherFails(t *testing.T) {
	ctx := context.Background()
	for want, files := range map[string][]string{
		"would both be the set dev, which is called after its file: rename one": {write(t, "dev_paired.tsv", "Text\tSentiment\tbatch_id\nbad\tneg\t4\ngood\tpos\t4\n"),
			write(t, "dev_original.tsv", "Sentiment\tText\nneg\tbad\n"), write(t, "dev_contrast.tsv", "Sentiment\tText\npos\tgood\n")},
		"batch_id 4 has one text":                  {write(t, "a.tsv", "Text\tSentiment\tbatch_id\nbad\tneg\t4\n")},
		"a third text of batch_id 4":               {write(t, "a.tsv", "Text\tSentiment\tbatch_id\nbad\tneg\t4\ngood\tpos\t4\nfine\tpos\t4\n")},
		"name the file of the rewritings after it": {write(t, "a.tsv", "Text\tSentiment\nbad\tneg\ngood\tpos\n")},
		"both need the same number":                {write(t, "a.tsv", "Text\tSentiment\nbad\tneg\ngood\tpos\n"), write(t, "b.tsv", "Text\tSentiment\ngood\tpos\n")},
		"there is no column \"rewritten_label\"":   {write(t, "a.csv", "original,label,rewritten\nbad,neg,good\n")},
		"is a folder":                              {t.TempDir()},
		"no such file":                             {filepath.Join(t.TempDir(), "none.tsv")},
		"no pairs: name a file of texts":           {},
	} {
		require.ErrorContains(t, must.Fail2((&probe.Files{Name: "mine", Files: files}).Gather(ctx, nil)), want)
	}
	damaged := write(t, "p.jsonl", `{"format":1,"name":"p","pairs":2}`+"\n"+`{"id":"1","set":"s","original":{"label":"a","text":"x"},"rewritten":{"label":"b","text":"y"}}`+"\n")
	require.ErrorContains(t, must.Fail(probe.Open(ctx, damaged, damaged, nil)), "has 1 lines instead of 2")
}

// As reviews, the texts of a pair have the words that differ as their rationales.
func TestSource(t *testing.T) {
	p := &probe.Probe{Name: "mine", Pairs: []probe.Pair{{ID: "a/1", Set: "a",
		Original:  probe.Text{Label: "Negative", Text: "This film isn't good, it is awful."},
		Rewritten: probe.Text{Label: "positive", Text: "This film is good!"}}}}
	src := probe.Source{Probe: p, Shown: "mine"}
	require.Equal(t, []string{"neg", "pos"}, src.Classes())
	marked := map[string]string{}
	require.NoError(t, src.Reviews(context.Background(), func(part dataset.Part, r dataset.Review) error {
		require.Equal(t, dataset.Test, part)
		for _, s := range r.Rationale {
			marked[r.ID] += r.Text[s.Start:s.End] + "|"
		}
		marked[r.ID] += src.Classes()[r.Label]
		return nil
	}))
	require.Equal(t, map[string]string{"a/1/original": "n't|,|it|is|awful|.|neg", "a/1/rewritten": "!|pos"}, marked)
	tok := must.Get(token.Get(""))(t)
	c := must.Get(dataset.Build(context.Background(), "mine", src, tok))(t)
	require.Equal(t, []int{0, 2}, []int{c.Train.Len(), c.Test.Len()})
}
