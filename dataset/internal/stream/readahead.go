package stream

import (
	"bufio"
	"io"

	"imdbexp/internal/guard"
)

const aheadBytes = 1 << 18

// ahead reads from another goroutine, which is up to two blocks ahead.
type ahead struct {
	*bufio.Reader
	pipe  *io.PipeReader
	done  chan struct{} // closed when the goroutine has ended
	under io.Closer
}

// ReadAhead starts reading r in another goroutine, to decompress while the text before is
// being used. Close ends the goroutine and closes under.
func ReadAhead(r io.Reader, under io.Closer) io.ReadCloser {
	out, in := io.Pipe()
	a := &ahead{bufio.NewReaderSize(out, aheadBytes), out, make(chan struct{}), under}
	go func() {
		defer close(a.done)
		in.CloseWithError(guard.Call(func() error {
			_, err := io.CopyBuffer(struct{ io.Writer }{in}, struct{ io.Reader }{r}, make([]byte, aheadBytes))
			return err
		}))
	}()
	return a
}

// Close implements io.Closer.
func (a *ahead) Close() error {
	a.pipe.Close()
	<-a.done
	return a.under.Close()
}
