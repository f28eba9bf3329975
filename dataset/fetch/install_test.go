package fetch_test

import (
	"archive/tar"
	"archive/zip"
	"bytes"
	"compress/gzip"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"imdbexp/dataset/fetch"
	"imdbexp/dataset/folder"
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
	for name, noRange := range map[string]bool{"member": false, "whole": true} {
		t.Run(name, func(t *testing.T) {
			s := serve(t, zipOf(t, zip.Deflate, "glove.6B.50d.txt", text, "glove.6B.100d.txt", gloveText(100)))
			s.noRange = noRange
			dir := t.TempDir()
			r := fetch.Request{URL: s.URL, Options: quick()}
			_, err := fetch.GloVe(ctx, dir, 50, r)
			require.ErrorContains(t, err, "instead of d8f717f8dd4b545c")
			require.ErrorContains(t, err, "the download was removed")
			assert.Equal(t, []string{"lock"}, files(t, dir))

			r.Checksum = textSum(text)
			added, err := fetch.GloVe(ctx, dir, 50, r)
			require.NoError(t, err)
			assert.Equal(t, 7, added.Words)
			items, err := folder.Installed(dir)
			require.NoError(t, err)
			assert.Len(t, items, map[bool]int{false: 1, true: 2}[noRange], "a whole archive is kept whole")
			c, err := folder.Corpus(ctx, dir, "sample", folder.Options{})
			require.NoError(t, err)
			v, err := folder.Vectors(ctx, dir, "glove50", c, folder.Options{})
			require.NoError(t, err)
			assert.Equal(t, string(r.Checksum), v.Digest)
		})
	}
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
