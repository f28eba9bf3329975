package web

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"imdbexp/runs"
)

// entry is one run folder as of its last commit. It is never changed once others
// see it; what changes is a new entry.
type entry struct {
	key     string // NAME/ID: its folder under the runs folder
	path    string
	run     *runs.Run // nil when the folder cannot be read
	err     error     // why, or what of it is damaged
	metrics lines[runs.Metrics]
	row     Row

	files  [2]os.FileInfo // config.yaml and last.safetensors as they were read; nil when missing
	looked string         // what was wrong with the files already before they were read
}

// The files that may lie in a run's folder and are read here. None may be a link:
// it could lead out of the folder of runs.
var read = []string{"config.yaml", "last.safetensors", metricsFile, entropyFile, "environment.json", "timing.jsonl",
	"best.safetensors", "predictions.tsv"}

// look returns the state of the files that tell whether a run has changed.
func look(path string) (files [2]os.FileInfo, err error) {
	for i, name := range read {
		info, e := os.Lstat(filepath.Join(path, name))
		switch {
		case errors.Is(e, fs.ErrNotExist):
		case e != nil:
			err = errors.Join(err, e)
		case !info.Mode().IsRegular():
			err = errors.Join(err, fmt.Errorf("%s is no ordinary file: it is not read", name))
		case i < len(files):
			files[i] = info
		}
	}
	return files, err
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
	looked := ""
	if err != nil {
		looked = err.Error()
	}
	if old != nil && same(old.files[0], files[0]) && same(old.files[1], files[1]) && old.looked == looked {
		return old
	}
	e := &entry{key: key, path: path, files: files, err: err, looked: looked}
	if old != nil {
		e.metrics = old.metrics
	} else {
		e.metrics = lines[runs.Metrics]{name: metricsFile, epoch: func(m runs.Metrics) int { return m.Epoch }}
	}
	if err == nil {
		e.read()
	}
	e.row = c.describe(e)
	return e
}

// read opens the run and takes in what it has committed since.
func (e *entry) read() {
	if e.run, e.err = runs.Open(e.path); e.err != nil {
		return
	}
	last := e.last()
	e.err = e.metrics.read(e.path, last)
	if n := len(e.metrics.values); e.err == nil && last != everyEpoch && n != last {
		e.err = fmt.Errorf("%s holds %d epochs, the checkpoint counts %d", metricsFile, n, last)
	}
}

// last returns the last whole epoch of a run that can be read.
func (e *entry) last() int {
	if e.run.Status.State == runs.Damaged {
		return everyEpoch
	}
	return e.run.Status.Epoch
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
