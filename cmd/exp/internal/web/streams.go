package web

import (
	"context"
	"slices"
	"sync"
)

// streams bounds how many streams of events are open at once. One too many does not keep
// the newcomer out, who may be the owner: the oldest stream of the client that has most of
// them ends.
type streams struct {
	most int

	mu   sync.Mutex
	open []*stream // the oldest first
}

type stream struct {
	client string
	end    context.CancelFunc
}

// join opens a stream of a client, which lasts until the context it returns ends; leave
// closes it.
func (s *streams) join(ctx context.Context, client string) (_ context.Context, leave func()) {
	ctx, end := context.WithCancel(ctx)
	one := &stream{client, end}
	s.mu.Lock()
	defer s.mu.Unlock()
	s.open = append(s.open, one)
	if len(s.open) > s.most {
		s.drop(s.crowded())
	}
	return ctx, func() {
		s.mu.Lock()
		defer s.mu.Unlock()
		s.drop(one)
	}
}

// crowded returns the oldest stream of the client with most of them, never the newest.
func (s *streams) crowded() *stream {
	n := map[string]int{}
	for _, o := range s.open {
		n[o.client]++
	}
	oldest := s.open[0]
	for _, o := range s.open[:len(s.open)-1] {
		if n[o.client] > n[oldest.client] {
			oldest = o
		}
	}
	return oldest
}

func (s *streams) drop(one *stream) {
	one.end()
	s.open = slices.DeleteFunc(s.open, func(o *stream) bool { return o == one })
}
