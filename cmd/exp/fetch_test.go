package main

import (
	"archive/tar"
	"archive/zip"
	"bytes"
	"compress/gzip"
	"context"
	"crypto/sha256"
	"fmt"
	"net/http"
	"net/http/httptest"
	"os"
	"path"
	"path/filepath"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/rogpeppe/go-internal/testscript"
	"github.com/stretchr/testify/require"

	"imdbexp/dataset/folder"
	"imdbexp/internal/term"
	"imdbexp/internal/testkit/must"
)

// slow sends a large file in pieces until the request ends.
func slow(w http.ResponseWriter, r *http.Request) {
	w.Header().Set("Content-Length", "84000000")
	for r.Context().Err() == nil {
		if _, err := w.Write(make([]byte, 40_000)); err != nil {
			return
		}
		w.(http.Flusher).Flush()
		time.Sleep(5 * time.Millisecond)
	}
}

func TestInterruptedFetchKeepsWhatCame(t *testing.T) {
	s := httptest.NewServer(http.HandlerFunc(slow))
	defer s.Close()
	for _, width := range []int{50, 0} {
		dir := t.TempDir()
		t.Setenv("EXP_DATA", dir)
		t.Setenv("EXP_MIRROR", s.URL)
		ctx, cancel := context.WithCancel(t.Context())
		stop := time.AfterFunc(800*time.Millisecond, cancel)
		var out output
		require.Equal(t, exitInterrupted, call(ctx, &out, width, false, "data", "fetch", "imdb"))
		stop.Stop()
		cancel()
		text := escape.ReplaceAllString(out.String(), "")
		require.Contains(t, text, "exp: interrupted; the download is kept. Continue: exp data fetch imdb")
		if width > 0 {
			require.Regexp(t, `imdb .*\d+\.\d MB of 84\.0 MB`, text)
			for line := range strings.SplitSeq(text, "\n") {
				line = line[strings.LastIndex(line, "\r")+1:]
				if !strings.Contains(line, s.URL) && !strings.Contains(line, "Continue:") {
					require.LessOrEqual(t, term.Width(line), width, "%q", line)
				}
			}
		}
		kept := must.Get(filepath.Glob(filepath.Join(dir, "downloads", "aclImdb_v1.tar.gz.*.part")))(t)
		require.Len(t, kept, 1)
		require.Positive(t, must.Get(os.Stat(kept[0]))(t).Size())
	}
}

// mirror starts a server of archives like the published ones and sets $MIRROR,
// $IMDB_DIGEST and $GLOVE_SHA256. Below /broken it breaks connections, below
// /simple it knows no Range, below /once it breaks one connection, refuses the
// next and then works.
func mirror(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) > 0 {
		ts.Fatalf("usage: mirror")
	}
	imdb, glove, err := archives()
	ts.Check(err)
	files := map[string][]byte{"aclImdb_v1.tar.gz": imdb, "glove.6B.zip": glove, "cad_dev_paired.tsv": []byte("Sentiment\tText\tbatch_id\n")}
	var once atomic.Int32
	s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		b, ok := files[path.Base(r.URL.Path)]
		if !ok {
			http.NotFound(w, r)
			return
		}
		w.Header().Set("ETag", `"1"`)
		folder := path.Dir(r.URL.Path)
		switch folder {
		case "/simple":
			r.Header.Del("Range")
		case "/broken":
			w = &breaking{w, len(b) / 2}
		case "/once":
			switch once.Add(1) {
			case 1:
				w = &breaking{w, len(b) / 2}
			case 2:
				http.Error(w, "no", http.StatusForbidden)
				return
			}
		}
		http.ServeContent(w, r, "", time.Time{}, bytes.NewReader(b))
	}))
	ts.Defer(s.Close)
	ts.Setenv("MIRROR", s.URL)
	file := filepath.Join(ts.MkAbs("."), "imdb.tar.gz")
	ts.Check(os.WriteFile(file, imdb, 0o666))
	added, err := folder.Add(context.Background(), ts.MkAbs("digest"), file, false, folder.Options{})
	ts.Check(err)
	ts.Setenv("IMDB_DIGEST", added[0].Digest)
	ts.Setenv("GLOVE_SHA256", fmt.Sprintf("%x", sha256.Sum256(gloveLines(50))))
}

// breaking breaks a connection after a number of bytes.
type breaking struct {
	http.ResponseWriter
	left int
}

func (b *breaking) Write(p []byte) (int, error) {
	n, err := b.ResponseWriter.Write(p[:min(len(p), b.left)])
	if b.left -= n; b.left == 0 && err == nil {
		b.ResponseWriter.(http.Flusher).Flush()
		panic(http.ErrAbortHandler)
	}
	return n, err
}

func archives() (imdb, glove []byte, err error) {
	var out bytes.Buffer
	z := gzip.NewWriter(&out)
	w := tar.NewWriter(z)
	for _, name := range []string{"train/pos/0_9", "train/neg/0_1", "test/pos/0_9", "test/neg/0_1"} {
		text := "A film of " + name
		h := &tar.Header{Name: "aclImdb/" + name + ".txt", Typeflag: tar.TypeReg, Mode: 0o644, Size: int64(len(text))}
		if err := w.WriteHeader(h); err != nil {
			return nil, nil, err
		}
		if _, err := w.Write([]byte(text)); err != nil {
			return nil, nil, err
		}
	}
	if err := w.Close(); err != nil {
		return nil, nil, err
	}
	if err := z.Close(); err != nil {
		return nil, nil, err
	}
	var all bytes.Buffer
	v := zip.NewWriter(&all)
	for _, dim := range []int{50, 100, 200} {
		f, err := v.Create(fmt.Sprintf("glove.6B.%dd.txt", dim))
		if err != nil {
			return nil, nil, err
		}
		if _, err := f.Write(gloveLines(dim)); err != nil {
			return nil, nil, err
		}
	}
	if err := v.Close(); err != nil {
		return nil, nil, err
	}
	return out.Bytes(), all.Bytes(), nil
}

// vectors is a small text of word vectors that begins as GloVe's.
func gloveLines(dim int) []byte {
	var b bytes.Buffer
	for i, w := range strings.Fields("the , . of film train test") {
		b.WriteString(w)
		for d := range dim {
			fmt.Fprintf(&b, " %.3f", float64((i*31+d*17)%97)/97-0.5)
		}
		b.WriteByte('\n')
	}
	return b.Bytes()
}

// damage changes a byte in the middle of a file.
func damage(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) != 1 {
		ts.Fatalf("usage: damage FILE")
	}
	file := ts.MkAbs(args[0])
	b, err := os.ReadFile(file)
	ts.Check(err)
	b[len(b)/2] ^= 0x10
	ts.Check(os.WriteFile(file, b, 0o666))
}
