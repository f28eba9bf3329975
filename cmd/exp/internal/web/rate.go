package web

import (
	"sync"
	"time"
)

// rate bounds how often each client may ask: a bucket of tokens that fills again
// at a steady rate (the token bucket of Turner 1986).
type rate struct {
	perSecond, most float64
	clients         int              // kept in mind at once
	now             func() time.Time // time.Now but in tests

	mu      sync.Mutex
	buckets map[string]bucket
}

type bucket struct {
	tokens float64
	at     time.Time
}

// allow takes a token of the client's bucket and reports whether there was one.
func (l *rate) allow(client string) bool {
	l.mu.Lock()
	defer l.mu.Unlock()
	now := l.now()
	b, ok := l.buckets[client]
	if !ok {
		l.forget(now)
		b = bucket{l.most, now}
	}
	b.tokens = min(l.most, b.tokens+l.perSecond*now.Sub(b.at).Seconds())
	b.at = now
	allowed := b.tokens >= 1
	if allowed {
		b.tokens--
	}
	l.buckets[client] = b
	return allowed
}

// forget makes room for another client: full buckets need not be kept, and if
// none is full all go.
func (l *rate) forget(now time.Time) {
	if l.buckets == nil {
		l.buckets = map[string]bucket{}
	}
	if len(l.buckets) < l.clients {
		return
	}
	for c, b := range l.buckets {
		if b.tokens+l.perSecond*now.Sub(b.at).Seconds() >= l.most {
			delete(l.buckets, c)
		}
	}
	if len(l.buckets) >= l.clients {
		clear(l.buckets)
	}
}
