package folder_test

import (
	"archive/tar"
	"bytes"
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
	"imdbexp/dataset/tables"
	"imdbexp/internal/testkit/fixture"
	"imdbexp/internal/testkit/must"
)

// hubFile returns a Parquet file as the Hugging Face hub has them.
func hubFile[T any](t *testing.T, names string, rows ...T) []byte {
	var out bytes.Buffer
	w := parquet.NewGenericWriter[T](&out, parquet.Compression(&parquet.Snappy),
		parquet.KeyValueMetadata("huggingface", `{"info":{"features":{"label":{"names":[`+names+`],"_type":"ClassLabel"}}}}`))
	must.Get(w.Write(rows))(t)
	require.NoError(t, w.Close())
	return out.Bytes()
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
				data, a, err := addOwn(t, in)
				require.NoError(t, err, file)
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
