package fetch_test

import (
	"archive/tar"
	"archive/zip"
	"bytes"
	"compress/gzip"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"imdbexp/dataset/fetch"
	"imdbexp/dataset/folder"
	"imdbexp/internal/testkit/must"
)

func reviews(t *testing.T, names ...string) []byte {
	var out bytes.Buffer
	z := gzip.NewWriter(&out)
	w := tar.NewWriter(z)
	for _, n := range names {
		text := "A film of " + n
		require.NoError(t, w.WriteHeader(&tar.Header{Name: "aclImdb/" + n, Typeflag: tar.TypeReg, Mode: 0o644, Size: int64(len(text))}))
		_, err := w.Write([]byte(text))
		require.NoError(t, err)
	}
	require.NoError(t, w.Close())
	require.NoError(t, z.Close())
	return out.Bytes()
}

var four = []string{"train/pos/0_9.txt", "train/neg/0_1.txt", "test/pos/0_9.txt", "test/neg/0_1.txt"}

func textSum(text string) fetch.Checksum {
	s := sha256.Sum256([]byte(text))
	return fetch.Checksum(hex.EncodeToString(s[:]))
}

func TestIMDB(t *testing.T) {
	content := reviews(t, four...)
	s := serve(t, content)
	dir := filepath.Join(t.TempDir(), "new")
	r := fetch.Request{URL: s.URL + "/a", Options: quick()}
	_, err := fetch.IMDB(ctx, dir, r)
	require.ErrorContains(t, err, "instead of MD5 7c2ac02c03563afcf9b574c7e56c153a")
	assert.Equal(t, []string{"lock"}, files(t, dir))

	r.Checksum = sumOf(content)
	added, err := fetch.IMDB(ctx, dir, r)
	require.NoError(t, err)
	assert.Equal(t, []any{"imdb", 2, 2}, []any{added.Name, added.Train, added.Test})
	assert.NoDirExists(t, filepath.Join(dir, folder.DownloadFolder))
	_, err = folder.Corpus(ctx, dir, "imdb", folder.Options{})
	require.NoError(t, err)

	_, err = fetch.IMDB(ctx, dir, r)
	require.ErrorAs(t, err, new(*fetch.InstalledError))
	assert.Len(t, s.asked(), 2)
}

func TestGloVe(t *testing.T) {
	text := gloveText(50)
	s := serve(t, zipOf(t, zip.Deflate, "glove.6B.50d.txt", text, "glove.6B.100d.txt", gloveText(100)))
	dir := t.TempDir()
	r := fetch.Request{URL: s.URL, Options: quick()}
	_, err := fetch.GloVe(ctx, dir, 50, r)
	require.ErrorContains(t, err, "instead of d8f717f8dd4b545c")
	require.ErrorContains(t, err, "the download was removed")
	assert.Equal(t, []string{"lock"}, files(t, dir))

	r.Checksum = textSum(text)
	added := must.Get(fetch.GloVe(ctx, dir, 50, r))(t)
	assert.Equal(t, 7, added.Words)
	assert.Len(t, must.Get(folder.Installed(dir))(t), 1)
	v := must.Get(folder.Vectors(ctx, dir, "glove50", nil, folder.Options{}))(t)
	assert.Equal(t, string(r.Checksum), v.Digest)
}

// A wrong byte of deflated text is found by the CRC-32 of the zip.
func TestGloVeWrongByte(t *testing.T) {
	text := gloveText(100)
	b := zipOf(t, zip.Deflate, "glove.6B.100d.txt", text)
	b[len(b)/3] ^= 4
	s := serve(t, b)
	dir := t.TempDir()
	_, err := fetch.GloVe(ctx, dir, 100, fetch.Request{URL: s.URL, Options: quick()})
	require.ErrorContains(t, err, "the download was removed")
	assert.ErrorContains(t, err, s.URL)
	assert.Equal(t, []string{"lock"}, files(t, dir))
}

// Interrupted while the content is read, what came is kept whole.
func TestInterruptedReading(t *testing.T) {
	content := reviews(t, four...)
	s := serve(t, content)
	dir := t.TempDir()
	stopped, cancel := context.WithCancel(ctx)
	r := fetch.Request{URL: s.URL, Checksum: sumOf(content), Options: quick()}
	r.Open.Progress = func(int64, int64) { cancel() }
	_, err := fetch.IMDB(stopped, dir, r)
	require.ErrorIs(t, err, context.Canceled)
	info, err := os.Stat(filepath.Join(dir, folder.DownloadFolder, fetch.IMDBArchive.File))
	require.NoError(t, err)
	assert.EqualValues(t, len(content), info.Size())
	r.Open.Progress = nil
	_, err = fetch.IMDB(ctx, dir, r)
	require.NoError(t, err)
	assert.Len(t, s.asked(), 1)
}

func TestAddress(t *testing.T) {
	for _, x := range []struct{ given, mirror, want, err string }{
		{"", "", fetch.GloVeArchive.URL, ""},
		{"", "https://m/data/", "https://m/data/glove.6B.zip", ""},
		{"http://x/y?z", "https://m", "http://x/y?z", ""},
		{"ftp://x/y", "", "", "--url ftp://x/y: give"},
		{"", "m", "", "$EXP_MIRROR m: give"},
		{"http://", "", "", "--url http://: give"},
		{"http://x\x00", "", "", "give an address"},
	} {
		got, err := fetch.GloVeArchive.Address(x.given, x.mirror)
		assert.Equal(t, x.want, got)
		if x.err == "" {
			assert.NoError(t, err)
		} else {
			assert.ErrorContains(t, err, x.err)
		}
	}
}

// What could not be noted is not fetched.
func TestNothingFetchedWithoutARecord(t *testing.T) {
	asked := false
	s := httptest.NewServer(http.HandlerFunc(func(http.ResponseWriter, *http.Request) { asked = true }))
	defer s.Close()
	dir := t.TempDir()
	require.NoError(t, os.WriteFile(filepath.Join(dir, "installed.json"), []byte(`{"x": `), 0o666))
	_, err := fetch.GloVe(ctx, dir, 50, fetch.Request{URL: s.URL, Options: quick()})
	require.ErrorContains(t, err, "installed.json")
	assert.False(t, asked)
}

// Files of pairs become one probe; a wrong one is refused, and those that came are kept for the next
// attempt.
func TestMinimal(t *testing.T) {
	content := map[string]string{
		"/x/cad_dev_paired.tsv":    "Sentiment\tText\tbatch_id\nNegative\ta dull film\t4\nPositive\ta superb film\t4\n",
		"/x/cs_dev_original.tsv":   "Sentiment\tText\nNegative\t\"a \"\"dull\"\" plot\"\nPositive\tgood\n",
		"/x/cs_dev_contrast.tsv":   "Sentiment\tText\nPositive\ta fine plot\nNegative\tbad\n",
		"/own/cs_dev_contrast.tsv": "Sentiment\tText\r\nPositive\ta fine plot\r\n",
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
		list = append(list, fetch.Archive{File: name, URL: s.URL + "/x/" + name, Sum: textSum(content["/x/"+name])})
	}
	dir := t.TempDir()
	list[2].URL = s.URL + "/own/cs_dev_contrast.tsv"
	require.ErrorContains(t, must.Fail(fetch.Minimal(ctx, dir, list, fetch.Request{Options: quick()})), "cs_dev_contrast.tsv: the checksum is SHA256")
	require.Equal(t, []string{"downloads/cad_dev_paired.tsv", "downloads/cs_dev_original.tsv", "lock"}, files(t, dir))

	added := must.Get(fetch.Minimal(ctx, dir, list, fetch.Request{URL: s.URL + "/x/", Options: quick()}))(t)
	assert.Equal(t, 1, asked["/x/cad_dev_paired.tsv"], "kept from the first attempt")
	assert.Equal(t, 3, added.Test)
	p := must.Get(folder.Probe(ctx, dir, "minimal", folder.Options{}))(t)
	assert.Equal(t, []string{"cad_dev", "cs_dev"}, p.Sets())
	assert.Equal(t, `a "dull" plot`, p.Pairs[1].Original.Text)
	assert.Equal(t, "a fine plot", p.Pairs[1].Rewritten.Text)
	assert.NoDirExists(t, filepath.Join(dir, folder.DownloadFolder))
	require.ErrorAs(t, must.Fail(fetch.Minimal(ctx, dir, list, fetch.Request{Options: quick()})), new(*fetch.InstalledError))
}

// The checksums are those of the published files, of which the probe of docs/results/minimal-pairs.md
// is made.
func TestMinimalPublished(t *testing.T) {
	data := os.Getenv("EXP_TEST_DATA")
	if _, err := os.Stat(filepath.Join(data, "counterfactual")); data == "" || err != nil {
		t.Skip("needs the real pairs: EXP_TEST_DATA names a folder with counterfactual")
	}
	s := httptest.NewServer(http.FileServer(http.Dir(filepath.Join(data, "counterfactual"))))
	defer s.Close()
	added := must.Get(fetch.Minimal(ctx, t.TempDir(), fetch.MinimalFiles, fetch.Request{URL: s.URL, Options: quick()}))(t)
	assert.Equal(t, 3028, added.Test)
	assert.Equal(t, "2078f73cd9e027ec446c5762c0d931ba8c5f05b44bfbc75ec1dec99a5b8d6a5d", added.Digest)
	assert.Equal(t, "https://raw.githubusercontent.com/allenai/contrast-sets/e44faab7e5f77c5529c93fbc341ef208cfdbd541/IMDb/data/test_contrast.tsv", fetch.MinimalFiles[6].URL)
}

// Whatever a server has, the member found lies within it.
func FuzzFind(f *testing.F) {
	for _, method := range []uint16{zip.Store, zip.Deflate} {
		var out bytes.Buffer
		w := zip.NewWriter(&out)
		e, err := w.CreateHeader(&zip.FileHeader{Name: "x/" + member, Method: method})
		require.NoError(f, err)
		fmt.Fprint(e, "the 0.1\n")
		require.NoError(f, w.Close())
		f.Add(out.Bytes())
		f.Add(out.Bytes()[:out.Len()-9])
	}
	f.Fuzz(func(t *testing.T, b []byte) {
		const limit = 1 << 12
		entry, start, err := fetch.Find(bytes.NewReader(b), int64(len(b)), member, limit)
		if err != nil {
			return
		}
		require.LessOrEqual(t, entry.CompressedSize64, uint64(limit))
		require.Positive(t, start)
		require.LessOrEqual(t, start+int64(entry.CompressedSize64), int64(len(b)))
	})
}
