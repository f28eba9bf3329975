package fetch_test

import (
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
