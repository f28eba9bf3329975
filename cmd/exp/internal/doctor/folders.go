package doctor

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"

	"imdbexp/cmd/exp/internal/number"
	"imdbexp/internal/disk"
	"imdbexp/internal/fsx"
	"imdbexp/runs"
)

// roomWanted is what IMDB with GloVe and their cache, or some hundred runs, take;
// roomNeeded is for one run on IMDB.
const (
	roomWanted = 1 << 30
	roomNeeded = 64 << 20
)

// there returns the folder, or the nearest above it that exists.
func there(folder string) string {
	for {
		if _, err := os.Stat(folder); err == nil || filepath.Dir(folder) == folder {
			return folder
		}
		folder = filepath.Dir(folder)
	}
}

// probe makes a hidden folder for a moment and calls try with it.
func probe(folder string, try func(dir string) error) error {
	dir, err := os.MkdirTemp(there(folder), ".doctor-")
	if err != nil {
		return err
	}
	return errors.Join(try(dir), os.RemoveAll(dir))
}

// write tries what every file of this program goes through: written aside, synced,
// renamed.
func write(dir string) error { return fsx.WriteBytes(filepath.Join(dir, "probe"), []byte("probe\n")) }

// folder tells whether a folder takes files and has room for them; bad is how to
// take it when it does not. It reports whether the folder can be written.
func (d *doctor) folder(what, path string, bad health, remedy string) bool {
	where := path
	if up := there(path); up != path {
		where += " (made when needed)"
	}
	if err := probe(path, write); err != nil {
		d.tell(bad, what, fmt.Sprintf("%s cannot be written: %v. %s", where, err, remedy))
		return false
	}
	n, known := disk.Free(there(path))
	text := fmt.Sprintf("%s, %s free on its disk", where, number.Bytes(n))
	switch {
	case !known:
		d.tell(good, what, where+"; the system does not tell how much is free on its disk")
	case n < roomNeeded:
		d.tell(bad, what, text+". "+remedy)
	case n < roomWanted:
		d.tell(doubtful, what, text+": little. "+remedy)
	default:
		d.tell(good, what, text)
	}
	return true
}

func (d *doctor) temporary() {
	d.folder("temporary", os.TempDir(), doubtful, "Set $TMPDIR to another folder: exp reproduce trains there")
}

func (d *doctor) runsFolder() {
	path, err := filepath.Abs(d.Runs)
	if err != nil {
		d.tell(wrong, "runs folder", err.Error())
		return
	}
	if !d.folder("runs folder", path, wrong, "Name another one with --runs") {
		return
	}
	switch err := probe(path, func(dir string) error { return locks(fsx.In(dir).Acquire) }); {
	case errors.Is(err, errNoLocks):
		d.tell(wrong, "locks", fmt.Sprintf("%s: %v. Two processes could write one run: name a folder on another file system with --runs", path, err))
	case err != nil:
		d.tell(wrong, "locks", fmt.Sprintf("%s: %v", path, err))
	default:
		d.tell(good, "locks", "a held run is refused to a second process")
	}
}

var errNoLocks = errors.New("what is locked can be locked once more")

// locks tries whether a lock keeps others out and can be had again afterwards.
func locks(acquire func(name string) (*fsx.Lock, error)) error {
	const name = "lock"
	first, err := acquire(name)
	if err != nil {
		return err
	}
	second, err := acquire(name)
	if _, held := errors.AsType[*fsx.HeldError](err); !held {
		if err == nil {
			err = errors.Join(errNoLocks, second.Release())
		}
		return errors.Join(err, first.Release())
	}
	if err := first.Release(); err != nil {
		return err
	}
	again, err := acquire(name)
	if err != nil {
		return fmt.Errorf("a lock that was let go of cannot be had again: %w", err)
	}
	return again.Release()
}

// runsInIt counts the runs and tells of those that cannot be read.
func (d *doctor) runsInIt() {
	list, err := runs.List(d.Runs)
	count := map[runs.State]int{}
	for _, r := range list {
		count[r.Status.State]++
	}
	text := fmt.Sprintf("%d finished, %d unfinished, %d diverged", count[runs.Finished], count[runs.Unfinished]+count[runs.Created], count[runs.Diverged])
	if len(list) == 0 && err == nil {
		text = "none yet"
	}
	d.tell(good, "runs", text)
	if err != nil {
		d.tell(doubtful, "runs", fmt.Sprintf("some cannot be read: %v", err))
	}
	for _, r := range list {
		if r.Status.State == runs.Damaged {
			d.tell(doubtful, "runs", fmt.Sprintf("%s is %s. Train it again: %s", r.Label(), r.Status, d.Command("run", r.Path+"/config.yaml", "--force")))
		}
	}
}
