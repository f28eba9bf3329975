package web

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"sync"

	"imdbexp/report"
	"imdbexp/runs"
)

// entry is one run folder as of its last commit. It is never changed once others
// see it; what changes is a new entry.
type entry struct {
	key     string // NAME/ID: its folder under the runs folder
	path    string
	run     *runs.Run // nil when the folder cannot be read
	err     error     // why, or what of it is damaged
	ends    runs.Ends
	row     Row
	metrics func() ([]runs.Metrics, error) // of a run that can be read: of all its epochs; read when first asked for
	result  func() *report.Result          // of a run that can be read, as reports have it; made when first asked for
	uniform func() report.Uniform          // likewise

	files    [2]os.FileInfo // config.yaml and last.safetensors as they were read; nil when missing
	training bool           // a process is at it
	looked   string         // what was wrong with the files already before they were read
}

// telling are the files that tell whether a run has changed; others are whatever
// else is read of a run's folder. None may be a link: it could lead out of the
// folder of runs.
var (
	telling = [2]string{"config.yaml", "last.safetensors"}
	others  = []string{"metrics.jsonl", "entropy.jsonl", "test.json", "environment.json", "timing.jsonl", "best.safetensors", "predictions.tsv", "translations.tsv"}
)

// state returns a file without following links, nil for one that is not there.
func state(path, name string) (os.FileInfo, error) {
	info, err := os.Lstat(filepath.Join(path, name))
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return nil, nil
	case err == nil && !info.Mode().IsRegular():
		return nil, fmt.Errorf("%s is no ordinary file: it is not read", name)
	}
	return info, err
}

// look returns the state of the files that tell whether a run has changed.
func look(path string) (files [2]os.FileInfo, err error) {
	for i, name := range telling {
		var e error
		files[i], e = state(path, name)
		err = errors.Join(err, e)
	}
	return files, err
}

// ordinary checks that no file of a run is a link, right before they are read.
func ordinary(path string) (err error) {
	for _, name := range others {
		_, e := state(path, name)
		err = errors.Join(err, e)
	}
	return err
}

// same reports whether a file has not been replaced or written since.
func same(a, b os.FileInfo) bool {
	if a == nil || b == nil {
		return a == nil && b == nil
	}
	return a.Size() == b.Size() && a.ModTime().Equal(b.ModTime()) && os.SameFile(a, b)
}

// renew returns the entry of a folder: the old one where nothing has changed, a
// new one otherwise, nil where there is no run. old may be nil.
func (c *catalog) renew(old *entry, key string) *entry {
	path := filepath.Join(c.dir, filepath.FromSlash(key))
	files, err := look(path)
	if err == nil && files[0] == nil { // no config.yaml
		return nil
	}
	unchanged := old != nil && same(old.files[0], files[0]) && same(old.files[1], files[1])
	if unchanged && old.run != nil && (old.run.Present().State == runs.Training) != old.training {
		unchanged = false
	}
	if unchanged && err == nil && old.looked == "" {
		return old
	}
	looked := ""
	if err = errors.Join(err, ordinary(path)); err != nil {
		looked = err.Error()
	}
	if unchanged && old.looked == looked {
		return old
	}
	e := &entry{key: key, path: path, files: files, err: err, looked: looked}
	if err == nil {
		e.read()
	}
	e.training = e.run != nil && e.run.Present().State == runs.Training
	e.row = c.describe(e)
	return e
}

// read opens the run and takes in what it has committed.
func (e *entry) read() {
	if e.run, e.err = runs.Open(e.path); e.err != nil {
		return
	}
	e.ends, e.err = e.run.Ends()
	e.metrics = sync.OnceValues(e.run.Metrics)
	e.uniform = sync.OnceValue(func() report.Uniform { return report.UniformOf(e.run) })
	e.result = sync.OnceValue(func() *report.Result { return report.ReadAll([]*runs.Run{e.run})[0] })
}

// folders returns NAME/ID of every folder that may be a run's. Links are not
// followed.
func folders(dir string) ([]string, error) {
	names, err := subfolders(dir)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	var keys []string
	for _, name := range names {
		ids, e := subfolders(filepath.Join(dir, name))
		err = errors.Join(err, e)
		for _, id := range ids {
			keys = append(keys, name+"/"+id)
		}
	}
	return keys, err
}

func subfolders(dir string) ([]string, error) {
	list, err := os.ReadDir(dir)
	var out []string
	for _, d := range list {
		if d.IsDir() && !strings.HasPrefix(d.Name(), ".") {
			out = append(out, d.Name())
		}
	}
	return out, err
}
