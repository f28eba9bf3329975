package fetch

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
)

// transfer brings the bytes of a partial file.
type transfer struct {
	*partial
	o        Options
	best     int64 // most bytes there were after any attempt
	restarts int   // times that bytes were thrown away
}

// run makes attempts until all bytes are there, something is wrong that will not
// pass, or too many attempts in a row bring nothing new.
func (t *transfer) run(ctx context.Context) error {
	t.best = t.have
	for fails := 0; ; {
		err := t.attempt(ctx)
		if err == nil {
			return nil
		}
		if ctx.Err() != nil {
			return ctx.Err()
		}
		stale := errors.Is(err, errChanged) || errors.Is(err, errNoRange)
		if isPermanent(err) || stale && t.from.Length >= 0 {
			return t.failed(err)
		}
		if fails++; t.have > t.best {
			fails, t.best = 1, t.have
		}
		if fails >= t.o.Tries {
			return t.failed(fmt.Errorf("%w (%d attempts brought nothing new)", err, fails))
		}
		if err := t.o.pause(ctx, err, fails); err != nil {
			return err
		}
	}
}

func (t *transfer) failed(err error) error { return &Error{t.from.URL, err, t.have} }

// attempt asks for what is missing and takes what comes.
func (t *transfer) attempt(ctx context.Context) error {
	if w := t.want(); w >= 0 && t.have == w {
		t.o.Progress(t.have, w)
		return nil
	}
	header := http.Header{}
	if t.have > 0 || t.from.Length >= 0 {
		header.Set("Range", byteRange(t.from.Start+t.have, t.from.Start+t.want()))
		if t.from.Validator != "" {
			header.Set("If-Range", t.from.Validator)
		}
	}
	a, err := get(ctx, t.o, t.from.URL, header)
	if err != nil {
		if header.Get("Range") != "" && noSuchRange(err) {
			return t.restart(errChanged)
		}
		return err
	}
	defer a.Close()
	if err := t.match(a); err != nil {
		return err
	}
	if w := t.want(); w > t.o.Limit {
		return permanent{fmt.Errorf("is %d bytes long, more than the %d allowed: not the file that was meant", w, t.o.Limit)}
	}
	return t.take(a)
}

// match compares an answer with what is there already.
func (t *transfer) match(a *answer) error {
	asked := t.have > 0 || t.from.Length >= 0
	if a.partial {
		switch {
		case !asked, a.start != t.from.Start+t.have:
			return t.restart(fmt.Errorf("the server sends bytes from %d on instead of %d", a.start, t.from.Start+t.have))
		case a.total != t.from.Total && a.total >= 0 && t.from.Total >= 0, a.validator != "" && a.validator != t.from.Validator:
			return t.restart(errChanged)
		}
		t.from.Total = max(t.from.Total, a.total)
		if t.have == 0 {
			return asLocal(t.begin())
		}
		return nil
	}
	if t.from.Length >= 0 { // the whole file although a part was asked for
		if t.from.Validator != "" && a.validator != t.from.Validator {
			return errChanged
		}
		return errNoRange
	}
	// The server knows no Range, or the file is another now: from the beginning.
	if t.have > 0 {
		if t.restarts++; t.restarts > t.o.Tries {
			return permanent{fmt.Errorf("the connection keeps breaking, and %w", errNoRange)}
		}
	}
	if a.validator != t.from.Validator {
		t.best = 0
	}
	t.from.Validator, t.from.Total = a.validator, a.total
	return asLocal(t.begin())
}

// restart throws away what there is: it does not fit what the server has.
func (t *transfer) restart(why error) error {
	if t.from.Length >= 0 {
		return why // a member's place may be another: its directory must be read again
	}
	t.have, t.best, t.from.Validator, t.from.Total = 0, 0, "", -1
	if err := t.remove(); err != nil {
		return asLocal(err)
	}
	if t.restarts++; t.restarts > t.o.Tries {
		return permanent{why}
	}
	return why
}

// take appends what comes to the partial file.
func (t *transfer) take(a *answer) (err error) {
	out, err := t.appender()
	if err != nil {
		return asLocal(err)
	}
	defer func() { err = errors.Join(err, asLocal(out.Sync()), asLocal(out.Close())) }()
	want, room := t.want(), t.o.Limit
	if want >= 0 {
		room = want
	}
	buf := make([]byte, 1<<16)
	for want < 0 || t.have < want {
		n, readErr := a.Read(buf[:min(int64(len(buf)), room-t.have+1)])
		if int64(n) > room-t.have {
			if want < 0 {
				return permanent{fmt.Errorf("is longer than the %d bytes allowed: not the file that was meant", t.o.Limit)}
			}
			n = int(room - t.have) // more than was announced: the checksum will tell
		}
		m, err := out.Write(buf[:n])
		t.have += int64(m)
		if err != nil {
			return asLocal(err)
		}
		t.o.Progress(t.have, want)
		if readErr == io.EOF && want < 0 {
			t.from.Total = t.from.Start + t.have
			return nil
		}
		if readErr == io.EOF && t.have < want {
			readErr = io.ErrUnexpectedEOF
		}
		if readErr != nil && t.have < want {
			return fmt.Errorf("broken off after %d of %d bytes: %w", t.have, want, readErr)
		}
		if readErr != nil && want < 0 {
			return fmt.Errorf("broken off after %d bytes: %w", t.have, readErr)
		}
	}
	return nil
}

// asLocal marks an error of this machine, such as a full disk, which another
// attempt would meet again.
func asLocal(err error) error {
	if err == nil {
		return nil
	}
	return permanent{err}
}
