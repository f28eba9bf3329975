package runs

import (
	"errors"
	"fmt"
	"io/fs"
	"strings"

	"imdbexp/internal/safetensors"
)

// State is how far a run got.
type State string

// The states of a run.
const (
	Created    State = "created"    // no whole epoch yet
	Unfinished State = "unfinished" // whole epochs, more to come
	Training   State = "training"   // neither finished nor stopped: a process is at it, see Present
	Finished   State = "finished"
	Diverged   State = "diverged" // stopped by a loss that is not finite, or has exploded
	Damaged    State = "damaged"  // its last checkpoint or its metrics are lost or cannot be read
)

// String is for people, to whom a run without a whole epoch is unfinished as others are.
func (s State) String() string {
	if s == Created {
		s = Unfinished
	}
	return string(s)
}

// Status is the state of a run with what belongs to it.
type Status struct {
	State   State
	Epoch   int    // whole epochs done
	Epochs  int    // epochs asked for
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

// Reason returns what the message of a diverged or damaged run says beside its state: the
// one of a diverged run begins with that word.
func (s Status) Reason() string { return strings.TrimPrefix(s.Message, string(Diverged)+" ") }

// Converged reports whether the run has ended before the epochs asked for were over because
// nothing was left to learn, as solvers of n-gram counts do.
func (r *Run) Converged() bool {
	return r.Config.Counts() && r.Status.State == Finished && r.Status.Epoch < r.Status.Epochs
}

// Present returns the status of the run at this moment: it is training where a process
// holds it that has epochs to go. Its files alone do not tell.
func (r *Run) Present() Status {
	s := r.Status
	if (s.State == Created || s.State == Unfinished) && r.Held() != nil {
		s.State = Training
	}
	return s
}

// readProgress reads what the last checkpoint says about the run, without its tensors and
// hence without its checksum. Without a checkpoint the state is Created.
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
		err = p.of(&r.Config, &c)
	}
	return p, c, asDamage(path, err)
}
