package fetch

import (
	"context"
	"fmt"
	"io"
	"net/http"
	"strings"
	"time"
)

// answer is the response with a file or a part of it.
type answer struct {
	body    io.ReadCloser
	partial bool
	start   int64 // of a part
	total   int64 // size of the whole file, −1 unknown

	idle  time.Duration
	timer *time.Timer
	ctx   context.Context
	stop  context.CancelCauseFunc
}

// get requests a file. It gives up when nothing comes for o.Idle, at any point from
// connecting to the last byte.
func get(ctx context.Context, o Options, url string, header http.Header) (*answer, error) {
	ctx, stop := context.WithCancelCause(ctx)
	a := &answer{idle: o.Idle, ctx: ctx, stop: stop}
	a.timer = time.AfterFunc(o.Idle, func() { stop(fmt.Errorf("nothing came for %v", o.Idle)) })
	if err := a.open(url, header); err != nil {
		err = a.cause(err)
		a.Close()
		return nil, err
	}
	return a, nil
}

func (a *answer) open(url string, header http.Header) error {
	req, err := http.NewRequestWithContext(a.ctx, http.MethodGet, url, nil)
	if err != nil {
		return permanent{err}
	}
	req.Header = header
	req.Header.Set("Accept-Encoding", "identity") // do not compress it on the way
	req.Header.Set("User-Agent", "imdbexp")
	res, err := http.DefaultClient.Do(req)
	if err != nil {
		return err
	}
	a.body = res.Body
	if res.StatusCode < 300 && strings.HasPrefix(res.Header.Get("Content-Type"), "text/html") {
		return permanent{errHTML}
	}
	switch res.StatusCode {
	case http.StatusOK:
		a.total = res.ContentLength
		return nil
	case http.StatusPartialContent:
		a.partial = true
		a.start, a.total, err = contentRange(res.Header.Get("Content-Range"))
		return err
	}
	return &StatusError{res.StatusCode, res.Status}
}

// Read reads the body.
func (a *answer) Read(p []byte) (int, error) {
	a.timer.Reset(a.idle)
	n, err := a.body.Read(p)
	if err != nil && err != io.EOF {
		err = a.cause(err)
	}
	return n, err
}

// cause returns the reason for which the request was stopped, or else err.
func (a *answer) cause(err error) error {
	if a.ctx.Err() != nil {
		return context.Cause(a.ctx)
	}
	return err
}

// Close ends the request.
func (a *answer) Close() {
	a.timer.Stop()
	if a.body != nil {
		a.body.Close()
	}
	a.stop(nil)
}

// byteRange requests the bytes [start, end), all from start if end is not greater, or the last ones
// for a negative start.
func byteRange(start, end int64) string {
	if start < 0 {
		return fmt.Sprintf("bytes=%d", start)
	}
	if end <= start {
		return fmt.Sprintf("bytes=%d-", start)
	}
	return fmt.Sprintf("bytes=%d-%d", start, end-1)
}

// contentRange reads "bytes 10-19/100". The total may be "*", unknown: −1.
func contentRange(s string) (start, total int64, err error) {
	end, total := int64(0), int64(-1)
	n, _ := fmt.Sscanf(s, "bytes %d-%d/%d", &start, &end, &total)
	if n < 2 || n == 2 && !strings.HasSuffix(s, "/*") || n == 3 && end >= total || start < 0 || end < start {
		return 0, 0, fmt.Errorf("the server sends a part without saying which (Content-Range %q)", s)
	}
	return start, total, nil
}
