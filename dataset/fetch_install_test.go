package dataset_test

import (
	"archive/zip"
	"bytes"
	"context"
	"fmt"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"imdbexp/dataset/fetch"
	"imdbexp/dataset/folder"
	"imdbexp/internal/testkit/fixture"
	"imdbexp/internal/testkit/must"
)

func archiveOf(t *testing.T, names ...string) []byte {
	var entries []fixture.Entry
	for _, n := range names {
		entries = append(entries, fixture.Entry{Name: "aclImdb/" + n, Text: "A film of " + n})
	}
	return fixture.Gzip(t, fixture.Tar(t, entries))
}

var four = []string{"train/pos/0_9.txt", "train/neg/0_1.txt", "test/pos/0_9.txt", "test/neg/0_1.txt"}

// digestOf returns the digest of the data in a file.
func digestOf(t *testing.T, content []byte) string {
	file := filepath.Join(t.TempDir(), "f")
	require.NoError(t, os.WriteFile(file, content, 0o666))
	return must.Get(folder.Add(ctx, t.TempDir(), file, false, folder.Options{}))(t)[0].Digest
}

func TestFetchIMDB(t *testing.T) {
	content := archiveOf(t, four...)
	s := serve(t, content)
	dir := filepath.Join(t.TempDir(), "new")
	r := fetch.Request{Mirror: s.URL + "/a", Options: quick()}
	_, err := fetch.IMDB(ctx, dir, r)
	require.ErrorContains(t, err, "instead of 26aab42dc98644e8")
	assert.Equal(t, []string{"lock"}, allFiles(t, dir))

	r.Digest = digestOf(t, content)
	added := must.Get(fetch.IMDB(ctx, dir, r))(t)
	assert.Equal(t, []any{"imdb", 2, 2}, []any{added.Name, added.Train, added.Test})
	assert.NoDirExists(t, filepath.Join(dir, folder.DownloadFolder))
	must.Get(folder.Corpus(ctx, dir, "imdb", folder.Options{}))(t)

	_, err = fetch.IMDB(ctx, dir, r)
	require.ErrorAs(t, err, new(*fetch.InstalledError))
	assert.Len(t, s.asked(), 2)
}

func TestFetchGloVe(t *testing.T) {
	text := gloveText(50)
	s := serve(t, zipOf(t, zip.Deflate, "glove.6B.50d.txt", text, "glove.6B.100d.txt", gloveText(100)))
	dir := t.TempDir()
	r := fetch.Request{Mirror: s.URL, Options: quick()}
	_, err := fetch.GloVe(ctx, dir, 50, r)
	require.ErrorContains(t, err, "instead of d8f717f8dd4b545c")
	require.ErrorContains(t, err, "the download was removed")
	assert.Equal(t, []string{"lock"}, allFiles(t, dir))

	r.Digest = digestOf(t, []byte(text))
	added := must.Get(fetch.GloVe(ctx, dir, 50, r))(t)
	assert.Equal(t, 7, added.Words)
	assert.Len(t, must.Get(folder.Installed(dir))(t), 1)
	v := must.Get(folder.Vectors(ctx, dir, "glove50", nil, folder.Options{}))(t)
	assert.Equal(t, r.Digest, v.Digest)
}

// A wrong byte of deflated text is found by the CRC-32 of the zip.
func TestFetchGloVeWrongByte(t *testing.T) {
	text := gloveText(100)
	b := zipOf(t, zip.Deflate, "glove.6B.100d.txt", text)
	b[len(b)/3] ^= 4
	s := serve(t, b)
	dir := t.TempDir()
	_, err := fetch.GloVe(ctx, dir, 100, fetch.Request{Mirror: s.URL, Options: quick()})
	require.ErrorContains(t, err, "the download was removed")
	assert.ErrorContains(t, err, s.URL)
	assert.Equal(t, []string{"lock"}, allFiles(t, dir))
}

// Interrupted while the content is read, what came is kept whole.
func TestFetchInterruptedReading(t *testing.T) {
	content := archiveOf(t, four...)
	s := serve(t, content)
	dir := t.TempDir()
	stopped, cancel := context.WithCancel(ctx)
	r := fetch.Request{Mirror: s.URL, Digest: digestOf(t, content), Options: quick()}
	r.Open.Progress = func(int64, int64) { cancel() }
	_, err := fetch.IMDB(stopped, dir, r)
	require.ErrorIs(t, err, context.Canceled)
	info := must.Get(os.Stat(filepath.Join(dir, folder.DownloadFolder, fetch.IMDBArchive.File)))(t)
	assert.EqualValues(t, len(content), info.Size())
	r.Open.Progress = nil
	must.Get(fetch.IMDB(ctx, dir, r))(t)
	assert.Len(t, s.asked(), 1)
}

// Files of pairs become one probe; those that came are kept for the next attempt, but others than the
// published ones are removed.
func TestFetchMinimal(t *testing.T) {
	content := map[string]string{
		"/x/cad_dev_paired.tsv":  "Sentiment\tText\tbatch_id\nNegative\ta dull film\t4\nPositive\ta superb film\t4\n",
		"/x/cs_dev_original.tsv": "Sentiment\tText\nNegative\t\"a \"\"dull\"\" plot\"\nPositive\tgood\n",
		"/x/cs_dev_contrast.tsv": "Sentiment\tText\nPositive\ta fine plot\nNegative\tbad\n",
	}
	asked := map[string]int{}
	s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		asked[r.URL.Path]++
		text, ok := content[r.URL.Path]
		if !ok {
			http.NotFound(w, r)
			return
		}
		w.Write([]byte(text))
	}))
	defer s.Close()
	var list []fetch.Archive
	for _, name := range []string{"cad_dev_paired.tsv", "cs_dev_original.tsv", "cs_dev_contrast.tsv"} {
		list = append(list, fetch.Archive{File: name, URL: s.URL + "/x/" + name})
	}
	dir := t.TempDir()
	list[2].URL = s.URL + "/none"
	require.ErrorContains(t, must.Fail(fetch.Minimal(ctx, dir, list, fetch.Request{Options: quick()})), "/none: the server answers 404")
	require.Equal(t, []string{"downloads/cad_dev_paired.tsv", "downloads/cs_dev_original.tsv", "lock"}, allFiles(t, dir))
	err := must.Fail(fetch.Minimal(ctx, dir, list, fetch.Request{Mirror: s.URL + "/x/", Options: quick()}))
	require.ErrorContains(t, err, "instead of 2078f73c")
	require.ErrorContains(t, err, "the download was removed")
	assert.Equal(t, 1, asked["/x/cad_dev_paired.tsv"], "kept from the first attempt")
	require.Equal(t, []string{"lock"}, allFiles(t, dir))

	r := fetch.Request{Mirror: s.URL + "/x/", Digest: "7bb", Options: quick()}
	_, r.Digest, _ = strings.Cut(must.Fail(fetch.Minimal(ctx, dir, list, r)).Error(), "has the digest ")
	r.Digest, _, _ = strings.Cut(r.Digest, " ")
	added := must.Get(fetch.Minimal(ctx, dir, list, r))(t)
	assert.Equal(t, 3, added.Test)
	p := must.Get(folder.Probe(ctx, dir, "minimal", folder.Options{}))(t)
	assert.Equal(t, []string{"cad_dev", "cs_dev"}, p.Sets())
	assert.Equal(t, `a "dull" plot`, p.Pairs[1].Original.Text)
	assert.Equal(t, "a fine plot", p.Pairs[1].Rewritten.Text)
	assert.NoDirExists(t, filepath.Join(dir, folder.DownloadFolder))
	require.ErrorAs(t, must.Fail(fetch.Minimal(ctx, dir, list, fetch.Request{Options: quick()})), new(*fetch.InstalledError))
}

// The digest is that of the published files, of which the probe of docs/results/minimal-pairs.md
// is made.
func TestFetchMinimalPublished(t *testing.T) {
	data := os.Getenv("EXP_TEST_DATA")
	if _, err := os.Stat(filepath.Join(data, "counterfactual")); data == "" || err != nil {
		t.Skip("needs the real pairs: EXP_TEST_DATA names a folder with counterfactual")
	}
	s := httptest.NewServer(http.FileServer(http.Dir(filepath.Join(data, "counterfactual"))))
	defer s.Close()
	added := must.Get(fetch.Minimal(ctx, t.TempDir(), fetch.MinimalFiles, fetch.Request{Mirror: s.URL, Options: quick()}))(t)
	assert.Equal(t, 3028, added.Test)
	assert.Equal(t, "2078f73cd9e027ec446c5762c0d931ba8c5f05b44bfbc75ec1dec99a5b8d6a5d", added.Digest)
	assert.Equal(t, "https://raw.githubusercontent.com/allenai/contrast-sets/e44faab7e5f77c5529c93fbc341ef208cfdbd541/IMDb/data/test_contrast.tsv", fetch.MinimalFiles[6].URL)
}

// Whatever a server has, a member is fetched from within it.
func FuzzFetchMember(f *testing.F) {
	for _, method := range []uint16{zip.Store, zip.Deflate} {
		var out bytes.Buffer
		w := zip.NewWriter(&out)
		e := must.Get(w.CreateHeader(&zip.FileHeader{Name: "x/" + gloveMember, Method: method}))(f)
		fmt.Fprint(e, "the 0.1\n")
		require.NoError(f, w.Close())
		f.Add(out.Bytes())
		f.Add(out.Bytes()[:out.Len()-9])
		long := bytes.Clone(out.Bytes())
		long[bytes.Index(long, []byte("PK\x01\x02"))+21]++ // 256 bytes more than there are
		f.Add(long)
	}
	s := serve(f, nil)
	f.Fuzz(func(t *testing.T, b []byte) {
		s.mu.Lock()
		s.content, s.requests = b, nil
		s.mu.Unlock()
		o := quick()
		o.Limit, o.Tries = 1<<12, 1
		_, _ = fetch.Member(ctx, s.URL, gloveMember, t.TempDir(), o)
		for _, asked := range s.asked() {
			var start, last int64
			if n, _ := fmt.Sscanf(asked, "bytes=%d-%d", &start, &last); n == 2 { // the other one asks for the end
				require.LessOrEqual(t, last-start, o.Limit)
				require.Positive(t, start)
				require.Less(t, last, int64(len(b)))
			}
		}
	})
}
