package runs

import (
	"bytes"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"sync"
	"time"

	"imdbexp/internal/fsx"
)

// shelves are the runs of each name that this process has asked about. A grid asks before
// each of its runs; a run's ID stands for its lineage, so that what has been read
// once holds.
var shelves struct {
	sync.Mutex
	at map[string]*shelf
}

// shelf is the runs of one name by their lineages.
type shelf struct {
	lineage map[string]string   // by ID
	ids     map[string][]string // by lineage
	changed time.Time           // when the folder had changed last, as it was read
	whole   bool                // there was no need to look again
}

// apart is how old a change of a folder has to be for another one to have another
// time, on any file system.
const apart = 2 * time.Second

// ofLineage returns the folders of the runs of a name and lineage under dir. The error
// joins an UnreadableError for each folder of that name which cannot be read.
func ofLineage(dir, name, lineage string) ([]string, error) {
	path, err := filepath.Abs(filepath.Join(dir, name))
	if err != nil {
		return nil, err
	}
	shelves.Lock()
	defer shelves.Unlock()
	s := shelves.at[path]
	if s == nil {
		s = &shelf{lineage: map[string]string{}, ids: map[string][]string{}}
		if shelves.at == nil {
			shelves.at = map[string]*shelf{}
		}
		shelves.at[path] = s
	}
	err = s.look(path)
	var out []string
	for _, id := range s.ids[lineage] {
		out = append(out, filepath.Join(dir, name, id))
	}
	return out, err
}

// look reads what has come to the folder.
func (s *shelf) look(path string) error {
	info, err := os.Stat(path)
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	if err != nil {
		return err
	}
	if s.whole && info.ModTime().Equal(s.changed) {
		return nil
	}
	began := time.Now()
	ids, err := folders(path)
	errs := []error{err}
	s.whole = err == nil && began.Sub(info.ModTime()) > apart
	s.changed = info.ModTime()
	for _, id := range ids {
		if s.lineage[id] != "" {
			continue
		}
		l, err := lineageOf(filepath.Join(path, id))
		switch {
		case err == nil:
			s.lineage[id] = l
			s.ids[l] = append(s.ids[l], id)
			continue
		case !errors.Is(err, fs.ErrNotExist):
			errs = append(errs, &UnreadableError{filepath.Join(path, id), err})
		}
		s.whole = false // it may be on its way
	}
	return errors.Join(errs...)
}

// lineageOf reads the lineage of the run in a folder: a line near the beginning of its
// configuration, which is found many times faster than the whole is read.
func lineageOf(path string) (string, error) {
	b, err := fsx.ReadFile(filepath.Join(path, configFile), maxConfig)
	if err != nil {
		return "", err
	}
	for line := range bytes.Lines(b) {
		if text, is := bytes.CutPrefix(line, []byte("lineage:")); is {
			if l := string(bytes.Trim(text, " \r\n\"'")); isHex(l, 64) {
				return l, nil
			}
			break
		}
	}
	r, err := Open(path)
	if err != nil {
		return "", err
	}
	return r.Config.Lineage, nil
}
