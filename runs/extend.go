package runs

import (
	"errors"
	"fmt"
	"io"
	"os"
	"slices"

	"imdbexp/internal/fsx"
)

// prefixSchedules are the courses of the learning rate that do not depend on
// how many epochs there will be.
var prefixSchedules = []string{"", "constant", "step"}

// Shorter returns the longest finished run under dir of which c is only an
// extension: the same but for fewer epochs, with a schedule of the learning rate
// that does not know the end. It returns nil when there is none.
func Shorter(dir string, c *Config) (*Run, error) {
	if !slices.Contains(prefixSchedules, c.Setting("schedule")) {
		return nil, nil
	}
	all, err := List(dir)
	var longest *Run
	for _, r := range all {
		same := r.Config.Lineage == c.Lineage && r.Config.Name == c.Name && r.Config.Result == c.Result && r.Config.Model == c.Model
		if !same || r.Status.State != Finished || r.Config.Epochs() >= c.Epochs() {
			continue
		}
		if longest == nil || r.Status.Epoch > longest.Status.Epoch {
			longest = r
		}
	}
	if longest != nil {
		err = nil // what cannot be read elsewhere is not in the way
	}
	return longest, err
}

// Extend starts the run of c under dir with the epochs of a shorter one (see
// Shorter) and returns the checkpoint to go on from.
func Extend(dir string, c Config, e Environment, shorter *Run) (_ *Writer, _ *Checkpoint, err error) {
	if shorter.Config.Lineage != c.Lineage || shorter.Config.Epochs() >= c.Epochs() {
		return nil, nil, fmt.Errorf("runs: %s is not a shorter run of %s/%s", shorter.Label(), c.Name, c.ID)
	}
	last, p, err := shorter.read(Last)
	if err != nil {
		return nil, nil, err
	}
	var best *Checkpoint
	if last.BestEpoch > 0 {
		if best, err = shorter.Checkpoint(Best); err != nil {
			return nil, nil, err
		}
	}
	w, err := Create(dir, c, e)
	if err != nil {
		return nil, nil, err
	}
	if err := w.adopt(shorter, p, last, best); err != nil {
		return nil, nil, errors.Join(err, w.Close())
	}
	return w, last, nil
}

// adopt commits the epochs of another run as this one's. best may be nil.
func (w *Writer) adopt(r *Run, p progress, last, best *Checkpoint) error {
	timing, err := timingLength(r.file(timingFile), last.Epoch)
	if err != nil {
		return err
	}
	for _, f := range []struct {
		to     *fsx.Appender
		name   string
		length int64
	}{
		{w.lines.metrics, metricsFile, p.metrics},
		{w.lines.timing, timingFile, timing},
		{w.lines.entropy, entropyFile, p.entropy},
	} {
		if err := copyLines(f.to, r.file(f.name), f.length); err != nil {
			return err
		}
	}
	own := w.progress(Unfinished)
	if best != nil {
		if err := writeCheckpoint(w.file(checkpointFile(Best)), best, own); err != nil {
			return err
		}
	}
	if err := w.last(last, own); err != nil {
		return err
	}
	w.epoch = last.Epoch
	return nil
}

func copyLines(to *fsx.Appender, path string, length int64) error {
	f, err := os.Open(path)
	if err != nil {
		return err
	}
	defer f.Close()
	if _, err := io.CopyN(to, f, length); err != nil {
		return fmt.Errorf("%s: %w", path, err)
	}
	return to.Sync()
}
