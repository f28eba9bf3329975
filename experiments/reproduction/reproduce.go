// Package reproduction trains a kept run again and compares the files of both runs.
package reproduction

import (
	"context"
	"crypto/sha256"
	"encoding/binary"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"slices"
	"strings"

	"imdbexp/dataset/folder"
	"imdbexp/experiments"
	"imdbexp/experiments/plan"
	"imdbexp/experiments/training"
	"imdbexp/runs"
)

// Result is the outcome of training a run again.
type Result struct {
	Epochs     int         // whole epochs trained again
	Same       []string    // files with the same content
	Skipped    []string    // files that were not compared, each with the reason
	Difference *Difference // the first one found; nil if there is none
}

// Difference is the first file of a run that training again does not reproduce.
type Difference struct {
	File  string
	Epoch int // first epoch that differs; 0 if the file does not belong to an epoch
}

func (d *Difference) String() string {
	if d.Epoch == 0 {
		return d.File
	}
	return fmt.Sprintf("%s, epoch %d", d.File, d.Epoch)
}

// errEnough stops the training when there is nothing left to compare.
var errEnough = errors.New("enough epochs to compare")

// Again trains a kept run again and compares the files of both runs. The runner must write
// to another folder than that of kept; p is plan.Of the kept configuration. The training
// stops at the first epoch whose metrics differ, or after that many epochs if epochs > 0.
func Again(ctx context.Context, r *training.Runner, kept *runs.Run, p *plan.Plan, epochs int, h training.Hooks) (*Result, error) {
	trained := kept.Status.Epoch
	if kept.Status.State == runs.Damaged {
		return nil, fmt.Errorf("%s is %s: it cannot be compared", kept.Label(), kept.Status)
	}
	if trained == 0 && kept.Status.State != runs.Diverged {
		return nil, fmt.Errorf("%s has not completed an epoch yet: there is nothing to compare", kept.Label())
	}
	metrics, err := kept.MetricsText()
	if err != nil {
		return nil, err
	}
	j, err := r.Job(ctx, p)
	if err != nil {
		c := &kept.Config
		data := fmt.Sprintf("data=%s (%d + %d %s)", c.Data.Name, c.Data.Train.Reviews, c.Data.Test.Reviews, c.Data.Unit())
		for _, k := range slices.Sorted(maps.Keys(c.Digests)) {
			data += fmt.Sprintf(", %s %.12s", k, c.Digests[k])
		}
		return nil, fmt.Errorf("%s was trained on %s: %w", kept.Label(), data, err)
	}
	for _, k := range slices.Sorted(maps.Keys(kept.Config.Digests)) {
		if own, installed := kept.Config.Digests[k], j.Config.Digests[k]; own != installed {
			return nil, fmt.Errorf("%s was trained on another %s=%s: its content had the digest %.12s, the installed one has %.12s; "+
				"check it with exp data check and install the content that the run was trained on",
				kept.Label(), k, kept.Config.Setting(k), own, installed)
		}
	}
	// A run that has ended is trained to its own end, for example by patience.
	ended := kept.Status.State != runs.Unfinished && (epochs == 0 || epochs >= trained)
	limit := trained
	if epochs > 0 {
		limit = min(limit, epochs)
	}
	out := &Result{}
	inner, stop := context.WithCancelCause(ctx)
	defer stop(nil)
	lines := slices.Collect(strings.Lines(string(metrics)))
	hooks := h
	hooks.Epoch = func(m runs.Metrics, t runs.Timing) {
		if h.Epoch != nil {
			h.Epoch(m, t)
		}
		out.Epochs = m.Epoch
		line, err := m.Line()
		if err != nil {
			stop(err)
			return
		}
		if m.Epoch > len(lines) || !SameLine(lines[m.Epoch-1], string(line)) {
			out.Difference = &Difference{runs.MetricsFile, m.Epoch}
		}
		if out.Difference != nil || !ended && m.Epoch == limit {
			stop(errEnough)
		}
	}
	_, err = r.Run(inner, p, hooks)
	_, diverged := errors.AsType[*training.DivergedError](err)
	stopped := errors.Is(context.Cause(inner), errEnough) && errors.Is(err, context.Canceled)
	if err != nil && !diverged && !stopped {
		return nil, err
	}
	if out.Difference != nil {
		return out, nil
	}
	again, err := runs.Lookup(r.Dir, &j.Config)
	if err != nil {
		return nil, err
	}
	return out, out.compare(kept, again, ended)
}

// Cited returns the plan whose run has the ID of a citation. It tries the runs that the
// assignments name; without assignments it tries every optimiser and variant of the
// experiment, on the sample and on IMDB.
func Cited(ctx context.Context, r *training.Runner, c runs.Citation, assignments []string, auto string) (*plan.Plan, error) {
	plans, err := candidates(ctx, c.Name, assignments, auto)
	if err != nil {
		return nil, err
	}
	if _, err := (&plan.Adapter{Dir: r.Loader.Dir}).Adapt(ctx, plans); err != nil {
		return nil, err
	}
	var missing error
	for _, p := range plans {
		j, err := r.Job(ctx, p)
		if _, lacks := errors.AsType[*folder.NotInstalledError](err); lacks {
			missing = err // another candidate may not need these data
			continue
		}
		if err != nil {
			return nil, err
		}
		if strings.HasPrefix(j.Config.ID, c.ID) {
			return p, nil
		}
	}
	err = fmt.Errorf("%s is none of the %d runs of %s that were tried: give its settings as key=value. "+
		"An ID also depends on the content of the data and on the result version of the program (%d)", c, len(plans), c.Name, runs.ResultVersion)
	return nil, errors.Join(err, missing)
}

// candidates returns the plans among which Cited looks for a run.
func candidates(ctx context.Context, name string, assignments []string, auto string) (plans []*plan.Plan, err error) {
	if len(assignments) > 0 {
		return plan.Resolve(ctx, append([]string{name}, assignments...), auto)
	}
	e, err := experiments.Lookup(name)
	if err != nil {
		return nil, err
	}
	words := []string{name, "variant=" + strings.Join(append([]string{"default"}, e.Variants()...), ",")}
	var optimizers []string
	for _, row := range e.Rows {
		optimizers = append(optimizers, row.Optimizer)
	}
	if len(optimizers) > 0 {
		words = append(words, "optimizer="+strings.Join(optimizers, ","))
	}
	for _, data := range []string{"sample", "imdb"} { // imdb last: if it is not installed, its error says how to get it
		more, err := plan.Resolve(ctx, words, data)
		if err != nil {
			return nil, err
		}
		plans = append(plans, more...)
	}
	return plans, nil
}

const (
	configFile = "config.yaml"
	absent     = "" // digest of a file that does not exist
)

// compare compares the files of two runs until one differs. ended means that both runs were
// trained to their end.
func (o *Result) compare(kept, again *runs.Run, ended bool) error {
	for _, lines := range []struct {
		file        string
		kept, again func() ([]byte, error)
	}{
		{runs.MetricsFile, kept.MetricsText, again.MetricsText},
		{runs.EntropyFile, kept.EntropyText, again.EntropyText},
		{runs.TestedFile, kept.TestedText, again.TestedText}, // empty before the end
	} {
		if err := o.compareLines(lines.file, lines.kept, lines.again, ended); err != nil || o.Difference != nil {
			return err
		}
	}
	answers := kept.Config.Task().Answers
	switch {
	case ended:
		o.compareDigests(answers, textDigest(kept.AnswersText), textDigest(again.AnswersText))
	case kept.Status.State != runs.Unfinished: // trained again in part
		o.Skipped = append(o.Skipped, answers+" (written at the end of a run)")
	}
	for _, which := range []string{runs.Last, runs.Best} {
		a, epochA := checkpointDigest(kept, which)
		b, epochB := checkpointDigest(again, which)
		if ended && which == runs.Last { // the last checkpoint also says how the run ended
			a, b = a+ending(kept), b+ending(again)
		}
		if a != absent && b != absent && epochA != epochB && !ended {
			o.Skipped = append(o.Skipped, fmt.Sprintf("%s (of epoch %d)", runs.CheckpointFile(which), epochA))
			continue
		}
		o.compareDigests(runs.CheckpointFile(which), a, b)
		if d := o.Difference; d != nil && d.File == runs.CheckpointFile(which) {
			d.Epoch = epochB
		}
	}
	if words := kept.CheckWords(); errors.Is(words, fs.ErrNotExist) {
		o.Skipped = append(o.Skipped, words.Error())
	} else if words != nil {
		return words
	}
	o.compareDigests(configFile, identity(&kept.Config), identity(&again.Config))
	return nil
}

// compareDigests records a file as the same or as the first difference. A file that neither
// run has is ignored.
func (o *Result) compareDigests(file, kept, again string) {
	switch {
	case o.Difference != nil || kept == absent && again == absent:
	case kept == again:
		o.Same = append(o.Same, file)
	default:
		o.Difference = &Difference{File: file}
	}
}

// compareLines compares a file that has lines for each epoch. Without all, the run trained
// again may have fewer epochs.
func (o *Result) compareLines(file string, readKept, readAgain func() ([]byte, error), all bool) error {
	a, errA := readKept()
	b, errB := readAgain()
	if err := errors.Join(errA, errB); err != nil {
		return err
	}
	kept, again := slices.Collect(strings.Lines(string(a))), slices.Collect(strings.Lines(string(b)))
	if !all {
		kept = kept[:min(len(kept), len(again))]
	}
	i := 0
	for i < min(len(kept), len(again)) && SameLine(kept[i], again[i]) {
		i++
	}
	switch longer := slices.MaxFunc([][]string{again, kept}, func(x, y []string) int { return len(x) - len(y) }); {
	case i < len(longer):
		var line struct{ Epoch int }
		_ = json.Unmarshal([]byte(longer[i]), &line) // a damaged line has no epoch
		o.Difference = &Difference{file, line.Epoch}
	case len(kept) > 0:
		o.Same = append(o.Same, file)
	}
	return nil
}

// SameLine reports whether two lines of JSON have the same values. A metric that only again has is no
// difference: the kept run is older than the metric.
func SameLine(kept, again string) bool {
	if kept == again {
		return true
	}
	var a, b map[string]json.RawMessage
	if errors.Join(json.Unmarshal([]byte(kept), &a), json.Unmarshal([]byte(again), &b)) != nil {
		return false
	}
	maps.DeleteFunc(b, func(key string, _ json.RawMessage) bool { return a[key] == nil })
	return maps.EqualFunc(a, b, func(x, y json.RawMessage) bool { return string(x) == string(y) })
}

// textDigest returns the digest of a file as a run reads it. A file that cannot be read has
// the error as its digest: it differs from every file.
func textDigest(read func() ([]byte, error)) string {
	b, err := read()
	switch {
	case errors.Is(err, fs.ErrNotExist) || err == nil && b == nil:
		return absent
	case err != nil:
		return err.Error()
	}
	sum := sha256.Sum256(b)
	return hex.EncodeToString(sum[:])
}

// checkpointDigest returns the digest of the content of a checkpoint, and its epoch. The file
// itself also has the length of timing.jsonl, which differs.
func checkpointDigest(r *runs.Run, which string) (digest string, epoch int) {
	c, err := r.Checkpoint(which)
	if errors.Is(err, fs.ErrNotExist) {
		return absent, 0
	}
	if err != nil {
		return err.Error(), 0
	}
	h := sha256.New()
	fmt.Fprintln(h, c.Epoch, c.Step, c.BestEpoch, c.BestScore, c.Wait)
	tensors := slices.Concat(c.Params, c.States, c.Optim)
	slices.SortFunc(tensors, func(a, b runs.Tensor) int { return strings.Compare(a.Name, b.Name) })
	for _, t := range tensors {
		fmt.Fprintf(h, "%q %T %v\n", t.Name, t.Data, t.Shape)
		_ = binary.Write(h, binary.LittleEndian, t.Data) // a hash returns no errors
	}
	return hex.EncodeToString(h.Sum(nil)), c.Epoch
}

// ending describes how a run ended and which epoch was chosen.
func ending(r *runs.Run) string {
	return fmt.Sprintf(" %s %d %q %d", r.Status.State, r.Status.Epoch, r.Status.Message, r.ChosenEpoch())
}

// identity returns the fields of config.yaml that identify a run; the published row and who set each
// setting do not.
func identity(c *runs.Config) string {
	return fmt.Sprintf("%q %q %q %+v %s %s %d", c.Name, c.Model, c.Classes, c.Data, c.Table, c.Digest, c.Result)
}
