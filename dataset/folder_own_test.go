package dataset_test

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"imdbexp/dataset"
	"imdbexp/dataset/embedding"
	"imdbexp/dataset/folder"
	"imdbexp/dataset/own"
	"imdbexp/dataset/tables"
	"imdbexp/dataset/vectors"
	"imdbexp/internal/testkit/fixture"
	"imdbexp/internal/testkit/must"
)

// addOwn adds a data set called mine to a new data folder.
func addOwn(t testing.TB, in own.Data) (dir string, a folder.ReviewsAdded, err error) {
	dir = t.TempDir()
	if in.Name == "" {
		in.Name = "mine"
	}
	a, err = folder.AddReviews(ctx, dir, in, folder.Options{Warn: func(err error) { t.Errorf("warning: %v", err) }})
	return dir, a, err
}

func TestAddOwn(t *testing.T) {
	file := put(t, "a.csv", fixture.CSV(10, "pos", "neg"))
	dir, a := must.Get2(addOwn(t, own.Data{Files: []string{file}}))(t)
	assert.Equal(t, []string{"neg", "pos"}, a.Classes)
	assert.Equal(t, [2][]int{{8, 8}, {2, 2}}, a.Counts)
	assert.Equal(t, []int{16, 4, 0}, []int{a.Train, a.Test, a.Extra})
	assert.Equal(t, 0.2, a.HeldOut)
	assert.Equal(t, "CSV, text from text, labels from label", a.Read[0].How.String())
	assert.Equal(t, filepath.Join(dir, "mine.reviews.jsonl.gz"), a.Path)
	noStage(t, dir)

	items := must.Get(folder.Installed(dir))(t)
	assert.Equal(t, []folder.Item{a.Item}, items)
	c := must.Get(folder.Corpus(ctx, dir, "mine", folder.Options{}))(t)
	assert.Equal(t, "mine", c.Name)
	assert.Equal(t, a.Digest, c.Digest)
	assert.Equal(t, a.Classes, c.Classes)
	assert.Equal(t, []string{"train/00000003", "train/00000004"}, c.Train.Names[:2], "the first two are held out")
	src := must.Get(folder.Source(dir, "mine", folder.Options{}))(t)
	texts := map[string]string{}
	require.NoError(t, src.Reviews(ctx, func(p dataset.Part, r dataset.Review) error {
		texts[r.ID] = fmt.Sprint(p, r.Label, r.Text)
		return nil
	}))
	assert.Len(t, texts, 20)
	assert.Equal(t, "train 1Review 1, which is pos", texts["train/00000003"])

	checked := must.Get(check(t, dir))(t)
	assert.Equal(t, a.Digest, checked["mine"].Digest)
	must.Get(folder.Remove(dir, "mine"))(t)
	items = must.Get(folder.Installed(dir))(t)
	assert.Empty(t, items)
	left, _ := filepath.Glob(filepath.Join(dir, "cache", "*.*"))
	assert.Empty(t, left)
}

// All ways to hand over the same reviews give the same data set.
func TestOwnForms(t *testing.T) {
	from := t.TempDir()
	in := func(name, text string) string { return fixture.Put(t, from, name, []byte(text)) }
	train, test := "text,label\nfine,pos\nbad,neg\ngood,pos\n", "text,label\nawful,neg\ngreat,pos\n"
	_, want := must.Get2(addOwn(t, own.Data{Files: []string{in("train.csv", train)}, Test: []string{in("test.csv", test)}}))(t)
	assert.Equal(t, [2][]int{{1, 2}, {1, 1}}, want.Counts)
	assert.Zero(t, want.HeldOut)
	for name, x := range map[string]own.Data{
		"lines":     {Files: []string{in("a.txt", "pos\tfine\nneg\tbad\npos\tgood\n")}, Test: []string{in("b.txt", "neg awful\npos great\n")}},
		"two files": {Files: []string{in("1.tsv", "text\tlabel\nfine\tpos\n"), in("2.jsonl", "{\"text\":\"bad\",\"label\":\"neg\"}\n{\"text\":\"good\",\"label\":\"pos\"}")}, Test: []string{in("3.csv", test)}},
		"columns":   {Files: []string{in("4.csv", "a,b,c\nfine,pos,1\nbad,neg,2\ngood,pos,3\n")}, Test: []string{in("5.csv", "a,b\nawful,neg\ngreat,pos\n")}, Columns: tables.Options{Columns: [tables.Roles]string{"a", "b"}}},
	} {
		_, got := must.Get2(addOwn(t, x))(t)
		assert.Equal(t, want.Digest, got.Digest, name)
	}
	// Other orders: a folder by class, files by class.
	for name, text := range map[string]string{"train/pos/1": "fine", "train/pos/2": "good", "train/neg/1": "bad", "test/pos/1": "great", "test/neg/1": "awful", "train/unsup/1": "film"} {
		in("folder/"+name, text)
	}
	_, folder := must.Get2(addOwn(t, own.Data{Files: []string{filepath.Join(from, "folder")}, Unlabelled: []string{in("more.txt", "one\ntwo\n")}}))(t)
	assert.Equal(t, want.Counts, folder.Counts)
	assert.Equal(t, 3, folder.Extra)
	_, classes, err := addOwn(t, own.Data{Test: []string{in("6.csv", test)},
		Classes: []own.ClassFile{{Class: "neg", File: in("neg.txt", "bad\n")}, {Class: "pos", File: in("pos.txt", "fine\ngood\n")}}})
	require.NoError(t, err)
	assert.Equal(t, want.Counts, classes.Counts)
}

func TestOwnClasses(t *testing.T) {
	for _, x := range []struct{ labels, want []string }{
		{[]string{"1", "0"}, []string{"0", "1"}},
		{[]string{"10", "9", "-1", "2.5"}, []string{"-1", "2.5", "9", "10"}},
		{[]string{"positive", "negative"}, []string{"negative", "positive"}},
		{[]string{"b", "10", "9"}, []string{"10", "9", "b"}},
		{[]string{"é", "z", "A"}, []string{"A", "z", "é"}},
	} {
		_, a := must.Get2(addOwn(t, own.Data{Files: []string{put(t, "a.csv", fixture.CSV(5, x.labels...))}}))(t)
		assert.Equal(t, x.want, a.Classes)
	}
	var labels []string
	for i := range 20 {
		labels = append(labels, fmt.Sprintf("class %d", i))
	}
	_, a := must.Get2(addOwn(t, own.Data{Files: []string{put(t, "a.csv", fixture.CSV(5, labels...))}}))(t)
	assert.Len(t, a.Classes, 20)
}

func TestOwnReport(t *testing.T) {
	file := put(t, "a.txt", "pos\tsame\npos\tsame\nneg\tsame\npos\t\npos\t \nneg\tother\npos\tanother\nneg\tlast\n")
	_, a := must.Get2(addOwn(t, own.Data{Files: []string{file}}))(t)
	assert.Equal(t, []int{2, 2, 1, 0}, []int{a.Empty, a.Repeated, a.Contradicting, a.Shared})
	test := put(t, "b.txt", "pos\tsame\nneg\tnew\n")
	dir, a := must.Get2(addOwn(t, own.Data{Files: []string{file}, Test: []string{test}}))(t)
	assert.Equal(t, 1, a.Shared)

	c := must.Get(folder.Corpus(ctx, dir, "mine", folder.Options{}))(t)
	v := vectors.Random(c, 3, 1)
	train, _, _ := embedding.Encode(c, v, embedding.Options{})
	b := slices.Index(train.Names, "train/00000004")
	assert.Equal(t, []int32{embedding.OOVRow}, train.Words(b), "an empty review counts as one word without vector")
}

func TestOwnRefuses(t *testing.T) {
	from := t.TempDir()
	in := func(name string, b []byte) string { return fixture.Put(t, from, name, b) }
	good := in("good.csv", fixture.CSV(5, "a", "b"))
	var many, scores []string
	for i := range 21 {
		many, scores = append(many, fmt.Sprint("l", i)), append(scores, fmt.Sprintf("0.%02d", i))
	}
	folder := filepath.Dir(filepath.Dir(filepath.Dir(in("parts/train/a/1", []byte("x")))))
	in("parts/test/a/1", []byte("y"))
	hollow := filepath.Dir(filepath.Dir(in("hollow/a/1", []byte("x"))))
	require.NoError(t, os.Mkdir(filepath.Join(hollow, "b"), 0o755))
	for name, x := range map[string]struct {
		in   own.Data
		want []string
	}{
		"name":              {own.Data{Name: "Mine!", Files: []string{good}}, []string{`"Mine!"`, "small letters"}},
		"reserved":          {own.Data{Name: "imdb", Files: []string{good}}, []string{"is reserved"}},
		"reserved, vectors": {own.Data{Name: "glove-x", Files: []string{good}}, []string{"is reserved"}},
		"nothing":           {own.Data{}, []string{"no file to train on"}},
		"no file":           {own.Data{Files: []string{filepath.Join(from, "none.csv")}}, []string{"none.csv"}},
		"both":              {own.Data{Files: []string{good}, TestFraction: 0.1, Test: []string{in("t.csv", fixture.CSV(1, "a", "b"))}}, []string{"choose one"}},
		"two tests":         {own.Data{Files: []string{folder}, Test: []string{good}}, []string{"leave out --test"}},
		"folder, fraction":  {own.Data{Files: []string{folder}, TestFraction: 0.1}, []string{"leave out --test and --test-fraction"}},
		"one class":         {own.Data{Files: []string{in("one.csv", fixture.CSV(5, "a"))}}, []string{"one.csv", `all reviews have the label "a"`, "labels from label"}},
		"empty folder":      {own.Data{Files: []string{hollow}}, []string{"hollow/b: holds no texts", "remove the folder"}},
		"21 classes":        {own.Data{Files: []string{in("many.csv", fixture.CSV(5, many...))}}, []string{"many.csv: line 22", `"l20" is label number 21`, "read as CSV"}},
		"21 numbers":        {own.Data{Files: []string{in("scores.csv", fixture.CSV(5, scores...))}}, []string{"scores.csv: line 22", `"0.20" is number 21 among the labels`, "pd.qcut"}},
		"no labels":         {own.Data{Files: []string{in("prose.txt", []byte(strings.ReplaceAll("every word on a new line makes one more class than there can be in a data set of this kind here because they differ", " ", " x\n")))}}, []string{"prose.txt: line 22", "lines of label and text"}},
		"long label":        {own.Data{Files: []string{in("long.csv", fixture.CSV(5, strings.Repeat("x", 101), "b"))}}, []string{"line 2", "up to 100 letters"}},
		"cases":             {own.Data{Files: []string{in("case.csv", fixture.CSV(5, "pos", "neg", "Pos"))}}, []string{`case.csv: line 4, column "label": `, `the labels "pos" and "Pos" differ only in case`, "write both alike, or give --rename Pos=pos"}},
		"cases in test":     {own.Data{Files: []string{good}, Test: []string{in("upper.csv", fixture.CSV(2, "A", "b"))}}, []string{"upper.csv: line 2", `the labels "a" and "A" differ only in case`}},
		"cases of files":    {own.Data{Classes: []own.ClassFile{{Class: "É", File: in("up.txt", []byte("x\ny\n"))}, {Class: "é", File: in("low.txt", []byte("u\nv\n"))}}}, []string{"low.txt: line 1", `the labels "\u00c9" and "\u00e9" differ only`}},
		"only in test":      {own.Data{Files: []string{good}, Test: []string{in("u.csv", fixture.CSV(2, "a", "c"))}}, []string{`u.csv: line 3, column "label": the label "c" is in no training file`}},
		"not in test":       {own.Data{Files: []string{good}, Test: []string{in("v.csv", fixture.CSV(2, "a"))}}, []string{"good.csv: ", "read as CSV, ", `class "b" has 5 reviews to train on and none to test on`}},
		"single text":       {own.Data{Files: []string{in("w.txt", []byte("a same\na same\nb x\nb y\n"))}}, []string{"w.txt: ", `class "a" has a single text of its own (`, "w.txt: line 1), and", "--rename a=CLASS", "--test", "read as lines of label and text"}},
		"no texts":          {own.Data{Files: []string{in("header.csv", []byte("text,label\n"))}}, []string{"header.csv: holds no texts"}},
		"no label":          {own.Data{Files: []string{in("hole.csv", []byte("text,label\na,1\nb,\n"))}}, []string{"hole.csv: line 3", "has no label"}},
		"encoding":          {own.Data{Files: []string{in("latin.csv", []byte("text,label\ncaf\xe9,1\nx,2\n"))}}, []string{"latin.csv: line 2", "not UTF-8"}},
	} {
		t.Run(name, func(t *testing.T) {
			dir, _, err := addOwn(t, x.in)
			require.Error(t, err)
			for _, want := range x.want {
				assert.ErrorContains(t, err, want)
			}
			assert.NotContains(t, err.Error(), "incoming")
			untouched(t, dir)
		})
	}
}

// untouched checks that a data folder holds nothing but a lock.
func untouched(t *testing.T, dir string) {
	t.Helper()
	entries, err := os.ReadDir(dir)
	if os.IsNotExist(err) {
		return
	}
	require.NoError(t, err)
	for _, e := range entries {
		assert.Contains(t, []string{"lock", "cache"}, e.Name())
	}
	left, _ := filepath.Glob(filepath.Join(dir, "cache", "*.*"))
	assert.Empty(t, left)
}

func TestOwnNames(t *testing.T) {
	file := put(t, "a.csv", fixture.CSV(5, "a", "b"))
	dir, first := must.Get2(addOwn(t, own.Data{Files: []string{file}}))(t)
	other := put(t, "b.csv", fixture.CSV(6, "a", "b"))
	add := func(o own.Data) (folder.ReviewsAdded, error) {
		return folder.AddReviews(ctx, dir, o, folder.Options{})
	}
	_, err := add(own.Data{Name: "mine", Files: []string{other}})
	assert.ErrorContains(t, err, "--force replaces it")
	c := must.Get(folder.Corpus(ctx, dir, "mine", folder.Options{}))(t)
	assert.Equal(t, first.Digest, c.Digest)
	second := must.Get(add(own.Data{Name: "mine", Files: []string{other}, Force: true}))(t)
	c = must.Get(folder.Corpus(ctx, dir, "mine", folder.Options{}))(t)
	assert.Equal(t, second.Digest, c.Digest)
	must.Get(folder.AddVectors(ctx, dir, put(t, "v", []byte(fixture.GloVe(50))), "words", false, folder.Options{}))(t)
	_, err = add(own.Data{Name: "words", Files: []string{other}, Force: true})
	assert.ErrorContains(t, err, "vectors=words is installed")
	checked := must.Get(check(t, dir))(t)
	assert.Len(t, checked, 2)
	for _, name := range []string{"words", "mine"} {
		must.Get(folder.Remove(dir, name))(t)
	}
	untouched(t, dir)
}

func TestOwnLimits(t *testing.T) {
	file := put(t, "a.csv", fixture.CSV(5, "a", "b"))
	for want, l := range map[string]dataset.Limits{
		"longer than 10 bytes":           {ReviewBytes: 10},
		"more than 3 texts":              {Reviews: 3},
		"decompresses to more than 100 ": {TotalBytes: 100},
	} {
		dir := t.TempDir()
		_, err := folder.AddReviews(ctx, dir, own.Data{Name: "mine", Files: []string{file}}, folder.Options{Limits: l})
		assert.ErrorContains(t, err, want)
		untouched(t, dir)
	}
}

// What was stored is read whole or not at all.
func TestOwnDamaged(t *testing.T) {
	file := put(t, "a.csv", fixture.CSV(5, "a", "b"))
	dir, a := must.Get2(addOwn(t, own.Data{Files: []string{file}}))(t)
	whole := must.Get(os.ReadFile(a.Path))(t)
	for n := 0; n < len(whole); n += 1 + n/20 {
		require.NoError(t, os.WriteFile(a.Path, whole[:n], 0o644))
		_, err := folder.Corpus(ctx, dir, "mine", folder.Options{CacheDir: t.TempDir()})
		assert.ErrorContains(t, err, a.Path, "cut at %d", n)
	}
	head := `{"format":1,"name":"mine","classes":["a","b"],"reviews":[1,1,0],"sources":[]}` + "\n"
	line := `{"split":"train","label":"a","id":"1","text":"x"}` + "\n"
	for name, x := range map[string]struct{ text, want string }{
		"newer":      {`{"format":3}` + "\n", "has format 3"},
		"rationale":  {head + strings.Replace(line, `"x"`, `"x","rationale":[[0,2]]`, 1), "line 2 is damaged"},
		"no header":  {line, "line 1 is damaged"},
		"one class":  {`{"format":1,"classes":["a"]}` + "\n", "line 1 is damaged"},
		"no review":  {head, "has 0 lines instead of 2"},
		"class":      {head + strings.Replace(line, `"a"`, `"c"`, 1), "line 2 is damaged"},
		"split":      {head + strings.Replace(line, "train", "tr", 1), "line 2 is damaged"},
		"unlabelled": {head + strings.Replace(line, "train", "unlabelled", 1), "line 2 is damaged"},
		"not JSON":   {head + "x\n", "line 2 is damaged"},
	} {
		require.NoError(t, os.WriteFile(a.Path, fixture.Gzip(t, []byte(x.text)), 0o644))
		_, err := folder.Corpus(ctx, dir, "mine", folder.Options{CacheDir: t.TempDir()})
		assert.ErrorContains(t, err, x.want, name)
		assert.ErrorContains(t, err, a.Path, name)
	}
}

// FuzzOwn feeds bytes to the reader of stored data.
func FuzzOwn(f *testing.F) {
	f.Add([]byte(`{"format":1,"name":"mine","classes":["a","b"],"reviews":[1,1,1],"sources":[]}` + "\n" +
		`{"split":"train","label":"a","id":"1","text":"x"}` + "\n" + `{"split":"test","label":"b","id":"2","text":""}` + "\n" + `{"split":"unlabelled","id":"3","text":"y"}` + "\n"))
	f.Add([]byte(`{"format":9}`))
	dir := f.TempDir()
	path := filepath.Join(dir, "mine.reviews.jsonl.gz")
	f.Fuzz(func(t *testing.T, b []byte) {
		require.NoError(t, os.WriteFile(path, b, 0o644)) // plain text is read, too
		o := folder.Options{Limits: dataset.Limits{ReviewBytes: 1 << 12, TotalBytes: 1 << 16}}
		src, err := folder.Source(dir, "mine", o)
		if err == nil {
			n := len(src.Classes())
			err = src.Reviews(ctx, func(p dataset.Part, r dataset.Review) error {
				require.True(t, r.Label < n && (r.Label >= 0) == (p != dataset.Extra))
				return nil
			})
		}
		if err != nil {
			require.ErrorContains(t, err, path)
		}
	})
}

// Rationales come back as they were marked, and data without any lie as they did before.
func TestOwnRationales(t *testing.T) {
	table := "text,label,rationale\nnot good at all,neg,0-8\na good film,pos,good\nbad,neg,\nfine,pos,fine\n"
	file := put(t, "a.csv", table)
	dir, a := must.Get2(addOwn(t, own.Data{Files: []string{file}}))(t)
	require.Equal(t, 3, a.Marked)
	src := must.Get(folder.Source(dir, "mine", folder.Options{}))(t)
	marked := map[string][]dataset.Span{}
	require.NoError(t, src.Reviews(ctx, func(_ dataset.Part, r dataset.Review) error {
		marked[r.Text] = r.Rationale
		return nil
	}))
	require.Equal(t, map[string][]dataset.Span{"not good at all": {{Start: 0, End: 8}}, "a good film": {{Start: 2, End: 6}}, "bad": nil, "fine": {{Start: 0, End: 4}}}, marked)
	with := a.Digest
	bare := strings.NewReplacer(",0-8", ",", ",good\n", ",\n", ",fine\n", ",\n").Replace(table)
	_, a = must.Get2(addOwn(t, own.Data{Files: []string{put(t, "a.csv", bare)}}))(t)
	require.Zero(t, a.Marked)
	require.Equal(t, with, a.Digest, "models do not see them")
}

// A column says which part a review is of, in any order, unless something else does.
func TestAddOwnSplit(t *testing.T) {
	rows := "split,text,label\ntest,a b,pos\ntrain,c d,pos\nTraining ,e f,neg\nval,g h,neg\ntest,i j,neg\nunsupervised,k l,\n,m n,pos\n"
	lines := `{"text":"a b","label":"pos","split":"test"}` + "\n" + `{"text":"c d","label":"pos","split":"train"}` + "\n" + `{"text":"m n","label":"pos"}` + "\n" +
		`{"text":"e f","label":"neg","split":"train"}` + "\n" + `{"text":"g h","label":"neg","split":"dev"}` + "\n" +
		`{"text":"i j","label":"neg","split":"test"}` + "\n" + `{"text":"k l","label":null,"split":"unsupervised"}` + "\n"
	for _, file := range []string{put(t, "a.csv", rows), put(t, "a.tsv", strings.ReplaceAll(rows, ",", "\t")), put(t, "a.jsonl", lines)} {
		t.Run(filepath.Ext(file), func(t *testing.T) {
			dir, a := must.Get2(addOwn(t, own.Data{Files: []string{file}}))(t)
			assert.Equal(t, [2][]int{{2, 2}, {1, 1}}, a.Counts)
			assert.Equal(t, []int{4, 2, 1}, []int{a.Train, a.Test, a.Extra})
			assert.Zero(t, a.HeldOut)
			assert.Contains(t, a.Read[0].How.String(), ", parts from split")
			assert.Empty(t, a.Read[0].Passed)
			src := must.Get(folder.Source(dir, "mine", folder.Options{}))(t)
			var tested []string
			require.NoError(t, src.Reviews(ctx, func(p dataset.Part, r dataset.Review) error {
				if p == dataset.Test {
					tested = append(tested, r.ID+" "+r.Text)
				}
				return nil
			}))
			assert.Equal(t, []string{"test/00000001 a b", "test/00000002 i j"}, tested)
		})
	}

	labelled := strings.Replace(rows, "unsupervised,k l,\n", "", 1)
	_, a := must.Get2(addOwn(t, own.Data{Files: []string{put(t, "a.csv", labelled)}, TestFraction: 0.4}))(t)
	assert.Equal(t, 0.4, a.HeldOut)
	assert.Equal(t, "split", a.Read[0].Passed)
	assert.NotContains(t, a.Read[0].How.String(), "parts")

	for name, c := range map[string][2]string{
		"another name": {"split,text,label\nfold1,a b,pos\n", `a.csv: line 2, column "split": "fold1" is none of the parts train, validation, test and unsupervised: name it so, or give --test-fraction`},
		"no label":     {"split,text,label\ntrain,a b,\n", `a.csv: line 2, column "label": has no label: add one, or move the text to a file for --unlabelled`},
		"train alone":  {"split,text,label\ntrain,a b,pos\ntrain,c d,neg\ntest,e f,neg\n", `class "pos" has 1 review to train on and none to test on`},
		"test alone":   {"split,text,label\ntest,a b,pos\ntrain,c d,neg\ntest,e f,neg\n", `class "pos" has 1 review to test on and none to train on`},
		"two of them":  {"text,text,label\na b,c,pos\n", `two columns are called "text": rename one of them`},
	} {
		t.Run(name, func(t *testing.T) {
			_, _, err := addOwn(t, own.Data{Files: []string{put(t, "a.csv", c[0])}})
			require.ErrorContains(t, err, c[1])
		})
	}
}

// Folders beside train and test go by the names that a column of parts may hold; of others
// it is said that they are passed over.
func TestAddOwnFolders(t *testing.T) {
	dir := t.TempDir()
	for name, text := range map[string]string{
		"train/pos/a": "a", "train/pos/b": "b", "train/neg/c": "c", "train/unsup/d": "d", "test/pos/e": "e", "test/neg/f": "f",
		"valid/pos/g": "g", "Dev/neg/h": "h", "unsup/i": "i", "more/pos/j": "j", "more.csv": "text,label\nk,pos\n", "README": "l", ".git/m": "m",
	} {
		fixture.Put(t, filepath.Join(dir, filepath.Dir(name)), filepath.Base(name), []byte(text))
	}
	to, a := must.Get2(addOwn(t, own.Data{Files: []string{dir}}))(t)
	assert.Equal(t, [2][]int{{2, 3}, {1, 1}}, a.Counts)
	assert.Equal(t, []int{5, 2, 2}, []int{a.Train, a.Test, a.Extra})
	added := ": added to train, from which data.valid takes its own part"
	assert.Equal(t, []string{filepath.Join(dir, "more") + ": not read", filepath.Join(dir, "more.csv") + ": not read",
		filepath.Join(dir, "Dev") + added, filepath.Join(dir, "valid") + added}, a.Notes)
	src := must.Get(folder.Source(to, "mine", folder.Options{}))(t)
	texts := map[dataset.Part]string{}
	require.NoError(t, src.Reviews(ctx, func(p dataset.Part, r dataset.Review) error {
		texts[p] += r.Text
		return nil
	}))
	assert.Equal(t, map[dataset.Part]string{dataset.Train: "cabhg", dataset.Test: "fe", dataset.Extra: "di"}, texts)
}
