package training

import (
	"context"
	"errors"
	"fmt"

	"imdbexp/runs"
)

// record is where a session leaves what it makes.
type record interface {
	// Epoch commits a whole epoch; best says that it has the best score so far.
	Epoch(m runs.Metrics, t runs.Timing, h []runs.Histogram, c *runs.Checkpoint, best bool) error
	// Step keeps a checkpoint inside the epoch after the last whole one.
	Step(c *runs.Checkpoint) error
	// Tested keeps the test results of the epoch that counts, where its metrics lack them.
	Tested(m runs.Metrics) error
	// Finish ends the run; a is nil where test is never looked at.
	Finish(a runs.Answers) error
	// best brings back the checkpoint of the best epoch.
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
	return c, cannotGoOn(run, err)
}

// Memory is a run that is kept in no folder, as in a browser: its files would hold the same.
type Memory struct {
	Config  runs.Config
	Metrics []byte // metrics.jsonl
	Test    []byte // test.json; nil where there would be none
	Answers runs.Answers

	see func(*runs.Checkpoint) error
}

// InMemory trains the job from its beginning to its end and keeps no folder of it. see is
// called before the first epoch and after each, with weights that share the network's memory.
func (j *Job) InMemory(ctx context.Context, h Hooks, see func(*runs.Checkpoint) error) (*Memory, error) {
	if j.Plan.Run.Select == "best" {
		return nil, fmt.Errorf("%s: select=best brings an earlier checkpoint back, which only a folder keeps", j.Plan.Experiment.Name)
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

// Step implements record: who ends the training of a run in memory loses it.
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
