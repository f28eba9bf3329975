package training

import (
	"errors"
	"fmt"
	"io/fs"
	"path/filepath"
	"time"

	"imdbexp/internal/simd"
	"imdbexp/runs"
)

// open creates or opens the folder of the run and loads its state into the session. origin is as in
// Started.
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
		err = cannotResume(found, err)
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
	if err := s.load(from); err != nil {
		if from.Step > 0 {
			err = fmt.Errorf("%w; it is inside an epoch: remove %s to train that epoch again", err, filepath.Join(s.writer.Path(), runs.StepFile))
		}
		return "", errors.Join(err, s.writer.Close())
	}
	return origin, nil
}

// create creates the folder of the run, with the epochs of a shorter run if there is one.
func (s *session) create(c runs.Config, env runs.Environment) (from *runs.Checkpoint, origin string, err error) {
	shorter := runs.Shorter(s.Dir, &c)
	if shorter != nil {
		s.writer, from, err = runs.Extend(s.Dir, c, env, shorter)
		if !lost(err) {
			return from, shorter.Label(), err
		}
		s.note("%s cannot be extended: %v; training starts from the beginning", shorter.Label(), err)
	}
	s.writer, err = runs.Create(s.Dir, c, env)
	return nil, "", err
}

// load sets weights, optimiser and the sums of the current epoch from a checkpoint.
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

// took records the time that this part of the run has taken. It does not for a run that extends
// another one, where the sum would be incomplete.
func (s *session) took(origin string, d time.Duration) {
	if origin != "" && origin != resumed {
		return
	}
	if err := s.writer.Took(d.Seconds()); err != nil {
		s.note("the training time was not recorded: %v", err)
	}
}

// resumed is the origin of a run that continues.
const resumed = "resumed"

// note calls the hook for notes.
func (s *session) note(format string, args ...any) {
	if s.hooks.Note != nil {
		s.hooks.Note(fmt.Sprintf(format, args...))
	}
}

// lost reports whether the error is about a file of a run that is damaged or missing.
func lost(err error) bool {
	return runs.IsDamage(err) || errors.Is(err, fs.ErrNotExist)
}

// cannotResume adds advice to the error of a run whose files are lost.
func cannotResume(r *runs.Run, err error) error {
	if lost(err) {
		return fmt.Errorf("%s cannot be resumed: %w. Train it again with --force", r.Label(), err)
	}
	return err
}
