package runs

import (
	"cmp"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"maps"
	"slices"
	"strconv"
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

// TensorValues returns the values of the tensor with that name. It must have the shape, or as many values as a single
// size; without a shape, one value.
func TensorValues[T any](list []Tensor, name string, shape ...int) ([]T, error) {
	i := slices.IndexFunc(list, func(t Tensor) bool { return t.Name == name })
	if i < 0 {
		return nil, fmt.Errorf("checkpoint: %s is missing", name)
	}
	n := 1
	for _, size := range shape {
		n *= size
	}
	data, ok := list[i].Data.([]T)
	if !ok || len(data) != n || len(shape) > 1 && !slices.Equal(list[i].Shape, shape) {
		return nil, fmt.Errorf("checkpoint: %s has the shape %v, the model has %v", name, list[i].Shape, shape)
	}
	return data, nil
}

// Matrices returns a function that finds float32 matrices in a list by name.
func Matrices(list []Tensor) func(name string, rows, cols int) ([]float32, error) {
	return func(name string, rows, cols int) ([]float32, error) {
		return TensorValues[float32](list, name, rows, cols)
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

// groups returns the tensors by the first part of their names in the file.
func (c *Checkpoint) groups() map[string]*[]Tensor {
	return map[string]*[]Tensor{"param": &c.Params, "state": &c.States, "optim": &c.Optim, "tally": &c.Sums}
}

// encode returns the checkpoint as a file without its checksum.
func (c *Checkpoint) encode(p progress) *safetensors.File {
	f := &safetensors.File{Metadata: p.metadata(c)}
	for part, tensors := range c.groups() {
		for _, t := range *tensors {
			t.Name = part + "/" + t.Name
			f.Tensors = append(f.Tensors, t) // Write orders them by name
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
	if err = cmp.Or(err, safetensors.Verify(b, f)); err != nil {
		return nil, progress{}, err
	}
	groups := c.groups()
	for _, t := range f.Tensors {
		part, name, _ := strings.Cut(t.Name, "/")
		to := groups[part]
		if to == nil {
			return nil, progress{}, fmt.Errorf("unknown tensor %q", t.Name)
		}
		t.Name = name
		*to = append(*to, t)
	}
	return c, p, nil
}

// DamagedError is a file of a run whose content is no longer what was written.
type DamagedError struct {
	Path string
	Err  error
}

func (e *DamagedError) Error() string { return e.Path + " is damaged: " + e.Err.Error() }
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

// progress is what a checkpoint records about its run rather than its model.
type progress struct {
	config  string // digest of the configuration
	metrics int    // length of metrics.jsonl
	entropy int    // length of entropy.jsonl
	state   State  // Unfinished, Finished or Diverged
	message string // why it diverged
	chosen  int    // the chosen epoch, when finished
}

var errNewer = errors.New("written by a newer version of exp; update exp")

// fields returns the metadata of a checkpoint: the progress, and the position of c.
func (p *progress) fields(c *Checkpoint) map[string]any {
	return map[string]any{
		"config": &p.config, "state": (*string)(&p.state), "message": &p.message, "chosen": &p.chosen,
		"metrics_length": &p.metrics, "entropy_length": &p.entropy,
		"epoch": &c.Epoch, "step": &c.Step, "best_epoch": &c.BestEpoch, "best_score": &c.BestScore, "wait": &c.Wait,
	}
}

// metadata encodes the progress and the position of c.
func (p progress) metadata(c *Checkpoint) map[string]string {
	m := map[string]string{"format": strconv.Itoa(Format)}
	for key, v := range p.fields(c) {
		switch v := v.(type) {
		case *string:
			m[key] = *v
		case *int:
			m[key] = strconv.Itoa(*v)
		case *float64:
			m[key] = strconv.FormatFloat(*v, 'g', -1, 64)
		}
	}
	maps.DeleteFunc(m, func(key, value string) bool {
		return key == "message" && value == "" || key == "chosen" && value == "0"
	})
	return m
}

// parseProgress decodes metadata, and the position into c.
func parseProgress(m map[string]string, c *Checkpoint) (p progress, err error) {
	switch format, err := strconv.Atoi(m["format"]); {
	case err != nil || format < 1:
		return p, errors.New("it has no format number")
	case format > Format:
		return p, errNewer
	}
	for key, v := range p.fields(c) {
		text, there := m[key]
		bad := false
		switch v := v.(type) {
		case *string:
			*v = text
		case *int:
			if *v, err = strconv.Atoi(text); there || key != "chosen" {
				bad = err != nil || *v < 0
			}
		case *float64:
			*v, err = strconv.ParseFloat(text, 64)
			bad = err != nil
		}
		if bad {
			return p, fmt.Errorf("%s is %q, not a number", key, text)
		}
	}
	if p.state != Unfinished && p.state != Finished && p.state != Diverged {
		return p, fmt.Errorf("state is %q", p.state)
	}
	return p, nil
}

// check checks that a checkpoint belongs to the run of c, with numbers of epochs that
// Finish could have written.
func (p progress) check(c *Config, at *Checkpoint) error {
	chosen := at.Epoch
	if c.General().Select == Best && at.BestEpoch > 0 {
		chosen = at.BestEpoch
	}
	switch {
	case p.config != c.Digest:
		return errors.New("it belongs to another run")
	case at.BestEpoch > at.Epoch || at.Epoch > c.Epochs():
		return fmt.Errorf("epoch %d with the best one %d, of %d", at.Epoch, at.BestEpoch, c.Epochs())
	case p.chosen != 0 && p.chosen != chosen:
		return fmt.Errorf("its chosen epoch is %d, but select=%[3]s chooses epoch %[2]d", p.chosen, chosen, c.General().Select)
	}
	return nil
}

// State is how far a run has been trained.
type State string

// The states of a run.
const (
	Created    State = "created"    // no whole epoch yet
	Unfinished State = "unfinished" // some whole epochs
	Training   State = "training"   // a process is training it, see Present
	Finished   State = "finished"
	Diverged   State = "diverged" // stopped because its loss exploded
	Damaged    State = "damaged"  // its last checkpoint or its metrics are missing or unreadable
)

// String returns the state as shown to the user: a Created run is unfinished.
func (s State) String() string {
	if s == Created {
		s = Unfinished
	}
	return string(s)
}

// Status is the state of a run with its epochs and message.
type Status struct {
	State   State
	Epoch   int    // whole epochs done
	Epochs  int    // epochs requested
	Message string // why it diverged, or which file is damaged
}

func (s Status) String() string {
	switch s.State {
	case Finished:
		return string(s.State)
	case Diverged, Damaged:
		return fmt.Sprintf("%s: %s", s.State, s.Reason())
	}
	return fmt.Sprintf("%s (epoch %d of %d)", s.State, s.Epoch, s.Epochs)
}

// Reason returns the message of a diverged or damaged run without the leading word "diverged".
func (s Status) Reason() string { return strings.TrimPrefix(s.Message, string(Diverged)+" ") }

// Converged reports whether a run that counts n-grams finished before its last epoch,
// because its solver converged.
func (r *Run) Converged() bool {
	return r.Config.Counts() && r.Status.State == Finished && r.Status.Epoch < r.Status.Epochs
}

// Present returns the current status, which is Training if a process holds an unfinished run.
func (r *Run) Present() Status {
	s := r.Status
	if (s.State == Created || s.State == Unfinished) && r.Held() != nil {
		s.State = Training
	}
	return s
}

// readProgress reads the metadata of the last checkpoint, without its tensors and thus
// without checking its checksum. Without a checkpoint the state is Created.
func (r *Run) readProgress() (progress, Checkpoint, error) {
	path := r.file(CheckpointFile(Last))
	f, err := r.folder().Open(CheckpointFile(Last))
	if err = r.missing(Last, err); errors.Is(err, fs.ErrNotExist) {
		return progress{state: Created}, Checkpoint{}, nil
	}
	if err != nil {
		return progress{}, Checkpoint{}, err
	}
	defer f.Close()
	m, err := safetensors.ReadMetadata(f)
	if err != nil {
		return progress{}, Checkpoint{}, &DamagedError{path, err}
	}
	var c Checkpoint
	p, err := parseProgress(m, &c)
	if err == nil {
		err = p.check(&r.Config, &c)
	}
	return p, c, asDamage(path, err)
}
