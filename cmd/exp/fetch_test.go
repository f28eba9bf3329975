package main

import (
	"context"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

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
		ctx, cancel := context.WithCancel(t.Context())
		stop := time.AfterFunc(500*time.Millisecond, cancel)
		var out output
		require.Equal(t, exitInterrupted, call(ctx, &out, width, false, "data", "fetch", "imdb", "--url", s.URL+"/f"))
		stop.Stop()
		cancel()
		text := escape.ReplaceAllString(out.String(), "")
		require.Contains(t, text, "exp: interrupted; the download is kept. Continue: exp data fetch imdb --url")
		if width > 0 {
			require.Regexp(t, `imdb .*\d+\.\d MB of 84\.0 MB, \d+\.\d MB/s`, text)
			for line := range strings.SplitSeq(text, "\n") {
				line = line[strings.LastIndex(line, "\r")+1:]
				if !strings.Contains(line, s.URL) {
					require.LessOrEqual(t, term.Width(line), width, "%q", line)
				}
			}
		}
		info := must.Get(os.Stat(filepath.Join(dir, "downloads", "aclImdb_v1.tar.gz.part")))(t)
		require.Positive(t, info.Size())
	}
}
