package web_test

import (
	"context"
	"net"
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
		case <-time.After(4 * time.Second): // a browser's connections get a second
			assert.Fail(t, "the server does not end")
		}
	})
	t.Cleanup(stop)
	return "http://" + l.Addr().String(), stop
}

// A page that knows a version of the folder gets what has changed since, and nothing else.
func TestSince(t *testing.T) {
	dir := t.TempDir()
	finished := begin(t, dir, "tme9-mean").finish(60)
	h := start(t, dir).Handler()
	version := 0
	next := func() web.Change {
		time.Sleep(20 * time.Millisecond)
		c := get[web.Change](t, h, "runs", web.Since{Since: version})
		version = c.Version
		return c
	}
	c := next()
	require.Len(t, c.Rows, 1)
	assert.Equal(t, []string{finished.key}, c.Order)
	before := version
	assert.Empty(t, next().Rows)
	assert.Equal(t, before, version)

	w := begin(t, dir, "tme9-simple")
	c = next()
	require.Len(t, c.Rows, 1)
	assert.Equal(t, w.key, c.Rows[0].Key)
	assert.Equal(t, []string{w.key, finished.key}, c.Order)
	w.epoch(64)
	c = next()
	require.Len(t, c.Rows, 1)
	assert.Equal(t, 1, c.Rows[0].Epoch)
	assert.Len(t, get[web.Change](t, h, "runs", web.Since{Since: 99}).Rows, 2, "a page of an earlier server")
}
