package runs

import (
	"errors"
	"fmt"
	"io/fs"
	"strings"

	"imdbexp/internal/safetensors"
)

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
	Message string // why it diverged, or what is damaged
}

func (s Status) String() string {
	switch s.State {
	case Created, Unfinished, Training:
		return fmt.Sprintf("%s (epoch %d of %d)", s.State, s.Epoch, s.Epochs)
	case Diverged, Damaged:
		return fmt.Sprintf("%s: %s", s.State, s.Reason())
	}
	return string(s.State)
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
