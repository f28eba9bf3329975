package dataset_test

import (
	"archive/tar"
	"context"
	"os"
	"path/filepath"
	"testing"

	"github.com/parquet-go/parquet-go"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"imdbexp/dataset"
	"imdbexp/dataset/folder"
	"imdbexp/dataset/own"
	"imdbexp/dataset/probe"
	"imdbexp/dataset/tables"
	"imdbexp/dataset/token"
	"imdbexp/internal/testkit/fixture"
	"imdbexp/internal/testkit/must"
)

// Each form of minimal pairs gives the same ones.
func TestGather(t *testing.T) {
	want := []probe.Pair{
		{ID: "mine/00001", Set: "mine", Original: probe.Text{Label: "Negative", Text: "a bad film"}, Rewritten: probe.Text{Label: "Positive", Text: "a good film"}},
		{ID: "mine/00002", Set: "mine", Original: probe.Text{Label: "Positive", Text: `"fun", they say`}, Rewritten: probe.Text{Label: "Negative", Text: "no fun"}},
	}
	for name, files := range map[string][]string{
		"a column pairs the rows": {put(t, "mine_paired.tsv", "Sentiment\tText\tbatch_id\nNegative\ta bad film\t4\nPositive\t\"\"\"fun\"\", they say\"\t2\nPositive\ta good film\t4\nNegative\tno fun\t2\n")},
		"two columns": {put(t, "mine.csv", "original,label,rewritten,rewritten_label\na bad film,Negative,a good film,Positive\n"+
			"\"\"\"fun\"\", they say\",Positive,no fun,Negative\n")},
		"two files": {put(t, "mine_original.tsv", "Sentiment\tText\nNegative\ta bad film\nPositive\t\"\"\"fun\"\", they say\"\n"),
			put(t, "mine_contrast.tsv", "Sentiment\tText\nPositive\ta good film\nNegative\tno fun\n")},
		"lines of JSON": {put(t, "mine.jsonl", `{"pair":"x","text":"a bad film","label":"Negative"}
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
		"would both be the set dev, which is called after its file: rename one": {put(t, "dev_paired.tsv", "Text\tSentiment\tbatch_id\nbad\tneg\t4\ngood\tpos\t4\n"),
			put(t, "dev_original.tsv", "Sentiment\tText\nneg\tbad\n"), put(t, "dev_contrast.tsv", "Sentiment\tText\npos\tgood\n")},
		"batch_id 4 has one text":                  {put(t, "a.tsv", "Text\tSentiment\tbatch_id\nbad\tneg\t4\n")},
		"a third text of batch_id 4":               {put(t, "a.tsv", "Text\tSentiment\tbatch_id\nbad\tneg\t4\ngood\tpos\t4\nfine\tpos\t4\n")},
		"name the file of the rewritings after it": {put(t, "a.tsv", "Text\tSentiment\nbad\tneg\ngood\tpos\n")},
		"both need the same number":                {put(t, "a.tsv", "Text\tSentiment\nbad\tneg\ngood\tpos\n"), put(t, "b.tsv", "Text\tSentiment\ngood\tpos\n")},
		"there is no column \"rewritten_label\"":   {put(t, "a.csv", "original,label,rewritten\nbad,neg,good\n")},
		"is a folder":                              {t.TempDir()},
		"no such file":                             {filepath.Join(t.TempDir(), "none.tsv")},
		"no pairs: name a file of texts":           {},
	} {
		require.ErrorContains(t, must.Fail2((&probe.Files{Name: "mine", Files: files}).Gather(ctx, nil)), want)
	}
	damaged := put(t, "p.jsonl", `{"format":1,"name":"p","pairs":2}`+"\n"+`{"id":"1","set":"s","original":{"label":"a","text":"x"},"rewritten":{"label":"b","text":"y"}}`+"\n")
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

// hubFile returns a Parquet file as the Hugging Face hub has them.
func hubFile[T any](t *testing.T, names string, rows ...T) []byte {
	return fixture.Parquet(t, len(rows), rows, parquet.Compression(&parquet.Snappy), fixture.Classes(names))
}

// An archive, its folder and the hub's Parquet files of one data set have one digest: the parts are known
// by the names of the files, hidden labels by their absence, classes and titles by flags.
func TestPartFiles(t *testing.T) {
	type sst2 struct {
		Index    int32  `parquet:"idx"`
		Sentence string `parquet:"sentence"`
		Label    int64  `parquet:"label"`
	}
	type yelp struct {
		Text  string `parquet:"text"`
		Label int64  `parquet:"label"`
	}
	type amazon struct {
		Label   int64  `parquet:"label"`
		Title   string `parquet:"title"`
		Content string `parquet:"content"`
	}
	glue := map[string]string{
		"SST-2/train.tsv":        "sentence\tlabel\na \" warm \" film \t1\ndull \t0\nnot bad \t1\n",
		"SST-2/dev.tsv":          "sentence\tlabel\nso warm \t1\nso dull \t0\n",
		"SST-2/test.tsv":         "index\tsentence\n0\tnobody knows\n",
		"SST-2/original/tree.md": "no table",
	}
	yelpCSV := map[string]string{
		"readme.txt": "Yelp",
		"train.csv":  "\"2\",\"Nice.\\nAnd \"\"cheap\"\", too\"\n\"1\",\"Never, ever \\\"\"again\\\"\"\"\n\"1\",\"No\"\n\"2\",\"Yes\"\n",
		"test.csv":   "\"1\",\"Bad\"\n\"2\",\"Good\"\n",
	}
	amazonCSV := map[string]string{
		"train.csv": "\"2\",\"Great CD\",\"My favourite\"\n\"1\",\"\",\"No title\"\n",
		"test.csv":  "\"1\",\"Broken\",\"It came so\"\n\"2\",\"Fine\",\"It works\"\n",
	}
	dir := t.TempDir()
	unpack := func(files map[string]string) {
		for name, text := range files {
			fixture.Put(t, dir, name, []byte(text))
		}
	}
	tgz := func(name string, files map[string]string) {
		entries := []fixture.Entry{{Name: name + "/", Kind: tar.TypeDir}, {Name: "./._train.csv", Text: "\x00"}}
		for _, member := range []string{"train.csv", "test.csv", "readme.txt"} {
			if files[member] != "" {
				entries = append(entries, fixture.Entry{Name: name + "/" + member, Text: files[member]})
				fixture.Put(t, dir, name+"/"+member, []byte(files[member]))
			}
		}
		fixture.Put(t, dir, name+".tgz", fixture.Gzip(t, fixture.Tar(t, entries)))
	}
	unpack(glue)
	fixture.Put(t, dir, "SST-2.zip", fixture.Zip(t, glue))
	tgz("yelp", yelpCSV)
	tgz("amazon", amazonCSV)
	binary := `"negative","positive"`
	fixture.Put(t, dir, "sst2/train-00000-of-00001.parquet", hubFile(t, binary, sst2{0, "a \" warm \" film ", 1}, sst2{1, "dull ", 0}, sst2{2, "not bad ", 1}))
	fixture.Put(t, dir, "sst2/validation-00000-of-00001.parquet", hubFile(t, binary, sst2{0, "so warm ", 1}, sst2{1, "so dull ", 0}))
	fixture.Put(t, dir, "sst2/test-00000-of-00001.parquet", hubFile(t, binary, sst2{0, "nobody knows", -1}))
	fixture.Put(t, dir, "yelp-hub/train-00000-of-00001.parquet", hubFile(t, `"1","2"`, yelp{"Nice.\\nAnd \"cheap\", too", 1}, yelp{`Never, ever \"again\"`, 0}, yelp{"No", 0}, yelp{"Yes", 1}))
	fixture.Put(t, dir, "yelp-hub/test-00000-of-00001.parquet", hubFile(t, `"1","2"`, yelp{"Bad", 0}, yelp{"Good", 1}))
	fixture.Put(t, dir, "amazon-hub/train-00000-of-00002.parquet", hubFile(t, binary, amazon{1, "Great CD", "My favourite"}))
	fixture.Put(t, dir, "amazon-hub/train-00001-of-00002.parquet", hubFile(t, binary, amazon{0, "", "No title"}))
	fixture.Put(t, dir, "amazon-hub/test-00000-of-00001.parquet", hubFile(t, binary, amazon{0, "Broken", "It came so"}, amazon{1, "Fine", "It works"}))

	named := map[string]string{"1": "negative", "2": "positive"}
	for name, x := range map[string]struct {
		files       []string
		in          own.Data
		texts       []string // to train on
		train, test int
		hidden      string
	}{
		"SST-2": {[]string{"SST-2.zip", "SST-2", "sst2"}, own.Data{Rename: map[string]string{"0": "negative", "1": "positive"}},
			[]string{"a \" warm \" film ", "dull ", "not bad "}, 3, 2, "not read, because it has no labels; the test part is "},
		"Yelp": {[]string{"yelp.tgz", "yelp", "yelp-hub"}, own.Data{Rename: named, Columns: tables.Options{Header: "label,text"}},
			[]string{"Nice.\nAnd \"cheap\", too", `Never, ever "again"`, "No", "Yes"}, 4, 2, ""},
		"Amazon": {[]string{"amazon.tgz", "amazon", "amazon-hub"}, own.Data{Rename: named, Columns: tables.Options{Header: "label,title,text"}},
			[]string{"Great CD\nMy favourite", "No title"}, 2, 2, ""},
	} {
		t.Run(name, func(t *testing.T) {
			digest := ""
			for _, file := range x.files {
				in := x.in
				in.Name, in.Files = "x", []string{filepath.Join(dir, file)}
				if name == "Amazon" {
					in.Columns.Columns[tables.Title] = "title"
				}
				if file == "sst2" || file == "amazon-hub" { // which name their classes
					in.Rename = nil
				}
				data, a := must.Get2(addOwn(t, in))(t)
				assert.Equal(t, []string{"negative", "positive"}, a.Classes, file)
				assert.Equal(t, []int{x.train, x.test}, []int{a.Train, a.Test}, file)
				if digest == "" {
					digest = a.Digest
				}
				assert.Equal(t, digest, a.Digest, file)
				if x.hidden != "" {
					assert.Contains(t, a.Notes[len(a.Notes)-1], x.hidden, file)
				}
				var texts []string
				src := must.Get(folder.Source(data, "x", folder.Options{}))(t)
				require.NoError(t, src.Reviews(ctx, func(p dataset.Part, r dataset.Review) error {
					if p == dataset.Train {
						texts = append(texts, r.Text)
					}
					return nil
				}))
				assert.Equal(t, x.texts, texts, file)
			}
		})
	}

	for want, in := range map[string]own.Data{
		`no review has the label "3" that --rename names; the labels are "1", "2"`: {Files: []string{"yelp"}, Columns: tables.Options{Header: "label,text"}, Rename: map[string]string{"3": "neutral"}},
		"--header label,text has 2 names for 3 columns":                            {Files: []string{"amazon.tgz"}, Columns: tables.Options{Header: "label,text"}},
		"such as --header label,title,text":                                        {Files: []string{"amazon.tgz"}},
		"yelp.tgz has its own test part: leave out --test":                         {Files: []string{"yelp.tgz"}, Test: []string{"amazon.tgz"}},
	} {
		in.Name = "x"
		for _, files := range [][]string{in.Files, in.Test} {
			for i := range files {
				files[i] = filepath.Join(dir, files[i])
			}
		}
		assert.ErrorContains(t, must.Fail2(addOwn(t, in)), want)
	}

	cut := must.Get(os.ReadFile(filepath.Join(dir, "yelp.tgz")))(t)
	_, _, err := addOwn(t, own.Data{Name: "x", Files: []string{fixture.Put(t, dir, "cut.tgz", cut[:len(cut)*2/3])}})
	assert.ErrorContains(t, err, "cut.tgz: cut off after yelp/")
	ended, cancel := context.WithCancel(ctx)
	cancel()
	_, err = folder.AddReviews(ended, t.TempDir(), own.Data{Name: "x", Files: []string{filepath.Join(dir, "yelp.tgz")}}, folder.Options{})
	assert.ErrorIs(t, err, context.Canceled)
}
