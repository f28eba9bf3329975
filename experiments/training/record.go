package training

import (
	"context"
	"errors"
	"fmt"

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
