package fetch

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"path/filepath"
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

// partial is a file that is being fetched. The bytes of the server follow a prefix.
type partial struct {
	in     fsx.Dir
	name   string // of the file when it is whole
	prefix []byte
	from   origin
	have   int64 // bytes from the server in the file
	inside bool  // the bytes are a member of a zip; its place is known once from.Length is
	o      Options
}

// origin names the file on the server, and its bytes that a partial file holds.
type origin struct {
	URL    string `json:"url"`
	Total  int64  `json:"total"`  // size of the file on the server, −1 unknown
	Start  int64  `json:"start"`  // of the bytes to fetch, [Start, Start+Length)
	Length int64  `json:"length"` // −1: to the end
	CRC    uint32 `json:"crc"`    // of a zip's member
}

// newPartial prepares to fetch a file, or a part of which locate finds out the place, to path.
func newPartial(url, path string, o Options) *partial {
	o.Idle, o.Tries = cmp.Or(o.Idle, 30*time.Second), cmp.Or(o.Tries, 5)
	o.Wait, o.Limit = cmp.Or(o.Wait, 500*time.Millisecond), cmp.Or(o.Limit, 4<<30)
	if o.Progress == nil {
		o.Progress = func(int64, int64) {}
	}
	if o.Retry == nil {
		o.Retry = func(error, time.Duration) {}
	}
	dir, name := filepath.Dir(path), filepath.Base(path)
	return &partial{in: fsx.In(filepath.Dir(dir), filepath.Base(dir)), name: name, from: origin{URL: url, Total: -1, Length: -1}, o: o}
}

// part is the name of the file while it is not whole, and record that of the description of its origin.
func (p *partial) part() string   { return p.name + ".part" }
func (p *partial) record() string { return p.name + ".part.json" }

// want returns how many bytes there will be, −1 while that is unknown.
func (p *partial) want() int64 {
	if p.from.Length < 0 && p.from.Total >= 0 {
		return p.from.Total - p.from.Start
	}
	return p.from.Length
}

// resume continues what an earlier transfer of the same bytes left, if there is any.
func (p *partial) resume() {
	var was origin
	b, err1 := p.in.ReadFile(p.record(), 1<<16)
	info, err2 := p.in.Lstat(p.part())
	if err1 != nil || err2 != nil || json.Unmarshal(b, &was) != nil {
		return
	}
	size, now := info.Size()-int64(len(p.prefix)), p.from
	if now.Length < 0 { // the server has not described the file yet
		now.Total = was.Total
	}
	if size < 0 || now != was {
		return
	}
	p.from, p.have = was, size
	if w := p.want(); w >= 0 { // the trailer of gzip follows
		p.have = min(size, w)
	}
}

// begin makes the partial file empty and records the origin of its bytes.
func (p *partial) begin() error {
	b, err := json.Marshal(p.from)
	if err == nil {
		err = p.remove()
	}
	if err == nil {
		err = p.in.WriteBytes(p.part(), p.prefix)
	}
	if err == nil {
		err = p.in.WriteBytes(p.record(), append(b, '\n'))
	}
	return err
}

func (p *partial) appender() (*fsx.Appender, error) {
	return p.in.Append(p.part(), int64(len(p.prefix))+p.have)
}

// remove removes the file. The record of its origin goes first: a file without one is
// never continued.
func (p *partial) remove() error {
	p.have = 0
	return errors.Join(p.in.Remove(p.record()), p.in.Remove(p.part()))
}

// rename gives a whole file its name.
func (p *partial) rename() error {
	if err := p.in.Rename(p.part(), p.name); err != nil {
		return err
	}
	return p.in.Remove(p.record())
}

// retry is the one place where attempts are repeated: until one succeeds, an error is permanent, or
// Tries of them in a row have fetched nothing new.
func (p *partial) retry(ctx context.Context, attempt func(context.Context) error) error {
	best := p.have
	for fails := 0; ; {
		err := attempt(ctx)
		if err == nil {
			return nil
		}
		if ctx.Err() != nil {
			return ctx.Err()
		}
		if _, is := errors.AsType[permanent](err); is {
			return &Error{p.from.URL, err, p.have}
		}
		if fails++; p.have > best {
			fails, best = 1, p.have
		}
		if fails >= p.o.Tries {
			return &Error{p.from.URL, fmt.Errorf("%w (%d attempts in a row fetched nothing new)", err, fails), p.have}
		}
		wait := p.o.Wait << (fails - 1)
		p.o.Retry(err, wait)
		select {
		case <-ctx.Done():
			return ctx.Err()
		case <-time.After(wait):
		}
	}
}

// attempt requests the missing bytes and appends them.
func (p *partial) attempt(ctx context.Context) error {
	want := p.want()
	if want >= 0 && p.have == want {
		p.o.Progress(p.have, want)
		return nil
	}
	a, err := p.ask(ctx, p.from.Start+p.have, p.from.Start+want)
	if err != nil {
		return err
	}
	defer a.Close()
	if !a.partial { // the server knows no Range: from the beginning
		p.have, p.from.Total = 0, a.total
	}
	p.from.Total = max(p.from.Total, a.total)
	if want = p.want(); want > p.o.Limit {
		return tooLong(want, p.o.Limit)
	}
	if p.have == 0 {
		if err := p.begin(); err != nil {
			return permanent{err}
		}
	}
	return p.take(a)
}

// ask requests the bytes [start, end) of the file: all from start if end is not greater, the last ones
// for a negative start.
func (p *partial) ask(ctx context.Context, start, end int64) (*answer, error) {
	part := ""
	switch {
	case start < 0:
		part = fmt.Sprintf("bytes=%d", start)
	case end > start && (start > 0 || p.inside):
		part = fmt.Sprintf("bytes=%d-%d", start, end-1)
	case start > 0 || p.inside:
		part = fmt.Sprintf("bytes=%d-", start)
	}
	a, err := get(ctx, p.o.Idle, p.from.URL, part)
	if err != nil {
		return nil, err
	}
	if a == nil || a.partial && (start >= 0 && a.start != start || a.total >= 0 && p.from.Total >= 0 && a.total != p.from.Total) {
		err = permanent{errors.Join(p.remove(), errChanged)} // another file: the next fetch begins again
	} else if !a.partial && p.inside { // although a part is needed
		err = permanent{errNoRange}
	}
	if err != nil && a != nil {
		a.Close()
	}
	return a, err
}

// take appends the body of an answer to the file. An error of this machine, such as a full disk, is
// permanent. More than declared is ignored: the checksum will tell.
func (p *partial) take(a *answer) error {
	out, err := p.appender()
	if err != nil {
		return permanent{err}
	}
	want := p.want()
	b := make([]byte, 1<<16)
	for err == nil && p.have != want && p.have <= p.o.Limit {
		var n int
		if want >= 0 {
			b = b[:min(int64(len(b)), want-p.have)]
		}
		n, err = a.Read(b)
		n, local := out.Write(b[:n])
		p.have += int64(n)
		p.o.Progress(p.have, want)
		if local != nil {
			return permanent{errors.Join(local, out.Sync(), out.Close())}
		}
	}
	if local := errors.Join(out.Sync(), out.Close()); local != nil {
		return permanent{local}
	}
	switch {
	case err == io.EOF && p.have < want:
		return broken(p.have, io.ErrUnexpectedEOF)
	case err != nil && err != io.EOF:
		return broken(p.have, err)
	case want < 0 && p.have > p.o.Limit:
		return tooLong(p.have, p.o.Limit)
	}
	p.from.Total = max(p.from.Total, p.have)
	return nil
}

func broken(n int64, err error) error { return fmt.Errorf("broken off after %d bytes: %v", n, err) }

func tooLong(size, limit int64) error {
	return permanent{fmt.Errorf("is %d bytes long or longer, more than the %d allowed: another file", size, limit)}
}
