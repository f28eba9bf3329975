package page

import (
	"strings"

	"imdbexp/report"
	"imdbexp/runs"
)

// Entropies are histograms of the entropy of one attention of a model.
type Entropies struct {
	Share      bool             `json:"share"`   // in shares of log n, not in nats
	Uniform    float64          `json:"uniform"` // entropy of uniform attention; 0: not marked, because padding takes part
	At         string           `json:"at"`      // the review length that Uniform is for, see report.Uniform
	Histograms []runs.Histogram `json:"histograms"`
}

// EntropiesOf returns the histograms of one attention of a run. What can be read is returned
// with an error.
func EntropiesOf(run *runs.Run, place string) (Entropies, error) {
	out := Entropies{Share: strings.HasSuffix(place, "of log n"), Uniform: 1, Histograms: []runs.Histogram{}}
	if !out.Share {
		u := report.UniformOf(run)
		out.Uniform, out.At = u.Nats, u.At
	}
	all, err := run.Entropies()
	for _, h := range all {
		if h.Where != place || len(h.Counts) == 0 {
			continue
		}
		n := len(h.Counts)
		for n > 1 && h.Counts[n-1] == 0 { // empty bins at the end need no room in a page
			n--
		}
		h.Counts = h.Counts[:n]
		out.Histograms = append(out.Histograms, h)
	}
	return out, err
}

// places returns the attentions that have histograms, in their order; "" is the only attention
// of a model.
func places(list []runs.Histogram) []string {
	out, seen := []string{}, map[string]bool{}
	for _, h := range list {
		if !seen[h.Where] {
			seen[h.Where] = true
			out = append(out, h.Where)
		}
	}
	return out
}
