package web

import (
	"context"
	"net/url"
	"time"

	"imdbexp/cmd/exp/internal/web/ask"
)

// NewRate returns a rate with a clock of the test's own.
func NewRate(perSecond, most float64, clients int, now func() time.Time) func(string) bool {
	return (&rate{perSecond: perSecond, most: most, clients: clients, now: now}).allow
}

// LRU is an lru of strings.
type LRU struct{ l lru[string] }

// NewLRU returns one of a size.
func NewLRU(most int, drop func(string)) *LRU { return &LRU{lru[string]{most: most, drop: drop}} }

// Get returns the value of a key.
func (l *LRU) Get(key string) (string, bool) { return l.l.get(key) }

// Put keeps a value.
func (l *LRU) Put(key, value string) { l.l.put(key, value) }

// Canonical parses the query of a link and writes it again.
func Canonical(q url.Values) url.Values { return parseView(q).query() }

// Compare is what rows are sorted by.
var Compare = compare

// Columns of the table.
var Columns = columns

// Rows returns the rows that a query shows.
func (s *Server) Rows(query string) []Row {
	q, _ := url.ParseQuery(query)
	var out []Row
	for _, e := range parseView(q).rows(s.catalog.fresh()) {
		out = append(out, e.row)
	}
	return out
}

// Same reports whether two looks at the folder found nothing changed.
func (s *Server) Same() bool {
	before := s.catalog.fresh()
	time.Sleep(s.o.Every)
	return s.catalog.fresh() == before
}

// NewStreams returns what opens streams of clients, of which so many may be open.
func NewStreams(most int) func(client string) (context.Context, func()) {
	s := &streams{most: most}
	return func(client string) (context.Context, func()) { return s.join(context.Background(), client) }
}

// SetPatience changes how long a request may take to come.
func (s *Server) SetPatience(d time.Duration) { s.patience = d }

// MostWords is of a model with these heads.
func MostWords(heads ...int) int { return ask.MostWords(heads, maxPairs) }

// SetPairs changes how many pairs of words a model may weigh.
func (s *Server) SetPairs(n float64) { s.oracle.pairs = n }

// SetWait changes how long a training waits for the one before.
func (s *Server) SetWait(d time.Duration) { s.trainer.wait = d }

// Models returns how many models are open.
func (s *Server) Models() int { return len(s.oracle.models.items) }

// MaxStreams and others are bounds that tests go to.
const (
	MaxStreams = maxStreams
	PageRows   = pageRows
	MaxChosen  = maxChosen
	MaxText    = maxText
	MaxModels  = maxModels
	MaxTrained = maxTrained
	MaxWaiting = maxWaiting
	Burst      = burst
)
