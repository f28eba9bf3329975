package fetch

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"strings"
)

const (
	// blockBytes are read at once: a zip's directory lies at its end, and that of
	// GloVe is far smaller than a block.
	blockBytes = 1 << 16
	// maxDirectory bounds what is read of a remote zip to find a member.
	maxDirectory = 16 << 20
)

// remote is a file on a server that can be read in parts, as io.ReaderAt.
type remote struct {
	ctx       context.Context
	o         Options
	url       string
	size      int64
	validator string

	start int64 // of block
	block []byte
	read  int64 // bytes read so far
}

// openRemote asks how long a file is. It returns errNoRange if the server does
// not send parts.
func openRemote(ctx context.Context, url string, o Options) (*remote, error) {
	r := &remote{ctx: ctx, o: o, url: url}
	err := r.retry(func() error {
		a, err := get(ctx, o, url, http.Header{"Range": {"bytes=0-511"}})
		if err != nil {
			return err
		}
		defer a.Close()
		head := make([]byte, 512)
		n, err := io.ReadFull(a, head)
		if err != nil && err != io.ErrUnexpectedEOF && err != io.EOF {
			return err
		}
		if err := looksLikeZip(head[:n]); err != nil {
			return err
		}
		if !a.partial || a.start != 0 || a.total < 0 {
			return errNoRange
		}
		if a.total > o.Limit {
			return permanent{fmt.Errorf("is %d bytes long, more than the %d allowed: not the file that was meant", a.total, o.Limit)}
		}
		r.size, r.validator = a.total, a.validator
		return nil
	})
	return r, err
}

// looksLikeZip checks how a file begins.
func looksLikeZip(head []byte) error {
	switch {
	case strings.HasPrefix(string(head), "PK\x03\x04"):
		return nil
	case isHTML(head):
		return permanent{errHTML}
	}
	return permanent{errors.New("not a zip: give another address with --url")}
}

// retry makes attempts until one succeeds.
func (r *remote) retry(attempt func() error) error {
	for fails := 1; ; fails++ {
		err := attempt()
		switch {
		case err == nil:
			return nil
		case r.ctx.Err() != nil:
			return r.ctx.Err()
		case isPermanent(err), errors.Is(err, errNoRange), errors.Is(err, errChanged):
			return err
		case fails >= r.o.Tries:
			return fmt.Errorf("%w (%d attempts)", err, fails)
		}
		if err := r.o.pause(r.ctx, err, fails); err != nil {
			return err
		}
	}
}

// ReadAt implements io.ReaderAt through one block.
func (r *remote) ReadAt(p []byte, off int64) (n int, err error) {
	if off < 0 {
		return 0, errors.New("negative offset")
	}
	for n < len(p) {
		at := off + int64(n)
		if at >= r.size {
			return n, io.EOF
		}
		if at < r.start || at >= r.start+int64(len(r.block)) {
			if err := r.load(at); err != nil {
				return n, err
			}
		}
		n += copy(p[n:], r.block[at-r.start:])
	}
	return n, nil
}

// load reads the block from at on, or the last of the file if that holds it.
func (r *remote) load(at int64) error {
	start := at
	if last := max(0, r.size-blockBytes); at >= last {
		start = last
	}
	block := make([]byte, min(blockBytes, r.size-start))
	if r.read += int64(len(block)); r.read > maxDirectory {
		return permanent{fmt.Errorf("the directory of the zip has more than %d bytes: not the file that was meant", maxDirectory)}
	}
	err := r.retry(func() error {
		header := http.Header{"Range": {byteRange(start, start+int64(len(block)))}}
		if r.validator != "" {
			header.Set("If-Range", r.validator)
		}
		a, err := get(r.ctx, r.o, r.url, header)
		if noSuchRange(err) {
			return errChanged
		}
		if err != nil {
			return err
		}
		defer a.Close()
		switch {
		case a.validator != "" && a.validator != r.validator, a.partial && a.total != r.size:
			return errChanged
		case !a.partial:
			return errNoRange
		case a.start != start:
			return fmt.Errorf("the server sends bytes from %d on instead of %d", a.start, start)
		}
		if n, err := io.ReadFull(a, block); err != nil { // not wrapped: the zip has not ended
			return fmt.Errorf("broken off after %d of %d bytes: %v", n, len(block), err)
		}
		return nil
	})
	if err == nil {
		r.start, r.block = start, block
	}
	return err
}
