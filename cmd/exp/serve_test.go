package main

import (
	"context"
	"io"
	"net/http"
	"path/filepath"
	"regexp"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"imdbexp/internal/testkit/must"
)

// The page is there from the moment that its address is printed until Ctrl-C, which
// is its ordinary end.
func TestServe(t *testing.T) {
	ctx, stop := context.WithCancel(t.Context())
	defer stop()
	out := new(output)
	code := make(chan int, 1)
	go func() {
		code <- call(ctx, out, 80, false, "serve", "--addr", "127.0.0.1:0", "--runs", filepath.Join(t.TempDir(), "runs"))
	}()
	address := regexp.MustCompile(`http://127\.0\.0\.1:\d+/`)
	require.Eventually(t, func() bool { return address.MatchString(out.String()) }, 10*time.Second, 5*time.Millisecond)
	answer := must.Get(http.Get(address.FindString(out.String())))(t)
	page := must.Get(io.ReadAll(answer.Body))(t)
	require.NoError(t, answer.Body.Close())
	assert.Contains(t, string(page), "There are no runs in this folder yet")
	stop()
	select {
	case got := <-code:
		assert.Equal(t, exitOK, got, out.String())
	case <-time.After(10 * time.Second):
		assert.Fail(t, "it does not end")
	}
}
