package fetch

import (
	"context"
	"crypto/tls"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/url"
	"strings"
	"time"
)

var (
	errChanged = errors.New("the file has changed on the server, or it sends other bytes than requested: fetch again")
	errNoRange = errors.New("the server sends whole files only (no Range)")
	// errHTML is for the answer of a captive portal, or of a page that has moved.
	errHTML = errors.New("the server sent a web page instead of the file: log in to the network, or give another address with --url")
)

// permanent is an error that would come again in another attempt.
type permanent struct{ error }

func (e permanent) Unwrap() error { return e.error }

// unreached is an error of a server that cannot be reached.
type unreached struct{ error }

func (e unreached) Unwrap() error { return e.error }

// Error says what could not be fetched, why, and what to do.
type Error struct {
	URL string
	Err error
	Got int64 // bytes kept for the next transfer
}

func (e *Error) Unwrap() error { return e.Err }

func (e *Error) Error() string {
	text := fmt.Sprintf("%s: %v", e.URL, e.Err)
	if e.Got >= 1e5 {
		text += fmt.Sprintf("; %.1f MB are kept: fetch again to continue", float64(e.Got)/1e6)
	}
	return text
}

// Unreached reports whether the server could not be reached.
func (e *Error) Unreached() bool {
	_, ok := errors.AsType[unreached](e.Err)
	return ok
}

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

// get requests a file, or the part that byteRange names. It gives up when nothing comes for idle, at any
// point from connecting to the last byte. The answer is nil if the server has no such part.
func get(ctx context.Context, idle time.Duration, address, byteRange string) (*answer, error) {
	ctx, stop := context.WithCancelCause(ctx)
	a := &answer{idle: idle, ctx: ctx, stop: stop, body: http.NoBody}
	a.timer = time.AfterFunc(idle, func() { stop(fmt.Errorf("nothing came for %v", idle)) })
	there, err := a.open(address, byteRange)
	if err != nil || !there {
		err = a.cause(err)
		a.Close()
		return nil, err
	}
	return a, nil
}

func (a *answer) open(address, byteRange string) (there bool, err error) {
	req, err := http.NewRequestWithContext(a.ctx, http.MethodGet, address, nil)
	if err != nil {
		return false, permanent{err}
	}
	if byteRange != "" {
		req.Header.Set("Range", byteRange)
	}
	req.Header.Set("Accept-Encoding", "identity") // do not compress it on the way
	req.Header.Set("User-Agent", "imdbexp")
	res, err := http.DefaultClient.Do(req)
	if u, ok := errors.AsType[*url.Error](err); ok {
		dns, named := errors.AsType[*net.DNSError](err)
		if _, untrusted := errors.AsType[*tls.CertificateVerificationError](err); untrusted || named && dns.IsNotFound {
			return false, permanent{unreached{u.Err}} // u itself has the address, too
		}
		return false, unreached{u.Err}
	}
	a.body = res.Body
	switch code := res.StatusCode; {
	case code < 300 && strings.HasPrefix(res.Header.Get("Content-Type"), "text/html"):
		return false, permanent{errHTML}
	case code == http.StatusOK:
		a.total = res.ContentLength
		return true, nil
	case code == http.StatusPartialContent:
		a.partial = true
		a.start, a.total, err = contentRange(res.Header.Get("Content-Range"))
		return true, err
	case code == http.StatusRequestedRangeNotSatisfiable:
		return false, nil
	case code < 500 && code != http.StatusRequestTimeout && code != http.StatusTooManyRequests:
		return false, permanent{errors.New("the server answers " + res.Status)}
	}
	return false, errors.New("the server answers " + res.Status)
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
	a.body.Close()
	a.stop(nil)
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
