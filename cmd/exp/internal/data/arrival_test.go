package data

import (
	"errors"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"imdbexp/internal/term"
)

// In a pipe there is a line now and then, with rate and time left.
func TestArrivalInPipe(t *testing.T) {
	var out strings.Builder
	w := newArrival(term.New(&out, &out, 0, false), "imdb")
	at := time.Unix(1000, 0)
	w.bar.Now = func() time.Time { return at }
	w.println("imdb: fetching")
	for i := range int64(401) { // 1 MB/s, ten times a second
		w.progress(i*100_000, 84_000_000)
		at = at.Add(100 * time.Millisecond)
	}
	w.retry(errors.New("broken off"), time.Second)
	w.progress(5_000_000, -1)
	at = at.Add(murmur)
	w.progress(5_000_000, -1)
	require.Equal(t, strings.Join([]string{
		"imdb: fetching",
		"imdb: 15.0 MB of 84.0 MB, 1.0 MB/s, 69 s left",
		"imdb: 30.0 MB of 84.0 MB, 1.0 MB/s, 54 s left",
		"imdb: broken off; trying again in 1s",
		"imdb: 5.0 MB",
		"",
	}, "\n"), out.String())
}
