package training

import (
	"context"
	"errors"
	"time"

	"imdbexp/runs"
)

// midEpoch says when checkpoints are kept inside the epoch at hand.
type midEpoch struct {
	every time.Duration // 0: only when the run is interrupted
	next  time.Time
}

// taken is the interval under which every is taken at its word. Above it a
// checkpoint is at most a hundredth of the time, however large it is and however
// slow the disk.
const taken = time.Second

// due reports whether it is time for a checkpoint.
func (m *midEpoch) due() bool { return m.every > 0 && !time.Now().Before(m.next) }

// wait sets when the next is due, after one that took so long.
func (m *midEpoch) wait(took time.Duration) {
	every := m.every
	if every >= taken {
		every = max(every, 100*took)
	}
	m.next = time.Now().Add(every)
}

// pass trains on all of train, or on what an earlier session has left of it.
func (s *session) pass(ctx context.Context, epoch int) error {
	began, before := time.Now(), s.sum.seconds
	s.midEpoch.wait(0)
	return s.learner.epoch(ctx, epoch, &s.sum, func(at Step) {
		s.sum.seconds = before + time.Since(began).Seconds()
		if s.hooks.Step != nil {
			s.hooks.Step(at)
		}
		if s.midEpoch.due() {
			start := time.Now()
			s.keep()
			s.midEpoch.wait(time.Since(start))
		}
	})
}

// keep writes a checkpoint inside the epoch. Where that fails nothing is lost that
// there was, and the run goes on: the end of the epoch decides.
func (s *session) keep() {
	c := runs.Checkpoint{Epoch: s.at.Epoch, BestEpoch: s.at.BestEpoch, BestScore: s.at.BestScore, Wait: s.at.Wait}
	s.learner.save(&c)
	s.sum.save(&c)
	if err := s.into.Step(&c); err != nil {
		s.note("no checkpoint inside epoch %d: %v", s.at.Epoch+1, err)
	}
}

// interrupted keeps what the steps so far have given when err says that the run
// was asked to stop; any other error it leaves alone, for then the weights may be
// anything.
func (s *session) interrupted(ctx context.Context, err error) {
	if ctx.Err() != nil && errors.Is(err, ctx.Err()) && s.sum.steps > 0 {
		s.keep()
	}
}
