package reproduction

import (
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

	"imdbexp/runs"
)

const (
	configFile = "config.yaml"
	absent     = "" // digest of a file that does not exist
)

// compare compares the files of two runs until one differs. ended means that both runs were
// trained to their end.
func (o *Result) compare(kept, again *runs.Run, ended bool) error {
	err := o.compareLines(runs.MetricsFile, kept.MetricsText, again.MetricsText, ended)
	if err == nil && o.Difference == nil {
		err = o.compareLines(runs.EntropyFile, kept.EntropyText, again.EntropyText, ended)
	}
	if err != nil || o.Difference != nil {
		return err
	}
	answers := kept.Config.Task().Answers
	switch {
	case ended:
		a, b := textDigest(kept.TestedText), textDigest(again.TestedText)
		if x, err := kept.TestedText(); err == nil {
			if y, err := again.TestedText(); err == nil && SameLine(string(x), string(y)) {
				b = a
			}
		}
		o.compareDigests(runs.TestedFile, a, b)
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
	if words := kept.Words(); errors.Is(words, fs.ErrNotExist) {
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

// SameLine reports whether two lines of JSON have the same values. A metric that only the run
// trained again has is no difference: the kept one was made before there was that metric.
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

// ending describes how a run ended and which epoch counts.
func ending(r *runs.Run) string {
	return fmt.Sprintf(" %s %d %q %d", r.Status.State, r.Status.Epoch, r.Status.Message, r.ChosenEpoch())
}

// identity returns what config.yaml says about what a run is; the published row and who set a
// setting are not part of it.
func identity(c *runs.Config) string {
	return fmt.Sprintf("%q %q %q %+v %s %s %d", c.Name, c.Model, c.Classes, c.Data, c.Table, c.Digest, c.Result)
}
