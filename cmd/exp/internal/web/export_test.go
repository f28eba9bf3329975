package web

import (
	"time"

	"imdbexp/cmd/exp/internal/web/page"
)

// Rows returns the lines of the table, newest first.
func (s *Server) Rows() []page.Row {
	out := []page.Row{}
	now := s.catalog.scan()
	for _, key := range now.Order {
		out = append(out, now.byKey[key].Row)
	}
	return out
}

// Same reports whether two scans of the folder found nothing changed.
func (s *Server) Same() bool {
	before := s.catalog.scan()
	time.Sleep(s.o.Every)
	return s.catalog.scan() == before
}

// SetWait changes how long a training waits for the one before.
func (s *Server) SetWait(d time.Duration) { s.trainer.wait = d }

// Models returns how many models are open.
func (s *Server) Models() int { return s.models.open.Len() }
