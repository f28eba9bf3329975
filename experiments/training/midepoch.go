package training

import (
	"context"
	"errors"
	"time"

	"imdbexp/runs"
)

// midEpoch decides when checkpoints are saved inside the current epoch.
type midEpoch struct {
	every time.Duration // 0: only when the run is interrupted
	next  time.Time
}

// exactBelow is the interval below which every is used exactly. Above it, writing checkpoints takes
// at most a hundredth of the time, however large they are and however slow the disk.
const exactBelow = time.Second

// due reports whether it is time for a checkpoint.
func (m *midEpoch) due() bool { return m.every > 0 && !time.Now().Before(m.next) }

// wait sets the time of the next checkpoint, after one that took that long.
func (m *midEpoch) wait(took time.Duration) {
	every := m.every
	if every >= exactBelow {
		every = max(every, 100*took)
	}
	m.next = time.Now().Add(every)
}

// pass trains on all of train, or on the rest of an interrupted epoch.
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
			s.saveStep()
			s.midEpoch.wait(time.Since(start))
		}
	})
}

// saveStep writes a checkpoint inside the epoch. If that fails the run continues: the checkpoint
// before it is still there.
func (s *session) saveStep() {
	c := runs.Checkpoint{Epoch: s.at.Epoch, BestEpoch: s.at.BestEpoch, BestScore: s.at.BestScore, Wait: s.at.Wait}
	s.learner.save(&c)
	s.sum.save(&c)
	if err := s.into.Step(&c); err != nil {
		s.note("no checkpoint inside epoch %d: %v", s.at.Epoch+1, err)
	}
}

// interrupted saves the steps so far if err says that the run was asked to stop. After any other
// error the weights may be wrong.
func (s *session) interrupted(ctx context.Context, err error) {
	if ctx.Err() != nil && errors.Is(err, ctx.Err()) && s.sum.steps > 0 {
		s.saveStep()
	}
}
