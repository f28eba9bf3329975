package dataset_test

import (
	"bytes"
	"context"
	"fmt"
	"net/http"
	"os"
	"path/filepath"
	"slices"
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"imdbexp/dataset/fetch"
	"imdbexp/internal/fsx"
	"imdbexp/internal/testkit/must"
)

func TestFetchFile(t *testing.T) {
	content := noise(300_000)
	half := func(w http.ResponseWriter, r *http.Request) bool { // announces more than there is
		w.Header().Set("Content-Length", "400000")
		_, _ = w.Write(content)
		panic(http.ErrAbortHandler)
	}
	for name, x := range map[string]struct {
		set  func(*server)
		want string // of the error; "" is none
		keep bool   // of the part that came
		max  int    // requests
	}{
		"plain":               {func(s *server) {}, "", false, 1},
		"cut again and again": {func(s *server) { s.cut = 50_000 }, "", false, 7},
		"cut at once": {func(s *server) {
			s.hijack = func(http.ResponseWriter, *http.Request) bool { panic(http.ErrAbortHandler) }
		}, "3 attempts in a row fetched nothing new", false, 3},
		"no Range":                 {func(s *server) { s.noRange = true }, "", false, 1},
		"cut and no Range":         {func(s *server) { s.cut, s.noRange = 100_000, true }, "fetched nothing new", true, 4},
		"500 twice":                {func(s *server) { s.status = []int{500, 503} }, "", false, 3},
		"500 for ever":             {func(s *server) { s.status = []int{500, 500, 500} }, "answers 500 Internal Server Error (3 attempts", false, 3},
		"429":                      {func(s *server) { s.status = []int{429} }, "", false, 2},
		"404":                      {func(s *server) { s.status = []int{404} }, "answers 404 Not Found", false, 1},
		"announces more":           {func(s *server) { s.hijack = half }, "fetched nothing new", true, 9},
		"announces far too much":   {func(s *server) { s.hijack = lies(nil, 1<<40) }, "more than the 1000000 allowed", false, 1},
		"never ends":               {func(s *server) { s.hijack = endless }, "more than the 1000000 allowed", true, 1},
		"another part":             {func(s *server) { s.cut, s.hijack = 100_000, wrongPart("bytes 5-9/300000") }, "sends other bytes than requested", false, 2},
		"a part without saying so": {func(s *server) { s.cut, s.hijack = 100_000, wrongPart("") }, `(Content-Range "")`, true, 9},
		"a web page":               {func(s *server) { s.content = []byte("<!DOCTYPE html><title>Log in</title>") }, "sent a web page instead of the file", false, 1},
		"redirected": {func(s *server) {
			s.hijack = func(w http.ResponseWriter, r *http.Request) bool {
				if r.URL.Path == "/f" {
					http.Redirect(w, r, "/g", http.StatusFound)
				}
				return r.URL.Path == "/f"
			}
		}, "", false, 2},
	} {
		t.Run(name, func(t *testing.T) {
			s := serve(t, content)
			x.set(s)
			o, path := quick(), filepath.Join(t.TempDir(), "f")
			o.Limit = 1_000_000
			last := int64(0)
			o.Progress = func(done, _ int64) { last = done }
			err := fetch.File(ctx, s.URL+"/f", path, o)
			assert.LessOrEqual(t, len(s.asked()), x.max)
			if x.want == "" {
				require.NoError(t, err)
				got := must.Get(os.ReadFile(path))(t)
				assert.True(t, bytes.Equal(content, got))
				assert.Equal(t, []string{"f"}, allFiles(t, filepath.Dir(path)))
				assert.EqualValues(t, len(content), last)
				return
			}
			assert.ErrorContains(t, err, x.want)
			assert.ErrorContains(t, err, s.URL+"/f", "says where")
			assert.NoFileExists(t, path)
			if x.keep {
				assert.Len(t, allFiles(t, filepath.Dir(path)), 1)
			} else {
				assert.Empty(t, allFiles(t, filepath.Dir(path)))
			}
		})
	}
}

// lies announces a length and sends something else.
func lies(content []byte, length int) func(http.ResponseWriter, *http.Request) bool {
	return func(w http.ResponseWriter, _ *http.Request) bool {
		c, out, err := http.NewResponseController(w).Hijack()
		if err == nil {
			fmt.Fprintf(out, "HTTP/1.1 200 OK\r\nContent-Length: %d\r\n\r\n", length)
			_, _ = out.Write(content)
			out.Flush()
			c.Close()
		}
		return true
	}
}

func endless(w http.ResponseWriter, r *http.Request) bool {
	for r.Context().Err() == nil {
		if _, err := w.Write(make([]byte, 1<<16)); err != nil {
			break
		}
	}
	return true
}

// wrongPart answers every request for a part with a wrong one.
func wrongPart(contentRange string) func(http.ResponseWriter, *http.Request) bool {
	return func(w http.ResponseWriter, r *http.Request) bool {
		if r.Header.Get("Range") == "" {
			return false
		}
		if contentRange != "" {
			w.Header().Set("Content-Range", contentRange)
		}
		w.WriteHeader(http.StatusPartialContent)
		_, _ = w.Write([]byte("12345"))
		return true
	}
}

func TestFetchStall(t *testing.T) {
	content := noise(200_000)
	s := serve(t, content)
	s.cut, s.stall = 60_000, true
	o, path := quick(), filepath.Join(t.TempDir(), "f")
	o.Idle, o.Tries = 100*time.Millisecond, 5
	var why []string
	o.Retry = func(err error, _ time.Duration) { why = append(why, err.Error()) }
	require.NoError(t, fetch.File(ctx, s.URL, path, o), "goes on after each silence")
	require.NotEmpty(t, why)
	assert.Contains(t, why[0], "nothing came for 100ms")

	silent := serve(t, nil)
	silent.hijack = func(_ http.ResponseWriter, r *http.Request) bool { <-r.Context().Done(); return true }
	err := fetch.File(ctx, silent.URL, path+"2", o)
	assert.ErrorContains(t, err, "nothing came for 100ms (5 attempts")
}

func TestFetchInterruptedGoesOn(t *testing.T) {
	content := noise(500_000)
	s := serve(t, content)
	s.cut = 200_000 // the rest must not slip in before the interruption is seen
	path := filepath.Join(t.TempDir(), "f")
	stopped, cancel := context.WithCancel(ctx)
	o := quick()
	o.Progress = func(done, _ int64) {
		if done > 100_000 {
			cancel()
		}
	}
	err := fetch.File(stopped, s.URL, path, o)
	require.ErrorIs(t, err, context.Canceled)
	left := must.Get(filepath.Glob(path + ".*.part"))(t)
	info := must.Get(os.Stat(left[0]))(t)

	s.mu.Lock()
	s.cut = 0
	s.mu.Unlock()
	require.NoError(t, fetch.File(ctx, s.URL, path, quick()))
	assert.Equal(t, []string{"", fmt.Sprintf("bytes=%d-", info.Size()-1)}, s.asked())
}

// A part of a file at another address is removed, one that is longer than the file is begun again, and a
// whole one is finished.
func TestFetchForeignPartial(t *testing.T) {
	content := noise(50_000)
	s := serve(t, content)
	path := filepath.Join(t.TempDir(), "f")
	leave := func() string {
		s.cut = 10_000
		o := quick()
		o.Tries = 1
		require.Error(t, fetch.File(ctx, s.URL+"/a", path, o))
		s.reset()
		left := must.Get(filepath.Glob(path + ".*.part"))(t)
		require.Len(t, left, 1)
		return left[0]
	}
	leave()
	require.NoError(t, fetch.File(ctx, s.URL+"/b", path, quick()))
	assert.Equal(t, []string{"f"}, allFiles(t, filepath.Dir(path)))
	for size, want := range map[int]string{50_000: "", 60_000: "the file has changed on the server"} {
		require.NoError(t, os.Remove(path))
		require.NoError(t, os.WriteFile(leave(), slices.Concat(content, content)[:size], 0o666))
		err := fetch.File(ctx, s.URL+"/a", path, quick())
		if want != "" {
			require.ErrorContains(t, err, want)
			err = fetch.File(ctx, s.URL+"/a", path, quick())
		}
		require.NoError(t, err)
	}
}

func TestFetchDiskFull(t *testing.T) {
	content := noise(400_000)
	s := serve(t, content)
	path := filepath.Join(t.TempDir(), "f")
	written := 0
	restore := fsx.Inject(func(op fsx.Op) error {
		if op.Do == fsx.Write {
			if written += op.Bytes; written > 200_000 {
				return &fsx.Short{N: 10, Err: syscall.ENOSPC}
			}
		}
		return nil
	})
	err := fetch.File(ctx, s.URL, path, quick())
	restore()
	require.ErrorIs(t, err, syscall.ENOSPC)
	assert.Len(t, s.asked(), 1, "not tried again")
	require.NoError(t, fetch.File(ctx, s.URL, path, quick()))
	assert.Contains(t, s.asked()[1], "bytes=", "goes on when there is room")
}

func TestFetchUnreachable(t *testing.T) {
	s := serve(t, nil)
	s.Close()
	err := fetch.File(ctx, s.URL, filepath.Join(t.TempDir(), "f"), quick())
	assert.ErrorContains(t, err, "refused")
	assert.ErrorContains(t, err, "3 attempts")
}
