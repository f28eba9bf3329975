package fetch

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"time"
)

// Options says how to fetch; the zero value will do.
type Options struct {
	Client *http.Client  // nil is Client()
	Idle   time.Duration // longest silence of a server; 0 is 30 s
	Tries  int           // attempts in a row that bring nothing new before giving up; 0 is 5
	Wait   time.Duration // before the second of them, doubled before each further one; 0 is 0.5 s
	Limit  int64         // bytes a file may have; 0 is 4 GiB

	// Progress hears how many bytes there are, those of earlier attempts among
	// them, and how many there will be, −1 when the server does not say.
	Progress func(done, total int64)
	// Retry hears why an attempt failed and how long the next one waits.
	Retry func(err error, wait time.Duration)
}

func (o Options) withDefaults() Options {
	if o.Client == nil {
		o.Client = Client()
	}
	if o.Idle == 0 {
		o.Idle = 30 * time.Second
	}
	if o.Tries == 0 {
		o.Tries = 5
	}
	if o.Wait == 0 {
		o.Wait = 500 * time.Millisecond
	}
	if o.Limit == 0 {
		o.Limit = 4 << 30
	}
	if o.Progress == nil {
		o.Progress = func(int64, int64) {}
	}
	if o.Retry == nil {
		o.Retry = func(error, time.Duration) {}
	}
	return o
}

// pause waits after so many failed attempts, the last of them by err.
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

// Client returns an HTTP client that honours $HTTP_PROXY, $HTTPS_PROXY and
// $NO_PROXY and takes files as they are. It has no time limit of its own: a
// large file takes as long as it takes, and Options.Idle bounds silence.
func Client() *http.Client {
	t := http.DefaultTransport.(*http.Transport).Clone()
	t.DisableCompression = true
	return &http.Client{Transport: t, CheckRedirect: checkRedirect}
}

// checkRedirect follows ten redirections and never from HTTPS to HTTP, where
// anybody on the way could answer.
func checkRedirect(next *http.Request, via []*http.Request) error {
	if len(via) >= 10 {
		return permanent{errors.New("more than ten redirections")}
	}
	if via[len(via)-1].URL.Scheme == "https" && next.URL.Scheme != "https" {
		return permanent{fmt.Errorf("it redirects from HTTPS to %s, which is not protected", next.URL)}
	}
	return nil
}
