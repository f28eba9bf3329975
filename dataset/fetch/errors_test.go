package fetch_test

import (
	"errors"
	"net/url"
	"testing"

	"github.com/stretchr/testify/assert"

	"imdbexp/dataset/fetch"
)

func TestServerThatIsNotReached(t *testing.T) {
	refused := errors.New("connection refused")
	e := &fetch.Error{URL: "http://x/y", Err: &url.Error{Op: "Get", URL: "http://x/y", Err: refused}}
	assert.True(t, e.Unreached())
	assert.EqualError(t, e, "http://x/y: connection refused", "the address once")
	assert.ErrorIs(t, e, refused)
	assert.False(t, (&fetch.Error{URL: "http://x/y", Err: &fetch.StatusError{Code: 404, Line: "404 Not Found"}}).Unreached())
}
