package fetch

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
)

// transfer fetches the bytes of a partial file: a whole file, or one member of a zip.
type transfer struct {
	*partial
	o        Options
	zip      *directory // of the zip with the member; nil for a whole file
	best     int64      // most bytes there were after any attempt
	restarts int        // times that bytes were thrown away
}

// run is the one place where attempts are repeated: until all bytes have arrived, an error is
// permanent, or Tries attempts in a row have fetched nothing new.
func (t *transfer) run(ctx context.Context) error {
	t.best = t.progress()
	for fails := 0; ; {
		err := t.attempt(ctx)
		if err == nil {
			return nil
		}
		if ctx.Err() != nil {
			return ctx.Err()
		}
		if isPermanent(err) {
			return &Error{t.from.URL, err, t.have}
		}
		if fails++; t.progress() > t.best {
			fails, t.best = 1, t.progress()
		}
		if fails >= t.o.Tries {
			return &Error{t.from.URL, fmt.Errorf("%w (%d attempts in a row fetched nothing new)", err, fails), t.have}
		}
		if err := t.o.pause(ctx, err, fails); err != nil {
			return err
		}
	}
}

// progress returns the number of bytes so far, those of a zip's directory included.
func (t *transfer) progress() int64 {
	if t.zip != nil {
		return t.have + int64(len(t.zip.tail))
	}
	return t.have
}

// attempt requests the missing bytes and appends them.
func (t *transfer) attempt(ctx context.Context) error {
	if t.zip != nil && t.zip.entry == nil {
		if err := t.locate(ctx); err != nil {
			return err
		}
	}
	if w := t.want(); w >= 0 && t.have == w {
		t.o.Progress(t.have, w)
		return nil
	}
	start, end := t.from.Start+t.have, t.from.Start+t.want()
	if t.have == 0 && t.zip == nil {
		start = -1
	}
	a, err := t.ask(ctx, start, end)
	if err != nil {
		return err
	}
	defer a.Close()
	if err := t.match(a); err != nil {
		return err
	}
	if w := t.want(); w > t.o.Limit {
		return permanent{fmt.Errorf("is %d bytes long, more than the %d allowed: another file", w, t.o.Limit)}
	}
	return t.take(a)
}

// ask requests the bytes [start, end) of the file, without an end if that is unknown, or
// the whole file if start is −1. The answer is a part of the version that is known, or the
// whole file. If the file has changed, ask begins again.
func (t *transfer) ask(ctx context.Context, start, end int64) (*answer, error) {
	header := http.Header{}
	if start >= 0 {
		header.Set("Range", byteRange(start, end))
		if t.from.Validator != "" {
			header.Set("If-Range", t.from.Validator)
		}
	}
	a, err := get(ctx, t.o, t.from.URL, header)
	if err != nil {
		if start >= 0 && noSuchRange(err) {
			return nil, t.restart(errChanged)
		}
		return nil, err
	}
	known := t.from.Total >= 0 || t.from.Validator != ""
	whole := !a.partial && t.zip != nil && t.zip.known // although a part is needed
	switch {
	case a.partial && a.start != start:
		err = t.restart(fmt.Errorf("the server sends bytes from %d on instead of %d", a.start, max(0, start)))
	case a.partial && known && a.total >= 0 && t.from.Total >= 0 && a.total != t.from.Total,
		a.partial && known && a.validator != "" && a.validator != t.from.Validator,
		whole && t.from.Validator != "" && a.validator != t.from.Validator:
		err = t.restart(errChanged)
	case whole:
		err = permanent{errNoRange}
	}
	if err != nil {
		a.Close()
		return nil, err
	}
	return a, nil
}

// match prepares the partial file for an answer.
func (t *transfer) match(a *answer) error {
	if a.partial {
		t.from.Total = max(t.from.Total, a.total)
		if t.have == 0 {
			return asLocal(t.begin())
		}
		return nil
	}
	// The server knows no Range, or the file has changed: from the beginning.
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

// restart throws away what there is, because it does not fit the server's file. It returns
// why, which is permanent after too many restarts.
func (t *transfer) restart(why error) error {
	if t.path != "" {
		if err := t.remove(); err != nil {
			return asLocal(err)
		}
	}
	t.have, t.best, t.from.Validator, t.from.Total = 0, 0, "", -1
	if t.zip != nil {
		*t.zip = directory{member: t.zip.member, base: t.zip.base}
	}
	if t.restarts++; t.restarts > t.o.Tries {
		return permanent{why}
	}
	return why
}

// take appends the body of an answer to the partial file.
func (t *transfer) take(a *answer) (err error) {
	out, err := t.appender()
	if err != nil {
		return asLocal(err)
	}
	defer func() { err = errors.Join(err, asLocal(out.Sync()), asLocal(out.Close())) }()
	w := &counting{t: t, out: out}
	want := t.want()
	if want >= 0 { // more than declared is ignored: the checksum will tell
		if _, err = io.CopyN(w, a, want-t.have); err == io.EOF {
			err = io.ErrUnexpectedEOF
		}
	} else if _, err = io.Copy(w, io.LimitReader(a, t.o.Limit-t.have+1)); err == nil {
		if t.have > t.o.Limit {
			return permanent{fmt.Errorf("is longer than the %d bytes allowed: another file", t.o.Limit)}
		}
		t.from.Total = t.from.Start + t.have
	}
	if err != nil && w.err == nil {
		return fmt.Errorf("broken off after %d bytes: %w", t.have, err)
	}
	return asLocal(w.err)
}

// counting counts and reports the bytes written to the partial file.
type counting struct {
	t   *transfer
	out io.Writer
	err error
}

func (w *counting) Write(b []byte) (n int, err error) {
	n, w.err = w.out.Write(b)
	w.t.have += int64(n)
	w.t.o.Progress(w.t.have, w.t.want())
	return n, w.err
}

// asLocal marks an error of this machine, such as a full disk, as permanent.
func asLocal(err error) error {
	if err == nil {
		return nil
	}
	return permanent{err}
}
