package web

import (
	"bufio"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"math"
	"os"
	"path/filepath"
)

// Names of the files of a run that grow, see package runs.
const (
	metricsFile = "metrics.jsonl"
	entropyFile = "entropy.jsonl"
)

// maxLines bounds what is read of a file at once; a thousand epochs have some 3 MB.
const maxLines = 1 << 28

// everyEpoch stands for the last whole epoch of a run whose checkpoint cannot
// tell it.
const everyEpoch = math.MaxInt

// lines follows a file with a JSON value in each line, of which each belongs to
// an epoch: it reads what was appended since the last time. A copy may go on from
// where the original stood.
type lines[T any] struct {
	name   string
	epoch  func(T) int
	values []T

	file   os.FileInfo // as of the last reading
	offset int64       // behind the last line that counts
}

// read takes in the lines up to an epoch, the last that the checkpoint covers:
// those behind it are being written, or will be cut off. Lines before an error
// are kept.
func (l *lines[T]) read(folder string, last int) error {
	f, err := os.Open(filepath.Join(folder, l.name))
	if errors.Is(err, fs.ErrNotExist) {
		l.forget()
		return nil
	}
	if err != nil {
		return err
	}
	defer f.Close()
	info, err := f.Stat()
	if err != nil {
		return err
	}
	if l.replaced(info, last) {
		l.forget()
	}
	l.file = info
	if info.Size()-l.offset > maxLines {
		return fmt.Errorf("%s is %d bytes long: too much to show", l.name, info.Size())
	}
	if _, err := f.Seek(l.offset, io.SeekStart); err != nil {
		return err
	}
	return l.take(bufio.NewReader(io.LimitReader(f, maxLines)), last)
}

// replaced reports whether the file is another one than before, or was cut: then
// it is read from its beginning.
func (l *lines[T]) replaced(info os.FileInfo, last int) bool {
	if l.file == nil {
		return false
	}
	behind := len(l.values) > 0 && l.epoch(l.values[len(l.values)-1]) > last
	return behind || info.Size() < l.offset || !os.SameFile(l.file, info)
}

func (l *lines[T]) forget() { l.values, l.offset, l.file = nil, 0, nil }

func (l *lines[T]) take(r *bufio.Reader, last int) error {
	for {
		line, err := r.ReadBytes('\n')
		if err == io.EOF { // a last line without its end is being written
			return nil
		}
		if err != nil {
			return err
		}
		var v T
		if err := json.Unmarshal(line, &v); err != nil {
			return fmt.Errorf("%s, line %d: %w", l.name, len(l.values)+1, err)
		}
		if l.epoch(v) > last {
			return nil
		}
		l.values, l.offset = append(l.values, v), l.offset+int64(len(line))
	}
}
