package tfevents

import (
	"errors"
	"fmt"
	"strings"
	"time"

	"imdbexp/internal/fsx"
)

// The name of an event file is prefix, the time it was begun, suffix.
// TensorBoard looks for ".tfevents." and reads the files of a folder in the order
// of their names; the suffix marks the files of this program.
const (
	prefix = "events.out.tfevents."
	suffix = ".exp"
)

// Writer writes one event file.
type Writer struct {
	dir    fsx.Dir
	name   string
	length int64
}

// Create creates an event file in dir, named by now, with the given events. It makes
// dir if needed and removes the files this package wrote there before, so no event
// appears twice. The file appears whole or not at all. A file that cannot be removed
// (on Windows, if TensorBoard has it open) causes no error: the new file overrides it.
func Create(dir fsx.Dir, now time.Time, events ...Event) (*Writer, error) {
	if err := dir.Make(); err != nil {
		return nil, err
	}
	old, err := files(dir)
	if err != nil {
		return nil, err
	}
	w := &Writer{dir: dir, name: fmt.Sprintf("%s%010d.%09d%s", prefix, now.Unix(), now.Nanosecond(), suffix)}
	begun := now
	if len(events) > 0 {
		begun = events[0].Time
	}
	b := appendEvents(appendHead(nil, begun), events)
	if err := dir.WriteBytes(w.name, b); err != nil {
		return nil, err
	}
	w.length = int64(len(b))
	for _, name := range old {
		if name != w.name {
			_ = dir.Remove(name)
		}
	}
	return w, nil
}

// Append adds events. It first truncates the rest of an earlier failure. The file is
// not kept open in between and not synced, because it can be made again from the run.
func (w *Writer) Append(events ...Event) error {
	f, err := w.dir.Append(w.name, w.length)
	if err != nil {
		return err
	}
	_, err = f.Write(appendEvents(nil, events))
	if err := errors.Join(err, f.Close()); err != nil {
		return err
	}
	w.length = f.Len()
	return nil
}

// Path returns the file's name.
func (w *Writer) Path() string { return w.dir.Path(w.name) }

func appendEvents(b []byte, events []Event) []byte {
	for _, e := range events {
		b = appendEvent(b, e)
	}
	return b
}

// files returns the event files in dir that this package wrote.
func files(dir fsx.Dir) ([]string, error) {
	entries, err := dir.Entries()
	var out []string
	for _, e := range entries {
		if name := e.Name(); strings.HasPrefix(name, prefix) && strings.HasSuffix(name, suffix) {
			out = append(out, name)
		}
	}
	return out, err
}
