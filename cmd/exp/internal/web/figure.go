package web

import (
	"net/http"

	"imdbexp/report/figures"
)

// figure draws one figure of a run as reports do: ?run=NAME/ID&kind=curves.
func (s *Server) figure(w http.ResponseWriter, r *http.Request) error {
	e, err := s.entry(r)
	if err != nil {
		return err
	}
	kind := r.URL.Query().Get("kind")
	if kind != "curves" && kind != "entropy" {
		return refuse(http.StatusBadRequest, "kind is curves or entropy")
	}
	select { // drawing takes memory: one at a time
	case s.drawing <- struct{}{}:
		defer func() { <-s.drawing }()
	case <-r.Context().Done():
		return nil
	}
	f, ok := figures.OfRun(e.run, kind)
	if !ok {
		return refuse(http.StatusNotFound, "%s has no such figure", e.key)
	}
	svg, err := f.Standalone()
	if err != nil {
		return refuse(http.StatusUnprocessableEntity, "%s: %s", e.key, s.catalog.public(err.Error()))
	}
	h := w.Header()
	h.Set("Content-Type", "image/svg+xml")
	h.Set("Content-Security-Policy", "default-src 'none'; style-src 'unsafe-inline'; sandbox")
	w.Write([]byte(svg))
	return nil
}
