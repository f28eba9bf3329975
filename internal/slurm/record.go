package slurm

import (
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"path/filepath"
	"time"
)

// maxRecord bounds jobs.json and ends.json.
const maxRecord = 64 << 20

// Job is one submission.
type Job struct {
	ID    string    `json:"job"`
	Tasks string    `json:"tasks"` // indices: 0-3,7
	Time  time.Time `json:"time"`
}

// Load reads again what is kept of the jobs and of how tasks ended.
func (g *Grid) Load() error {
	var jobs []Job
	if err := g.read(jobsFile, &jobs); err != nil {
		return err
	}
	g.jobs, g.last, g.ends = nil, map[int]string{}, map[int]End{}
	for _, j := range jobs {
		if err := g.add(j); err != nil {
			return g.damaged(jobsFile, err)
		}
	}
	return g.read(endsFile, &g.ends)
}

// add takes in a job: it is the last one of its tasks.
func (g *Grid) add(j Job) error {
	if !jobID.MatchString(j.ID) {
		return fmt.Errorf("job %q is no number", j.ID)
	}
	tasks, err := ParseIndices(j.Tasks)
	if err != nil {
		return err
	}
	g.jobs = append(g.jobs, j)
	for _, t := range tasks {
		g.last[t] = j.ID
	}
	return nil
}

// read reads a file of the grid; one that is not there leaves to as it is.
func (g *Grid) read(name string, to any) error {
	b, err := g.files().ReadFile(name, maxRecord)
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	if err != nil {
		return err
	}
	if err := json.Unmarshal(b, to); err != nil {
		return g.damaged(name, err)
	}
	return nil
}

func (g *Grid) damaged(name string, err error) error {
	return fmt.Errorf("%s: %w; remove the file, no run hangs on it", filepath.Join(g.Dir, name), err)
}

func (g *Grid) write(name string, value any) error {
	b, err := json.MarshalIndent(value, "", "\t")
	if err != nil {
		return err
	}
	return g.files().WriteBytes(name, append(b, '\n'))
}

// Last returns the job that a task was submitted with last, or "".
func (g *Grid) Last(task int) string { return g.last[task] }

// remember writes down how tasks ended: the controller forgets it within minutes.
func (g *Grid) remember(ends map[int]End) error {
	all := map[int]End{}
	maps.Copy(all, g.ends)
	maps.Copy(all, ends)
	if maps.Equal(all, g.ends) {
		return nil
	}
	g.ends = all
	return g.write(endsFile, g.ends)
}
