package runs

import (
	"errors"
	"fmt"
	"io/fs"
	"strconv"
	"strings"

	"imdbexp/internal/safetensors"
)

// progress is what a checkpoint records about its run rather than its model.
type progress struct {
	config  string // digest of the configuration
	metrics int64  // length of metrics.jsonl
	entropy int64  // length of entropy.jsonl
	state   State  // Unfinished, Finished or Diverged
	message string // why it diverged
	chosen  int    // when finished: the epoch that counts
}

var errNewer = errors.New("written by a newer version of exp; update exp")

// metadata encodes the progress and the position of c.
func (p progress) metadata(c *Checkpoint) map[string]string {
	m := map[string]string{
		"format":         strconv.Itoa(Format),
		"config":         p.config,
		"epoch":          strconv.Itoa(c.Epoch),
		"step":           strconv.Itoa(c.Step),
		"best_epoch":     strconv.Itoa(c.BestEpoch),
		"best_score":     strconv.FormatFloat(c.BestScore, 'g', -1, 64),
		"wait":           strconv.Itoa(c.Wait),
		"metrics_length": strconv.FormatInt(p.metrics, 10),
		"entropy_length": strconv.FormatInt(p.entropy, 10),
		"state":          string(p.state),
	}
	if p.message != "" {
		m["message"] = p.message
	}
	if p.chosen != 0 {
		m["chosen"] = strconv.Itoa(p.chosen)
	}
	return m
}

// parseProgress decodes metadata, and the position into c.
func parseProgress(m map[string]string, c *Checkpoint) (progress, error) {
	var errs []error
	number := func(key string) int {
		n, err := strconv.Atoi(m[key])
		if err != nil || n < 0 {
			errs = append(errs, fmt.Errorf("%s is %q, not a number", key, m[key]))
		}
		return n
	}
	switch format := number("format"); {
	case len(errs) > 0 || format < 1:
		return progress{}, errors.New("it has no format number")
	case format > Format:
		return progress{}, errNewer
	}
	c.Epoch, c.Step, c.Wait = number("epoch"), number("step"), number("wait")
	c.BestEpoch = number("best_epoch")
	var err error
	if c.BestScore, err = strconv.ParseFloat(m["best_score"], 64); err != nil {
		errs = append(errs, err)
	}
	p := progress{
		config: m["config"], state: State(m["state"]), message: m["message"],
		metrics: int64(number("metrics_length")), entropy: int64(number("entropy_length")),
	}
	if m["chosen"] != "" {
		p.chosen = number("chosen")
	}
	if p.state != Unfinished && p.state != Finished && p.state != Diverged {
		errs = append(errs, fmt.Errorf("state is %q", m["state"]))
	}
	return p, errors.Join(errs...)
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
		return fmt.Errorf("it says that epoch %d counts, but by select=%[3]s that is epoch %[2]d", p.chosen, chosen, c.General().Select)
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
