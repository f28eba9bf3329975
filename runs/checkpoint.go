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
	Prev = "prev" // the previous Last, for resuming only
)

// stepCheckpoint is inside the epoch after the last whole one; only resuming reads it.
const stepCheckpoint = "step"

// CheckpointFile returns the file name of a checkpoint.
func CheckpointFile(which string) string { return which + ".safetensors" }

// Tensor is a named array of a checkpoint: []float32, []float64, []int64 or
// []byte, row-major.
type Tensor = safetensors.Tensor

// Numbers returns the n values of the tensor with that name.
func Numbers[T any](list []Tensor, name string, n int) ([]T, error) {
	for _, x := range list {
		if x.Name != name {
			continue
		}
		data, ok := x.Data.([]T)
		if !ok || len(data) != n {
			return nil, fmt.Errorf("checkpoint: %s has shape %v, the model has %d numbers", name, x.Shape, n)
		}
		return data, nil
	}
	return nil, fmt.Errorf("checkpoint: %s is missing", name)
}

// Matrices returns a function that finds float32 matrices in a list by name.
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

// Checkpoint is a model and the state of its training. The order of tensors read from a
// file is not the order in which they were written: find them by name.
type Checkpoint struct {
	Epoch     int     // whole epochs done
	Step      int     // steps done of the next epoch; 0 at the end of an epoch
	BestEpoch int     // epoch with the best score so far; 0 before any
	BestScore float64 // its score
	Wait      int     // epochs since then (patience)

	Params []Tensor // trainable weights
	States []Tensor // saved but not trained, such as running statistics
	Optim  []Tensor // the optimiser's state
	Sums   []Tensor // metrics of the current epoch so far; none at the end of an epoch
}

// group is the tensors with one name prefix in the file.
type group struct {
	prefix  string
	tensors *[]Tensor
}

// groups returns the tensors by prefix. "tally/" is the prefix of Sums for historical reasons.
func (c *Checkpoint) groups() []group {
	return []group{{"param/", &c.Params}, {"state/", &c.States}, {"optim/", &c.Optim}, {"tally/", &c.Sums}}
}

// encode returns the checkpoint as a file without its checksum.
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

// parseCheckpoint parses a checkpoint and checks its checksum.
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

// DamagedError is a file of a run whose content is no longer what was written.
type DamagedError struct {
	Path string
	Err  error
}

func (e *DamagedError) Error() string { return e.Path + " is damaged: " + e.Err.Error() }

// Unwrap returns the reason.
func (e *DamagedError) Unwrap() error { return e.Err }

func readCheckpoint(d fsx.Dir, which string) (*Checkpoint, progress, error) {
	b, err := d.ReadFile(CheckpointFile(which), maxCheckpoint)
	if err != nil {
		return nil, progress{}, err
	}
	c, p, err := parseCheckpoint(b)
	return c, p, asDamage(d.Path(CheckpointFile(which)), err)
}

// asDamage turns an error about a file's content into a DamagedError, unless its format is newer.
func asDamage(path string, err error) error {
	switch {
	case err == nil:
		return nil
	case errors.Is(err, errNewer):
		return fmt.Errorf("%s: %w", path, err)
	}
	return &DamagedError{path, err}
}

func writeCheckpoint(d fsx.Dir, which string, c *Checkpoint, p progress) error {
	return d.WriteFile(CheckpointFile(which), func(w io.Writer) error { return safetensors.WriteSealed(w, c.encode(p)) })
}
