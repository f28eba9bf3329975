package dataset_test

import (
	"archive/zip"
	"bytes"
	"compress/gzip"
	"io"
	"os"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"imdbexp/dataset/fetch"
	"imdbexp/internal/testkit/must"
)

const gloveMember = "glove.6B.50d.txt"

// gloveZip is a zip like GloVe's, with a large member before the wanted one and
// one after it.
func gloveZip(t *testing.T, method uint16, text string) []byte {
	return zipOf(t, method, "glove.6B.300d.txt", string(noise(400_000)), "x/"+gloveMember, text, "glove.6B.100d.txt", string(noise(200_000)))
}

func unpacked(t *testing.T, file string) string {
	b := must.Get(os.ReadFile(file))(t)
	z := must.Get(gzip.NewReader(bytes.NewReader(b)))(t)
	text := must.Get(io.ReadAll(z))(t)
	return string(text)
}

func TestFetchMember(t *testing.T) {
	text := string(noise(100_000))
	zips := map[uint16][]byte{zip.Deflate: gloveZip(t, zip.Deflate, text), zip.Store: gloveZip(t, zip.Store, text)}
	for name, x := range map[string]struct {
		method uint16
		set    func(*server)
		want   string // of the error
		max    int    // requests
	}{
		"deflated": {zip.Deflate, func(*server) {}, "", 4},
		"stored":   {zip.Store, func(*server) {}, "is not deflated: download the archive with another program", 3},
		"cut":      {zip.Deflate, func(s *server) { s.cut = 70_000 }, "", 6},
		"500":      {zip.Deflate, func(s *server) { s.status = []int{500, 0, 502} }, "", 7},
		"no Range": {zip.Deflate, func(s *server) { s.noRange = true }, "whole files only (no Range): download the archive", 2},
	} {
		t.Run(name, func(t *testing.T) {
			s := serve(t, zips[x.method])
			x.set(s)
			dir := t.TempDir()
			file, err := fetch.Member(ctx, s.URL+"/any", gloveMember, dir, quick())
			assert.LessOrEqual(t, len(s.asked()), x.max)
			if x.want != "" {
				assert.ErrorContains(t, err, x.want)
				assert.Empty(t, allFiles(t, dir))
				return
			}
			require.NoError(t, err)
			assert.Equal(t, []string{gloveMember + ".gz"}, allFiles(t, dir))
			assert.True(t, text == unpacked(t, file))
			assert.Less(t, s.total(), int64(300_000), "only the member and the directory came")
			again := must.Get(fetch.Member(ctx, s.URL+"/any", gloveMember, dir, quick()))(t)
			assert.Equal(t, file, again)
			assert.LessOrEqual(t, len(s.asked()), x.max, "nothing is asked for what is there")
		})
	}
}

func TestFetchMemberGoesOn(t *testing.T) {
	text := string(noise(500_000))
	s := serve(t, gloveZip(t, zip.Deflate, text))
	dir := t.TempDir()
	s.cut = 150_000
	o := quick()
	o.Tries = 1
	_, err := fetch.Member(ctx, s.URL, gloveMember, dir, o)
	require.ErrorContains(t, err, "0.1 MB are kept: fetch again to continue")
	require.Len(t, allFiles(t, dir), 1)

	s.reset()
	file := must.Get(fetch.Member(ctx, s.URL, gloveMember, dir, o))(t)
	assert.True(t, text == unpacked(t, file))
	assert.Less(t, s.total(), int64(500_000), "150 kB were there")
}

func TestFetchBadZip(t *testing.T) {
	good := gloveZip(t, zip.Deflate, "text")
	damage := func(at int) []byte {
		b := bytes.Clone(good)
		for i := range 60 {
			b[at+i] ^= 0x55
		}
		return b
	}
	directory := bytes.Index(good, []byte("PK\x01\x02"))
	beyond := bytes.Clone(good)
	offset := directory + 42
	copy(beyond[offset+46+17:], "\xff\xff\xff\x7f") // where the second entry begins
	for name, x := range map[string]struct {
		content []byte
		want    string
	}{
		"damaged directory": {damage(directory), "a damaged directory"},
		"damaged end":       {damage(len(good) - 60), "a damaged directory"},
		"entry beyond":      {beyond, "a damaged directory"},
		"cut":               {good[:len(good)-100], "a damaged directory"},
		"another zip":       {zipOf(t, zip.Deflate, "a.txt", "a"), "a zip of 1 entries without glove.6B.50d.txt"},
		"no zip":            {noise(9999), "not a zip"},
		"a web page":        {[]byte("<html>Log in"), "sent a web page instead of the file"},
	} {
		t.Run(name, func(t *testing.T) {
			s := serve(t, x.content)
			dir := t.TempDir()
			_, err := fetch.Member(ctx, s.URL, gloveMember, dir, quick())
			assert.ErrorContains(t, err, x.want)
			assert.ErrorContains(t, err, s.URL)
			assert.Empty(t, allFiles(t, dir))
			assert.LessOrEqual(t, len(s.asked()), 4, "and is not asked for again")
		})
	}
}
