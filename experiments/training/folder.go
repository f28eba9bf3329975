package training

import (
	"errors"
	"fmt"
	"io/fs"
	"time"

	"imdbexp/internal/simd"
	"imdbexp/runs"
)

// open makes the run's folder, or opens the one there is, and brings the session to
// where it stands. origin is as in Started.
func (s *session) open(c runs.Config, found *runs.Run) (origin string, err error) {
	d := s.data
	env := runs.NewEnvironment(simd.Current().String(), s.Pool.Workers(), d.Digests)
	if c.Table, err = s.learner.keep(s.Dir); err != nil {
		return "", err
	}
	var from *runs.Checkpoint
	switch {
	case s.Force:
		s.writer, err = runs.Replace(s.Dir, c, env)
	case found != nil:
		s.writer, from, err = runs.Resume(found, env)
		err = cannotGoOn(found, err)
		origin = resumed
	default:
		from, origin, err = s.create(c, env)
	}
	if err != nil {
		return "", err
	}
	s.into = folder{s.writer}
	if from == nil {
		return "", nil
	}
	if err := s.goOn(from); err != nil {
		return "", errors.Join(err, s.writer.Close())
	}
	return origin, nil
}

// create makes the run's folder, with the epochs of a shorter run where there is
// one.
func (s *session) create(c runs.Config, env runs.Environment) (from *runs.Checkpoint, origin string, err error) {
	shorter, _ := runs.Shorter(s.Dir, &c) // folders that cannot be read are not in the way
	if shorter != nil {
		s.writer, from, err = runs.Extend(s.Dir, c, env, shorter)
		if !lost(err) {
			return from, shorter.Label(), err
		}
		s.note("%s cannot be extended: %v; trains from the beginning", shorter.Label(), err)
	}
	s.writer, err = runs.Create(s.Dir, c, env)
	return nil, "", err
}

// goOn brings the learner to where a checkpoint stands. One inside an epoch that
// turns out to be of no use costs the steps of that epoch, not the run.
func (s *session) goOn(from *runs.Checkpoint) error {
	err := s.load(from)
	if err == nil || from.Step == 0 {
		return err
	}
	s.note("%v; trains epoch %d from its beginning", err, from.Epoch+1)
	// It may have filled some of the weights already.
	fresh, err := newLearner(s.plan, s.data, s.Pool, s.base)
	if err != nil {
		return err
	}
	s.learner.close()
	s.learner = fresh
	if from, err = s.writer.DropStep(); err != nil || from == nil {
		return err
	}
	return s.load(from)
}

// load sets weights, optimiser and the sums of an epoch at hand from a checkpoint.
func (s *session) load(from *runs.Checkpoint) error {
	if err := s.learner.resume(from); err != nil {
		return err
	}
	if from.Step > 0 {
		sum, err := keptSums(from, s.learner.seen(from.Step))
		if err != nil {
			return err
		}
		s.sum = *sum
	}
	s.at = *from
	return nil
}

// took keeps how long this part of the run has taken. Of a run that has its first epochs
// from another one that would not be all.
func (s *session) took(origin string, d time.Duration) {
	if origin != "" && origin != resumed {
		return
	}
	if err := s.writer.Took(d.Seconds()); err != nil {
		s.note("how long it took is not kept: %v", err)
	}
}

// resumed is the origin of a run that goes on itself.
const resumed = "resumed"

// note tells something in passing.
func (s *session) note(format string, args ...any) {
	if s.hooks.Note != nil {
		s.hooks.Note(fmt.Sprintf(format, args...))
	}
}

// lost reports whether an error is about a file of a run that is damaged or not
// there any more.
func lost(err error) bool {
	return runs.IsDamage(err) || errors.Is(err, fs.ErrNotExist)
}

// cannotGoOn says what to do about a run whose files are lost; other errors it
// leaves as they are.
func cannotGoOn(r *runs.Run, err error) error {
	if lost(err) {
		return fmt.Errorf("%s cannot go on: %w. Train it again with --force", r.Label(), err)
	}
	return err
}
