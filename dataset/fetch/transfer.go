package fetch

import (
	"cmp"
	"context"
	"crypto/sha256"
	"errors"
	"fmt"
	"io"
	"path/filepath"
	"strings"
	"time"

	"imdbexp/internal/fsx"
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

// transfer is a file that is being fetched: a prefix, then bytes of a file on a server.
type transfer struct {
	url    string
	in     fsx.Dir
	name   string // of the file when it is whole
	prefix []byte
	inside bool  // a part of the server's file is fetched
	start  int64 // of the bytes on the server
	length int64 // of them; −1: to the end
	total  int64 // size of the file on the server; −1: unknown
	have   int64 // bytes from the server in the file
	part   string
	o      Options
}

func newTransfer(url, path string, o Options) *transfer {
	o.Idle, o.Tries = cmp.Or(o.Idle, 30*time.Second), cmp.Or(o.Tries, 5)
	o.Wait, o.Limit = cmp.Or(o.Wait, 500*time.Millisecond), cmp.Or(o.Limit, 4<<30)
	if o.Progress == nil {
		o.Progress = func(int64, int64) {}
	}
	if o.Retry == nil {
		o.Retry = func(error, time.Duration) {}
	}
	dir, name := filepath.Dir(path), filepath.Base(path)
	return &transfer{url: url, in: fsx.In(filepath.Dir(dir), filepath.Base(dir)), name: name, length: -1, total: -1, o: o}
}

// resume continues what an earlier transfer of the same bytes left, if there is any, and removes
// other parts of the file. The name of the part says where its bytes are from. The last byte is fetched
// again, so the server is always asked for something.
func (t *transfer) resume(crc uint32) error {
	origin := sha256.Sum256(fmt.Appendf(nil, "%s %d %d %d", t.url, t.start, t.length, crc))
	t.part = fmt.Sprintf("%s.%x.part", t.name, origin[:4])
	entries, _ := t.in.Entries()
	for _, e := range entries {
		if strings.HasPrefix(e.Name(), t.name+".") && strings.HasSuffix(e.Name(), ".part") && e.Name() != t.part {
			if err := t.in.Remove(e.Name()); err != nil {
				return err
			}
		}
	}
	if info, err := t.in.Lstat(t.part); err == nil {
		t.have = max(0, info.Size()-int64(len(t.prefix))-1)
	}
	if t.length >= 0 { // the trailer of gzip follows
		t.have = min(t.have, t.length)
	}
	return nil
}

// fetch is the one place where attempts are repeated: until one succeeds, an error is permanent, or
// Tries of them in a row have fetched nothing new.
func (t *transfer) fetch(ctx context.Context, attempt func(context.Context) error) error {
	best := t.have
	for fails := 0; ; {
		err := attempt(ctx)
		if err == nil {
			return nil
		}
		if ctx.Err() != nil {
			return ctx.Err()
		}
		if _, is := errors.AsType[permanent](err); is {
			return &Error{t.url, err, t.have}
		}
		if fails++; t.have > best {
			fails, best = 1, t.have
		}
		if fails >= t.o.Tries {
			return &Error{t.url, fmt.Errorf("%w (%d attempts in a row fetched nothing new)", err, fails), t.have}
		}
		wait := t.o.Wait << (fails - 1)
		t.o.Retry(err, wait)
		select {
		case <-ctx.Done():
			return ctx.Err()
		case <-time.After(wait):
		}
	}
}

// attempt requests the missing bytes and appends them.
func (t *transfer) attempt(ctx context.Context) error {
	end := int64(-1)
	if t.length >= 0 {
		end = t.start + t.length
	}
	a, err := t.ask(ctx, t.start+t.have, end)
	if err != nil {
		return err
	}
	defer a.Close()
	if !a.partial { // the server knows no Range: from the beginning
		t.have = 0
	}
	if t.total = max(t.total, a.total); !t.inside {
		t.length = t.total
	}
	if max(t.length, t.total) > t.o.Limit {
		return tooLong(max(t.length, t.total), t.o.Limit)
	}
	if t.have == 0 {
		if err := t.in.WriteBytes(t.part, t.prefix); err != nil {
			return permanent{err}
		}
	}
	return t.take(a)
}

// ask requests the bytes [start, end) of the file: all from start for a negative end, the last ones
// for a negative start.
func (t *transfer) ask(ctx context.Context, start, end int64) (*answer, error) {
	part := ""
	switch {
	case start < 0:
		part = fmt.Sprintf("bytes=%d", start)
	case end >= 0 && (start > 0 || t.inside):
		part = fmt.Sprintf("bytes=%d-%d", start, end-1)
	case start > 0:
		part = fmt.Sprintf("bytes=%d-", start)
	}
	a, err := get(ctx, t.o.Idle, t.url, part)
	if err != nil {
		return nil, err
	}
	if a == nil || a.partial && (start >= 0 && a.start != start || a.total >= 0 && t.total >= 0 && a.total != t.total) {
		err = permanent{errors.Join(t.remove(), errChanged)} // another file: the next fetch begins again
	} else if !a.partial && t.inside { // although a part is needed
		err = permanent{errNoRange}
	}
	if err != nil && a != nil {
		a.Close()
	}
	return a, err
}

// take appends the body of an answer to the file. An error of this machine, such as a full disk, is
// permanent. More than declared is ignored: the checksum will tell.
func (t *transfer) take(a *answer) error {
	out, err := t.in.Append(t.part, int64(len(t.prefix))+t.have)
	if err != nil {
		return permanent{err}
	}
	b := make([]byte, 1<<16)
	for err == nil && t.have != t.length && t.have <= t.o.Limit {
		var n int
		if t.length >= 0 {
			b = b[:min(int64(len(b)), t.length-t.have)]
		}
		n, err = a.Read(b)
		n, local := out.Write(b[:n])
		t.have += int64(n)
		t.o.Progress(t.have, t.length)
		if local != nil {
			return permanent{errors.Join(local, out.Sync(), out.Close())}
		}
	}
	if local := errors.Join(out.Sync(), out.Close()); local != nil {
		return permanent{local}
	}
	switch {
	case err == io.EOF && t.have < t.length:
		return broken(t.have, io.ErrUnexpectedEOF)
	case err != nil && err != io.EOF:
		return broken(t.have, err)
	case t.have > t.o.Limit:
		return tooLong(t.have, t.o.Limit)
	}
	return nil
}

func (t *transfer) remove() error {
	t.have = 0
	if t.part == "" {
		return nil
	}
	return t.in.Remove(t.part)
}

func broken(n int64, err error) error { return fmt.Errorf("broken off after %d bytes: %v", n, err) }

func tooLong(size, limit int64) error {
	return permanent{fmt.Errorf("is %d bytes long or longer, more than the %d allowed: another file", size, limit)}
}
