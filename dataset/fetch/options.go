package fetch

import (
	"cmp"
	"time"
)

// Options configures a download. The zero value selects the defaults.
type Options struct {
	Idle  time.Duration // longest silence of a server; 0 is 30 s
	Tries int           // attempts in a row without a new byte before the download fails; 0 is 5
	Wait  time.Duration // before the second attempt, doubled before each further one; 0 is 0.5 s
	Limit int64         // maximum size of a file in bytes; 0 is 4 GiB

	// Progress is called with the number of bytes so far, earlier attempts included, and the
	// total, −1 if it is unknown.
	Progress func(done, total int64)
	// Retry is called with the error of an attempt and the wait before the next one.
	Retry func(err error, wait time.Duration)
}

func (o Options) withDefaults() Options {
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
