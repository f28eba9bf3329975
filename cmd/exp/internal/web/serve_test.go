package web_test

import (
	"bufio"
	"context"
	"encoding/json"
	"io"
	"net"
	"net/http"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"imdbexp/cmd/exp/internal/web"
)

// serve answers on a free port until stop is called, which waits for the end.
func serve(t testing.TB, s *web.Server) (url string, stop func()) {
	t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	require.NoError(t, err)
	ctx, cancel := context.WithCancel(background)
	ended := make(chan error, 1)
	go func() { ended <- s.Serve(ctx, l) }()
	stop = sync.OnceFunc(func() {
		cancel()
		select {
		case err := <-ended:
			assert.NoError(t, err)
		case <-time.After(4 * time.Second): // a browser's connections that wait to be used get one
			assert.Fail(t, "the server does not end")
		}
	})
	t.Cleanup(stop)
	return "http://" + l.Addr().String(), stop
}

// stream reads the events of a server; next returns the next change.
func stream(t testing.TB, url string, query ...string) (next func() (web.Change, error)) {
	t.Helper()
	answer, err := http.Get(url + "/api/events?" + strings.Join(query, "&"))
	require.NoError(t, err)
	t.Cleanup(func() { answer.Body.Close() })
	require.Equal(t, http.StatusOK, answer.StatusCode)
	require.Equal(t, "text/event-stream", answer.Header.Get("Content-Type"))
	lines := bufio.NewReader(answer.Body)
	return func() (c web.Change, err error) {
		for {
			text, err := lines.ReadString('\n')
			if err != nil {
				return c, err
			}
			if data, ok := strings.CutPrefix(text, "data: "); ok {
				return c, json.Unmarshal([]byte(data), &c)
			}
		}
	}
}

// The stream tells what changes, and nothing else; when the server ends, it ends.
func TestEvents(t *testing.T) {
	dir := t.TempDir()
	finished := begin(t, dir, "tme9-mean").finish(60)
	url, stop := serve(t, start(t, dir))
	next := stream(t, url)
	c, err := next()
	require.NoError(t, err)
	require.Len(t, c.Rows, 1)
	assert.Equal(t, []string{finished.key}, c.Order)

	w := begin(t, dir, "tme9-simple")
	c, err = next()
	require.NoError(t, err)
	require.Len(t, c.Rows, 1)
	assert.Equal(t, w.key, c.Rows[0].Key)
	assert.Equal(t, []string{w.key, finished.key}, c.Order)
	w.epoch(64)
	c, err = next()
	require.NoError(t, err)
	require.Len(t, c.Rows, 1)
	assert.Equal(t, 1, c.Rows[0].Epoch)
	stop()
	_, err = next()
	assert.Error(t, err)
}

// Only so many pages may listen. Who comes then is let in, for it may be the owner: the
// oldest page ends, and is told to wait.
func TestStreamsAreBounded(t *testing.T) {
	url, _ := serve(t, start(t, t.TempDir()))
	var open []*http.Response
	for range web.MaxStreams + 1 {
		r, err := http.Get(url + "/api/events")
		require.NoError(t, err)
		require.Equal(t, http.StatusOK, r.StatusCode)
		open = append(open, r)
		defer r.Body.Close()
	}
	ended := make(chan int, len(open))
	for i, r := range open {
		go func() {
			if b, err := io.ReadAll(r.Body); err == nil && strings.HasSuffix(string(b), "retry: 60000\n\n") {
				ended <- i
			}
		}()
	}
	assert.Equal(t, 0, <-ended, "the oldest")
	select {
	case i := <-ended:
		assert.Fail(t, "another has ended", "%d", i)
	case <-time.After(100 * time.Millisecond):
	}
}

// A client that holds all streams cannot end those of others.
func TestStreamsAreFair(t *testing.T) {
	join := web.NewStreams(3)
	owner, leave := join("owner")
	first, _ := join("greedy")
	for range 5 {
		join("greedy")
	}
	require.NoError(t, owner.Err())
	require.Error(t, first.Err())
	leave()
	require.Error(t, owner.Err())
	again, _ := join("owner")
	for range 5 {
		join("greedy")
	}
	require.NoError(t, again.Err())
}

// A request that does not come whole is told so.
func TestSlowBody(t *testing.T) {
	s := start(t, copyTrained(t))
	s.SetPatience(100 * time.Millisecond)
	url, _ := serve(t, s)
	c, err := net.Dial("tcp", strings.TrimPrefix(url, "http://"))
	require.NoError(t, err)
	defer c.Close()
	_, err = io.WriteString(c, "POST /api/predict HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\nContent-Length: 100\r\n\r\n{\"run\":")
	require.NoError(t, err)
	answer, err := http.ReadResponse(bufio.NewReader(c), nil)
	require.NoError(t, err)
	defer answer.Body.Close()
	assert.Equal(t, http.StatusRequestTimeout, answer.StatusCode)
	text, err := io.ReadAll(answer.Body)
	require.NoError(t, err)
	assert.Contains(t, string(text), "did not come whole")
}
