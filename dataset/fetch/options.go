package fetch

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"net/http"
	"time"
)

// Options are how to fetch. The zero value is good.
type Options struct {
	Client *http.Client  // nil is Client()
	Idle   time.Duration // longest silence of a server; 0 is 30 s
	Tries  int           // attempts in a row without a new byte before it gives up; 0 is 5
	Wait   time.Duration // before the second attempt, doubled before each further one; 0 is 0.5 s
	Limit  int64         // maximum size of a file in bytes; 0 is 4 GiB

	// Progress is called with the number of bytes so far, earlier attempts included, and the
	// total, −1 if it is unknown.
	Progress func(done, total int64)
	// Retry is called with the error of an attempt and the wait before the next one.
	Retry func(err error, wait time.Duration)
}

func (o Options) withDefaults() Options {
	if o.Client == nil {
		o.Client = Client()
	}
	o.Idle = cmp.Or(o.Idle, 30*time.Second)
	o.Tries = cmp.Or(o.Tries, 5)
	o.Wait = cmp.Or(o.Wait, 500*time.Millisecond)
	o.Limit = cmp.Or(o.Limit, 4<<30)
	if o.Progress == nil {
		o.Progress = func(int64, int64) {}
	}
	if o.Retry == nil {
		o.Retry = func(error, time.Duration) {}
	}
	return o
}

// pause waits after a number of failed attempts; err is the error of the last one.
func (o Options) pause(ctx context.Context, err error, fails int) error {
	wait := o.Wait << (fails - 1)
	o.Retry(err, wait)
	select {
	case <-ctx.Done():
		return ctx.Err()
	case <-time.After(wait):
		return nil
	}
}

// Client returns an HTTP client that honours $HTTP_PROXY, $HTTPS_PROXY and $NO_PROXY and
// does not unpack files. It has no time limit, because a large file may take long;
// Options.Idle limits silence.
func Client() *http.Client {
	t := http.DefaultTransport.(*http.Transport).Clone()
	t.DisableCompression = true
	return &http.Client{Transport: t, CheckRedirect: checkRedirect}
}

// checkRedirect follows at most ten redirections, and none from HTTPS to HTTP.
func checkRedirect(next *http.Request, via []*http.Request) error {
	if len(via) >= 10 {
		return permanent{errors.New("more than ten redirections")}
	}
	if via[len(via)-1].URL.Scheme == "https" && next.URL.Scheme != "https" {
		return permanent{fmt.Errorf("it redirects from HTTPS to %s, which is not protected", next.URL)}
	}
	return nil
}
