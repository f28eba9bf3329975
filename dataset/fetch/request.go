package fetch

import (
	"context"
	"fmt"
	"io"
	"net/http"
	"strconv"
	"strings"
	"time"
)

// answer is a file or a part of it on its way.
type answer struct {
	body      io.ReadCloser
	partial   bool
	start     int64  // of a part
	total     int64  // size of the whole file, −1 unknown
	validator string // for If-Range, "" unknown

	idle  time.Duration
	timer *time.Timer
	ctx   context.Context
	stop  context.CancelCauseFunc
}

// get asks for a file. Silence longer than o.Idle ends the request, from
// connecting to the last byte.
func get(ctx context.Context, o Options, url string, header http.Header) (*answer, error) {
	ctx, stop := context.WithCancelCause(ctx)
	a := &answer{idle: o.Idle, ctx: ctx, stop: stop}
	a.timer = time.AfterFunc(o.Idle, func() { stop(stalledError{o.Idle}) })
	if err := a.open(o, url, header); err != nil {
		a.Close()
		return nil, a.cause(err)
	}
	return a, nil
}

func (a *answer) open(o Options, url string, header http.Header) error {
	req, err := http.NewRequestWithContext(a.ctx, http.MethodGet, url, nil)
	if err != nil {
		return permanent{err}
	}
	req.Header = header
	req.Header.Set("Accept-Encoding", "identity") // the file, not a compressed form of it
	req.Header.Set("User-Agent", "imdbexp")
	res, err := o.Client.Do(req)
	if err != nil {
		return err
	}
	a.body = res.Body
	a.validator = validator(res.Header)
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

// Read reads the body as long as something comes.
func (a *answer) Read(p []byte) (int, error) {
	a.timer.Reset(a.idle)
	n, err := a.body.Read(p)
	if err != nil && err != io.EOF {
		err = a.cause(err)
	}
	return n, err
}

// cause returns why the request was stopped, if it was.
func (a *answer) cause(err error) error {
	if cause, ok := context.Cause(a.ctx).(stalledError); ok {
		return cause
	}
	return err
}

// Close ends the request.
func (a *answer) Close() {
	a.timer.Stop()
	if a.body != nil {
		a.body.Close()
	}
	if a.ctx.Err() == nil {
		a.stop(nil)
	}
}

// validator returns what If-Range can name the version of a file by (RFC 9110,
// 13.1.5): a strong ETag, else the time of change.
func validator(h http.Header) string {
	if tag := h.Get("ETag"); strings.HasPrefix(tag, `"`) {
		return tag
	}
	return h.Get("Last-Modified")
}

// byteRange asks for the bytes from start on, up to end if that is known.
func byteRange(start, end int64) string {
	if end <= start {
		return fmt.Sprintf("bytes=%d-", start)
	}
	return fmt.Sprintf("bytes=%d-%d", start, end-1)
}

// contentRange reads "bytes 10-19/100"; the total may be "*", unknown: −1.
func contentRange(s string) (start, total int64, err error) {
	bad := fmt.Errorf("the server sends a part without saying which (Content-Range %q)", s)
	rest, ok := strings.CutPrefix(s, "bytes ")
	span, size, ok2 := strings.Cut(rest, "/")
	from, to, ok3 := strings.Cut(span, "-")
	if !ok || !ok2 || !ok3 {
		return 0, 0, bad
	}
	start, err1 := strconv.ParseInt(from, 10, 64)
	end, err2 := strconv.ParseInt(to, 10, 64)
	if total = -1; size != "*" {
		var err3 error
		if total, err3 = strconv.ParseInt(size, 10, 64); err3 != nil || end >= total {
			return 0, 0, bad
		}
	}
	if err1 != nil || err2 != nil || start < 0 || end < start {
		return 0, 0, bad
	}
	return start, total, nil
}
