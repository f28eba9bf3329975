package stream

import (
	"fmt"
	"io"
	"sync"
)

// Blocks of read-ahead: enough to keep a decompressor busy while the entries
// of the blocks before are taken apart.
const (
	aheadBytes  = 1 << 18
	aheadBlocks = 4
)

// aheadReader reads from another goroutine, a few blocks ahead.
type aheadReader struct {
	full  chan block    // filled, in order
	empty chan []byte   // to be filled again
	stop  chan struct{} // closed by Close
	done  chan struct{} // closed when the goroutine has ended
	once  sync.Once
	cur   []byte // rest of the block being read
	block []byte // the whole of it
	err   error
	under io.Closer
}

type block struct {
	b   []byte
	err error
}

// ReadAhead starts reading r. Close ends the goroutine and closes under.
func ReadAhead(r io.Reader, under io.Closer) io.ReadCloser {
	a := &aheadReader{
		full:  make(chan block, aheadBlocks),
		empty: make(chan []byte, aheadBlocks),
		stop:  make(chan struct{}),
		done:  make(chan struct{}),
		under: under,
	}
	for range aheadBlocks {
		a.empty <- nil // gets its room when it is needed
	}
	go a.run(r)
	return a
}

func (a *aheadReader) run(r io.Reader) {
	defer close(a.done)
	var b block
	defer func() {
		if p := recover(); p != nil {
			a.full <- block{err: fmt.Errorf("decompressing failed: %v", p)}
		}
	}()
	for b.err == nil {
		select {
		case <-a.stop:
			return
		case b.b = <-a.empty:
		}
		if b.b == nil {
			b.b = make([]byte, aheadBytes)
		}
		n := 0
		b.b = b.b[:cap(b.b)]
		for n < len(b.b) && b.err == nil {
			var m int
			m, b.err = r.Read(b.b[n:])
			n += m
		}
		b.b = b.b[:n]
		a.full <- b // never blocks: there are as many places as blocks
	}
}

// Read implements io.Reader.
func (a *aheadReader) Read(p []byte) (int, error) {
	for len(a.cur) == 0 {
		if a.err != nil {
			return 0, a.err
		}
		if a.block != nil {
			a.empty <- a.block
		}
		b := <-a.full
		a.block, a.cur, a.err = b.b, b.b, b.err
	}
	n := copy(p, a.cur)
	a.cur = a.cur[n:]
	return n, nil
}

// Close implements io.Closer.
func (a *aheadReader) Close() error {
	a.once.Do(func() { close(a.stop) })
	<-a.done
	return a.under.Close()
}
