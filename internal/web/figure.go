package web

import (
	"net/http"
	"slices"
	"strings"

	"imdbexp/report"
	"imdbexp/runs"
)

// figureKinds are the static figures of a run, by what their titles end in.
var figureKinds = map[string]string{"curves": "loss and accuracy", "entropy": "entropy of the attention"}

// figureStyle is what a figure needs that stands by itself: colours for light and
// dark ground, which report.Figure.Inline leaves to the page, and a font.
const figureStyle = "svg{font-family:system-ui,'Liberation Sans',Arial,sans-serif}"

// figure draws one figure of a run as reports do: ?run=NAME/ID&kind=curves.
func (s *Server) figure(w http.ResponseWriter, r *http.Request) error {
	e, err := s.entry(r)
	if err != nil {
		return err
	}
	ending, ok := figureKinds[r.URL.Query().Get("kind")]
	if !ok {
		return refuse(http.StatusBadRequest, "kind is curves or entropy")
	}
	select { // drawing takes memory: one at a time
	case s.drawing <- struct{}{}:
		defer func() { <-s.drawing }()
	case <-r.Context().Done():
		return nil
	}
	list := report.Figures([]*runs.Run{e.run})
	i := slices.IndexFunc(list, func(f report.Figure) bool { return strings.HasSuffix(f.Title, ending) })
	if i < 0 {
		return refuse(http.StatusNotFound, "%s has no such figure", e.key)
	}
	svg, err := list[i].Inline()
	if err != nil {
		return refuse(http.StatusUnprocessableEntity, "%s: %s", e.key, s.catalog.public(err.Error()))
	}
	svg = strings.Replace(svg, "\n<title", "\n<style>"+figureStyle+report.FigureCSS()+"</style>\n<title", 1)
	h := w.Header()
	h.Set("Content-Type", "image/svg+xml")
	h.Set("Content-Security-Policy", "default-src 'none'; style-src 'unsafe-inline'; sandbox")
	w.Write([]byte(svg))
	return nil
}
