package fetch

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"path/filepath"
	"time"

	"imdbexp/internal/fsx"
)

const partSuffix = ".part"

// origin names the file on the server, and its bytes that a partial file holds.
type origin struct {
	URL    string `json:"url"`
	Total  int64  `json:"total"`  // size of the file on the server, −1 unknown
	Start  int64  `json:"start"`  // of the bytes to fetch, [Start, Start+Length)
	Length int64  `json:"length"` // −1: to the end
	CRC    uint32 `json:"crc"`    // of a zip's member
}

// partial is a file that is being fetched. The bytes of the server follow a prefix.
type partial struct {
	path   string
	prefix []byte
	from   origin
	have   int64 // bytes from the server in the file
	inside bool  // the bytes are a member of a zip; its place is known once from.Length is
	o      Options

	best int64 // most bytes there were after any attempt
}

func (p *partial) sidecar() string { return p.path + ".json" }

// at returns the folder of a file that is being fetched, and the file's name in it.
func at(path string) (fsx.Dir, string) {
	dir, name := filepath.Dir(path), filepath.Base(path)
	return fsx.In(filepath.Dir(dir), filepath.Base(dir)), name
}

// want returns how many bytes there will be, −1 while that is unknown.
func (p *partial) want() int64 {
	if p.from.Length < 0 && p.from.Total >= 0 {
		return p.from.Total - p.from.Start
	}
	return p.from.Length
}

// resume continues what an earlier transfer of the same bytes left, if there is any.
func (p *partial) resume() {
	d, sidecar := at(p.sidecar())
	b, err := d.ReadFile(sidecar, 1<<16)
	if err != nil {
		return
	}
	var was origin
	info, err := d.Lstat(filepath.Base(p.path))
	if err != nil || json.Unmarshal(b, &was) != nil {
		return
	}
	size := info.Size() - int64(len(p.prefix))
	now := p.from
	if now.Length < 0 { // the server has not described the file yet
		now.Total = was.Total
	}
	if size < 0 || now != was {
		return
	}
	p.from = was
	if w := p.want(); w >= 0 { // the trailer of gzip follows
		size = min(size, w)
	}
	p.have = size
}

// begin makes the partial file empty and records the origin of its bytes.
func (p *partial) begin() error {
	p.have = 0
	if err := p.remove(); err != nil {
		return err
	}
	d, name := at(p.path)
	if err := d.WriteBytes(name, p.prefix); err != nil {
		return err
	}
	b, err := json.Marshal(p.from)
	if err != nil {
		return err
	}
	return d.WriteBytes(filepath.Base(p.sidecar()), append(b, '\n'))
}

func (p *partial) appender() (*fsx.Appender, error) {
	d, name := at(p.path)
	return d.Append(name, int64(len(p.prefix))+p.have)
}

// remove removes the file. The record of its origin goes first: a file without one is
// never continued.
func (p *partial) remove() error {
	d, name := at(p.path)
	return errors.Join(d.Remove(filepath.Base(p.sidecar())), d.Remove(name))
}

// rename gives a whole file its name.
func (p *partial) rename(path string) error {
	d, from := at(p.path)
	if err := d.Rename(from, filepath.Base(path)); err != nil {
		return err
	}
	return d.Remove(filepath.Base(p.sidecar()))
}

// retry is the one place where attempts are repeated: until one succeeds, an error is permanent, or
// Tries of them in a row have fetched nothing new.
func (p *partial) retry(ctx context.Context, attempt func(context.Context) error) error {
	p.best = p.have
	for fails := 0; ; {
		err := attempt(ctx)
		if err == nil {
			return nil
		}
		if ctx.Err() != nil {
			return ctx.Err()
		}
		if isPermanent(err) {
			return &Error{p.from.URL, err, p.have}
		}
		if fails++; p.have > p.best {
			fails, p.best = 1, p.have
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

// ask requests the bytes [start, end) of the file: without an end if that is not greater, the last ones
// for a negative start.
func (p *partial) ask(ctx context.Context, start, end int64) (*answer, error) {
	header := http.Header{}
	if start != 0 || p.inside {
		header.Set("Range", byteRange(start, end))
	}
	a, err := get(ctx, p.o, p.from.URL, header)
	if s, ok := errors.AsType[*StatusError](err); ok && s.Code == http.StatusRequestedRangeNotSatisfiable {
		return nil, p.drop()
	}
	if err != nil {
		return nil, err
	}
	switch {
	case a.partial && (start >= 0 && a.start != start || a.total >= 0 && p.from.Total >= 0 && a.total != p.from.Total):
		err = p.drop()
	case !a.partial && p.inside: // although a part is needed
		err = permanent{errNoRange}
	}
	if err != nil {
		a.Close()
		return nil, err
	}
	return a, nil
}

// drop removes what there is, because the server has another file now. The next fetch begins again.
func (p *partial) drop() error {
	p.have = 0
	return permanent{errors.Join(p.remove(), errChanged)}
}

// take appends the body of an answer to the file. An error of this machine, such as a full disk, is
// permanent.
func (p *partial) take(a *answer) error {
	out, err := p.appender()
	if err != nil {
		return permanent{err}
	}
	want, left := p.want(), p.o.Limit-p.have+1
	if want >= 0 {
		left = want - p.have // more than declared is ignored: the checksum will tell
	}
	w := &counting{p: p, out: out}
	_, err = io.Copy(w, io.LimitReader(a, left))
	if local := errors.Join(w.err, out.Sync(), out.Close()); local != nil {
		return permanent{local}
	}
	switch {
	case err == nil && p.have < want:
		return broken(int(p.have), io.ErrUnexpectedEOF)
	case err != nil:
		return broken(int(p.have), err)
	case want < 0 && p.have > p.o.Limit:
		return tooLong(p.have, p.o.Limit)
	}
	p.from.Total = max(p.from.Total, p.have)
	return nil
}

func broken(n int, err error) error { return fmt.Errorf("broken off after %d bytes: %v", n, err) }

func tooLong(size, limit int64) error {
	return permanent{fmt.Errorf("is %d bytes long or longer, more than the %d allowed: another file", size, limit)}
}

// counting counts and reports the bytes written to the file.
type counting struct {
	p   *partial
	out io.Writer
	err error
}

func (w *counting) Write(b []byte) (n int, err error) {
	n, w.err = w.out.Write(b)
	w.p.have += int64(n)
	w.p.o.Progress(w.p.have, w.p.want())
	return n, w.err
}
