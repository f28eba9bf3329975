package training

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"path/filepath"
	"time"

	"imdbexp/internal/simd"
	"imdbexp/runs"
)

// record receives the results of a session.
type record interface {
	// Epoch commits a whole epoch; best says that it has the best score so far.
	Epoch(m runs.Metrics, t runs.Timing, h []runs.Histogram, c *runs.Checkpoint, best bool) error
	// Step saves a checkpoint inside the epoch after the last whole one.
	Step(c *runs.Checkpoint) error
	// Tested saves the test results of the chosen epoch, if its metrics lack them.
	Tested(m runs.Metrics) error
	// Finish ends the run; a is nil with test=never.
	Finish(a runs.Answers) error
	// best returns the checkpoint of the best epoch.
	best() (*runs.Checkpoint, error)
}

// folder is the folder of a run.
type folder struct{ *runs.Writer }

func (f folder) best() (*runs.Checkpoint, error) {
	run, err := runs.Open(f.Path())
	if err != nil {
		return nil, err
	}
	c, err := run.Checkpoint(runs.Best)
	return c, cannotResume(run, err)
}

// Memory is a run without a folder, as in a browser. It has the content of its files.
type Memory struct {
	Config  runs.Config
	Metrics []byte // metrics.jsonl
	Test    []byte // test.json; nil if the run has none
	Answers runs.Answers

	see func(*runs.Checkpoint) error
}

// InMemory trains the job without a folder. see is called before the first epoch and after each
// epoch, with weights that share the network's memory.
func (j *Job) InMemory(ctx context.Context, h Hooks, see func(*runs.Checkpoint) error) (*Memory, error) {
	if j.Plan.Run.Select == "best" {
		return nil, fmt.Errorf("%s: select=best needs an earlier checkpoint, which only a run folder has", j.Plan.Experiment.Name)
	}
	s, err := j.session(ctx, h)
	if err != nil {
		return nil, err
	}
	defer s.close()
	m := &Memory{Config: j.Config, see: see}
	s.into = m
	s.started(&m.Config, "")
	var c runs.Checkpoint
	s.learner.save(&c)
	if err := see(&c); err != nil {
		return nil, err
	}
	if err := s.train(ctx); err != nil {
		if d, ok := errors.AsType[*DivergedError](err); ok {
			return nil, diverged(j.Plan, d.Message, s.at.Epoch)
		}
		return nil, err
	}
	return m, s.finish(ctx)
}

// Epoch implements record.
func (m *Memory) Epoch(metrics runs.Metrics, _ runs.Timing, _ []runs.Histogram, c *runs.Checkpoint, _ bool) error {
	line, err := metrics.Line()
	if err != nil {
		return err
	}
	m.Metrics = append(m.Metrics, line...)
	return m.see(c)
}

// Step implements record: a run in memory cannot be resumed.
func (*Memory) Step(*runs.Checkpoint) error { return nil }

// Tested implements record.
func (m *Memory) Tested(metrics runs.Metrics) (err error) {
	m.Test, err = metrics.Line()
	return err
}

// Finish implements record.
func (m *Memory) Finish(a runs.Answers) error {
	m.Answers = a
	return nil
}

func (*Memory) best() (*runs.Checkpoint, error) { return nil, errors.ErrUnsupported }

// Citation returns how to cite the run.
func (m *Memory) Citation() runs.Citation { return m.Config.Cite(m.Metrics, m.Test) }

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
