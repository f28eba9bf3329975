package dataset_test

import (
	"archive/zip"
	"bytes"
	"fmt"
	"io"
	"math/rand/v2"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"imdbexp/dataset/fetch"
	"imdbexp/internal/testkit/must"
)

// server serves one file, and can be told to misbehave.
type server struct {
	*httptest.Server

	mu       sync.Mutex
	content  []byte
	requests []string // the Range of each, "" without
	sent     int64

	cut     int // break the connection after so many bytes of each answer
	stall   bool
	noRange bool
	status  []int                                         // answers before the file
	hijack  func(http.ResponseWriter, *http.Request) bool // answers itself
	after   func(request int)                             // called when a request has been answered
}

func serve(t testing.TB, content []byte) *server {
	s := &server{content: content}
	s.Server = httptest.NewServer(s)
	t.Cleanup(func() { s.CloseClientConnections(); s.Close() })
	return s
}

func (s *server) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	s.mu.Lock()
	n := len(s.requests)
	s.requests = append(s.requests, r.Header.Get("Range"))
	content, cut, after := s.content, s.cut, s.after
	s.mu.Unlock()
	if after != nil {
		defer after(n)
	}
	if n < len(s.status) && s.status[n] != 0 {
		http.Error(w, "no", s.status[n])
		return
	}
	if s.hijack != nil && s.hijack(w, r) {
		return
	}
	if s.noRange {
		r.Header.Del("Range")
	}
	out := &cutter{ResponseWriter: w, s: s, left: cut, whole: cut == 0, r: r}
	http.ServeContent(out, r, "", time.Time{}, bytes.NewReader(content))
}

// cutter breaks a connection after some bytes, or lets it hang there.
type cutter struct {
	http.ResponseWriter
	s     *server
	r     *http.Request
	left  int
	whole bool
}

func (c *cutter) Write(p []byte) (int, error) {
	if c.whole {
		c.s.count(len(p))
		return c.ResponseWriter.Write(p)
	}
	p = p[:min(len(p), c.left)]
	n, _ := c.ResponseWriter.Write(p)
	c.s.count(n)
	if c.left -= n; c.left == 0 {
		c.ResponseWriter.(http.Flusher).Flush()
		if c.s.stall {
			<-c.r.Context().Done()
		}
		panic(http.ErrAbortHandler)
	}
	return n, nil
}

func (s *server) count(n int) {
	s.mu.Lock()
	s.sent += int64(n)
	s.mu.Unlock()
}

// total returns how many bytes of the file were sent.
func (s *server) total() int64 {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.sent
}

// reset stops cutting and counts from now on.
func (s *server) reset() {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.cut, s.sent = 0, 0
}

func (s *server) asked() []string {
	s.mu.Lock()
	defer s.mu.Unlock()
	return append([]string(nil), s.requests...)
}

// quick are options that wait for nothing.
func quick() fetch.Options {
	return fetch.Options{Wait: time.Millisecond, Idle: 5 * time.Second, Tries: 3}
}

func noise(n int) []byte {
	b := make([]byte, n)
	r := rand.NewChaCha8([32]byte{1})
	_, _ = r.Read(b)
	return b
}

func zipOf(t *testing.T, method uint16, members ...string) []byte {
	var out bytes.Buffer
	w := zip.NewWriter(&out)
	for i := 0; i < len(members); i += 2 {
		f := must.Get(w.CreateHeader(&zip.FileHeader{Name: members[i], Method: method}))(t)
		must.Get(io.WriteString(f, members[i+1]))(t)
	}
	require.NoError(t, w.Close())
	return out.Bytes()
}

func gloveText(dim int) string {
	var b bytes.Buffer
	for i, w := range []string{"the", ",", ".", "of", "film", "good", "bad"} {
		b.WriteString(w)
		for d := range dim {
			fmt.Fprintf(&b, " %.4f", float64((i*31+d*17)%97)/97-0.5)
		}
		b.WriteByte('\n')
	}
	return b.String()
}

func allFiles(t *testing.T, dir string) []string {
	t.Helper()
	var out []string
	err := filepath.WalkDir(dir, func(path string, e os.DirEntry, err error) error {
		if err == nil && !e.IsDir() {
			rel, _ := filepath.Rel(dir, path)
			out = append(out, filepath.ToSlash(rel))
		}
		return err
	})
	require.NoError(t, err)
	return out
}
