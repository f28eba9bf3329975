package fsx

import (
	"fmt"
	"io"
	"os"
)

// ReadFile reads a file of at most limit bytes; a larger one is an error, so
// that a wrong or damaged file never fills the memory.
func ReadFile(path string, limit int64) ([]byte, error) {
	f, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	info, err := f.Stat()
	if err != nil {
		return nil, err
	}
	if !info.Mode().IsRegular() {
		return nil, fmt.Errorf("%s is not a file", path)
	}
	if info.Size() > limit {
		return nil, fmt.Errorf("%s is %d bytes long, more than the %d allowed here", path, info.Size(), limit)
	}
	b := make([]byte, info.Size())
	n, err := io.ReadFull(f, b)
	if err == io.ErrUnexpectedEOF || err == io.EOF { // cut since Stat
		err = nil
	}
	return b[:n], err
}
