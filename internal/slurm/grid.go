package slurm

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"path/filepath"
	"slices"
	"strings"

	"imdbexp/internal/fsx"
)

// Names within a folder of runs. A hidden folder holds no runs.
const (
	folder     = ".slurm"
	tasksFile  = "tasks.txt"
	runsFile   = "runs.txt"
	scriptFile = "job.sh"
	jobsFile   = "jobs.json"
	endsFile   = "ends.json"
	lockFile   = "lock"
	logFolder  = "log"
)

// Grid is a list of tasks with what became of them.
type Grid struct {
	Dir string // its folder

	jobs []Job          // oldest first
	last map[int]string // the job of each task, by index
	ends map[int]End    // by index, of a task's last job
}

// Folder returns where the grid of runs of these names lies in a folder of runs.
func Folder(runs string, names []string) string {
	sum := sha256.Sum256([]byte(strings.Join(names, "\n")))
	return filepath.Join(runs, folder, hex.EncodeToString(sum[:6]))
}

// Open returns the grid of these tasks under a folder of runs; names are the folders
// of their runs relative to it, words those of their exp run. The folder's name is the
// digest of the names, so that the same command finds the same grid again.
func Open(runs string, names, words []string) (*Grid, error) {
	dir := Folder(runs, names)
	g := &Grid{Dir: dir}
	if len(names) != len(words) {
		return nil, fmt.Errorf("slurm: %d runs, %d tasks", len(names), len(words))
	}
	for _, w := range slices.Concat(names, words) {
		if strings.ContainsAny(w, "\n\r") {
			return nil, fmt.Errorf("%q has a line break, which a list of tasks cannot hold", w)
		}
	}
	if err := g.files().Sub(logFolder).Make(); err != nil {
		return nil, err
	}
	for file, lines := range map[string][]string{runsFile: names, tasksFile: words} {
		if err := g.writeChanged(file, []byte(strings.Join(lines, "\n")+"\n")); err != nil {
			return nil, err
		}
	}
	return g, g.Load()
}

// writeChanged leaves a file alone that is right already: tasks may be reading it.
func (g *Grid) writeChanged(name string, b []byte) error {
	if old, err := g.files().ReadFile(name, int64(len(b))); err == nil && string(old) == string(b) {
		return nil
	}
	return g.files().WriteBytes(name, b)
}

// files is the grid's folder: the folder of runs may be a link, what is below it not.
func (g *Grid) files() fsx.Dir {
	return fsx.In(filepath.Dir(filepath.Dir(g.Dir)), folder, filepath.Base(g.Dir))
}

// Name is the name of the grid's jobs.
func (g *Grid) Name() string { return Name(g.Dir) }

// Name is the name of the jobs of the grid in that folder.
func Name(dir string) string { return "exp-" + filepath.Base(dir) }

func (g *Grid) script() string { return filepath.Join(g.Dir, scriptFile) }

// WriteScript keeps the batch script.
func (g *Grid) WriteScript(text []byte) error { return g.writeChanged(scriptFile, text) }

// Logs is the folder of what tasks printed.
func (g *Grid) Logs() string { return filepath.Join(g.Dir, logFolder) }

// Log is the path of what a task of a job printed.
func (g *Grid) Log(t Task) string {
	return filepath.Join(g.Logs(), t.String()+".log")
}
