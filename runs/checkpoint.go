package runs

import (
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"

	"imdbexp/internal/fsx"
	"imdbexp/internal/safetensors"
)

// Names of the checkpoints of a run that hold whole epochs.
const (
	Last = "last" // after the last whole epoch
	Best = "best" // after the epoch with the best score so far
	Prev = "prev" // the last one as it was before it was written anew, for resuming only
)

// stepCheckpoint is inside the epoch that follows the last whole one; only resuming reads
// it.
const stepCheckpoint = "step"

// CheckpointFile returns the name of a checkpoint's file in the folder of its run.
func CheckpointFile(which string) string { return which + ".safetensors" }

// Tensor is a named array of a checkpoint: []float32, []float64, []int64 or
// []byte, row-major.
type Tensor = safetensors.Tensor

// Numbers returns those of the tensor of that name, of which there must be n.
func Numbers[T any](list []Tensor, name string, n int) ([]T, error) {
	for _, x := range list {
		if x.Name != name {
			continue
		}
		data, ok := x.Data.([]T)
		if !ok || len(data) != n {
			return nil, fmt.Errorf("checkpoint: %s has shape %v, the model wants %d numbers", name, x.Shape, n)
		}
		return data, nil
	}
	return nil, fmt.Errorf("checkpoint: %s is missing", name)
}

// Matrices returns the matrices of single precision in a list by their names.
func Matrices(list []Tensor) func(name string, rows, cols int) ([]float32, error) {
	return func(name string, rows, cols int) ([]float32, error) {
		for _, t := range list {
			if t.Name == name && !slices.Equal(t.Shape, []int{rows, cols}) {
				return nil, fmt.Errorf("checkpoint: %s has the shape %v, not [%d %d]", name, t.Shape, rows, cols)
			}
		}
		return Numbers[float32](list, name, rows*cols)
	}
}

// Checkpoint is a model and its training at one moment. Read back, tensors have
// the names they were given and stand in an order of their own: find them by
// name.
type Checkpoint struct {
	Epoch     int     // whole epochs behind it
	Step      int     // steps done of the epoch after those, 0 at an epoch's end
	BestEpoch int     // epoch with the best score so far, 0 before any
	BestScore float64 // its score
	Wait      int     // epochs since then (patience)

	Params []Tensor // what the optimiser moves
	States []Tensor // what is kept beside, such as running statistics
	Optim  []Tensor // the optimiser's own
	Sums   []Tensor // what the steps of an epoch that is not over have given, 0 of them at an epoch's end
}

// group is a set of tensors under one prefix in the file.
type group struct {
	prefix  string
	tensors *[]Tensor
}

// groups gives each set the prefix that it has in files; tally is the word for Sums of
// the first ones.
func (c *Checkpoint) groups() []group {
	return []group{{"param/", &c.Params}, {"state/", &c.States}, {"optim/", &c.Optim}, {"tally/", &c.Sums}}
}

// encode returns the checkpoint as a file; the checksum is still missing.
func (c *Checkpoint) encode(p progress) *safetensors.File {
	f := &safetensors.File{Metadata: p.metadata(c)}
	for _, g := range c.groups() {
		for _, t := range *g.tensors {
			t.Name = g.prefix + t.Name
			f.Tensors = append(f.Tensors, t)
		}
	}
	return f
}

// parseCheckpoint reads a whole checkpoint and checks its sum.
func parseCheckpoint(b []byte) (*Checkpoint, progress, error) {
	f, err := safetensors.Parse(b)
	if err != nil {
		return nil, progress{}, err
	}
	c := new(Checkpoint)
	p, err := parseProgress(f.Metadata, c)
	if err != nil {
		return nil, progress{}, err
	}
	if err := safetensors.Verify(b, f); err != nil {
		return nil, progress{}, err
	}
tensors:
	for _, t := range f.Tensors {
		for _, g := range c.groups() {
			if name, ok := strings.CutPrefix(t.Name, g.prefix); ok {
				t.Name = name
				*g.tensors = append(*g.tensors, t)
				continue tensors
			}
		}
		return nil, progress{}, fmt.Errorf("unknown tensor %q", t.Name)
	}
	return c, p, nil
}

// DamagedError is a file of a run that is not what was written.
type DamagedError struct {
	Path string
	Err  error
}

func (e *DamagedError) Error() string { return e.Path + " is damaged: " + e.Err.Error() }

// Unwrap returns what is wrong with it.
func (e *DamagedError) Unwrap() error { return e.Err }

// maxHeader is room for the header of a checkpoint.
const maxHeader = 1 << 20

func readCheckpoint(d fsx.Dir, which string, of *Config) (*Checkpoint, progress, error) {
	b, err := d.ReadFile(CheckpointFile(which), of.limit(CheckpointFile(which)))
	if err != nil {
		return nil, progress{}, err
	}
	c, p, err := parseCheckpoint(b)
	return c, p, asDamage(d.Path(CheckpointFile(which)), err)
}

// asDamage tells a damaged file from one of a newer format.
func asDamage(path string, err error) error {
	switch {
	case err == nil:
		return nil
	case errors.Is(err, errNewer):
		return fmt.Errorf("%s: %w", path, err)
	}
	return &DamagedError{path, err}
}

// writeCheckpoint writes what readCheckpoint reads.
func writeCheckpoint(d fsx.Dir, which string, c *Checkpoint, p progress, of *Config) error {
	f, size := c.encode(p), int64(0)
	for _, t := range f.Tensors {
		size += t.Bytes()
	}
	if name := CheckpointFile(which); size > of.limit(name)-maxHeader {
		return fmt.Errorf("%s: %d bytes are more than the settings of the run account for (%d): let settings of the model name its widths", d.Path(name), size, of.limit(name))
	}
	return d.WriteFile(CheckpointFile(which), func(w io.Writer) error { return safetensors.WriteSealed(w, f) })
}
