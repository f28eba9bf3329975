package web

import (
	"net/http"
	"slices"
	"strconv"
	"strings"
	"sync"

	"imdbexp/cmd/exp/internal/web/page"
	"imdbexp/runs"
)

// Detail is what the curves of one run need beyond its row.
type Detail struct {
	Row
	Label   string         `json:"label"`
	Epochs  int            `json:"epochs"`  // asked for
	Chosen  int            `json:"chosen"`  // epoch that counts
	Metrics []beside.Point `json:"metrics"` // of the epochs after the one asked about
	Wheres  []string       `json:"wheres"`  // layers and heads whose entropies were kept; "" for the only attention
}

// after reads the epoch behind which a reader wants to see more.
func after(r *http.Request) (int, error) {
	text := r.URL.Query().Get("after")
	if text == "" {
		return 0, nil
	}
	n, err := strconv.Atoi(text)
	if err != nil || n < 0 {
		return 0, refuse(http.StatusBadRequest, "after=%s: want an epoch, 0 or more", cut(text, 100))
	}
	return n, nil
}

// entry returns the run that a request names. It is looked up among those found
// in the folder: what a request says is never a path.
func (s *Server) entry(r *http.Request) (*entry, error) {
	key := r.URL.Query().Get("run")
	e := s.catalog.fresh().byKey[key]
	switch {
	case e == nil:
		return nil, refuse(http.StatusNotFound, "there is no run %q", cut(key, 100))
	case e.run == nil:
		return nil, refuse(http.StatusUnprocessableEntity, "%s cannot be read: %s", e.key, strings.Join(e.row.Notes, "; "))
	}
	if err := ordinary(e.path); err != nil {
		return nil, refuse(http.StatusUnprocessableEntity, "%s cannot be read: %s", e.key, s.catalog.public(err.Error()))
	}
	return e, nil
}

func (s *Server) detail(w http.ResponseWriter, r *http.Request) error {
	e, err := s.entry(r)
	if err != nil {
		return err
	}
	epoch, err := after(r)
	if err != nil {
		return err
	}
	d := Detail{Row: e.row, Label: e.run.Label(), Epochs: e.run.Config.Epochs(), Chosen: e.run.ChosenEpoch(),
		Metrics: []beside.Point{}, Wheres: []string{}}
	metrics, _ := e.metrics() // what is wrong with them is among the row's notes
	for _, m := range metrics {
		if m.Epoch > epoch {
			d.Metrics = append(d.Metrics, beside.PointOf(m))
		}
	}
	histograms, err := s.histograms.of(e)
	if err != nil {
		d.Notes = append(d.Notes[:len(d.Notes):len(d.Notes)], s.catalog.public(err.Error()))
	}
	d.Wheres = beside.Wheres(histograms)
	return reply(w, d)
}

func (s *Server) comparison(w http.ResponseWriter, r *http.Request) error {
	return reply(w, s.compare(parseView(r.URL.Query()).entries(s.catalog.fresh())))
}

// compare compares the chosen runs that can be read.
func (s *Server) compare(list []*entry) beside.Comparison {
	var all []beside.Run
	for _, e := range list {
		if e.run != nil && ordinary(e.path) == nil {
			all = append(all, beside.Run{Key: e.key, Config: &e.run.Config, Result: e.result()})
		}
	}
	return beside.Compare(all, s.catalog.public)
}

func (s *Server) entropy(w http.ResponseWriter, r *http.Request) error {
	e, err := s.entry(r)
	if err != nil {
		return err
	}
	all, err := s.histograms.of(e)
	if err != nil && len(all) == 0 {
		return refuse(http.StatusUnprocessableEntity, "%s: %s", e.key, s.catalog.public(err.Error()))
	}
	epoch, err := after(r)
	if err != nil {
		return err
	}
	where := r.URL.Query().Get("where")
	late := slices.DeleteFunc(slices.Clone(all), func(h runs.Histogram) bool { return h.Epoch <= epoch })
	return reply(w, beside.EntropiesAt(late, where, e.uniform))
}

// histograms keeps those of the runs looked at last; they are much larger than
// the metrics.
type histograms struct {
	mu   sync.Mutex
	kept lru[readHistograms]
}

// readHistograms are those of the whole epochs of a run, as of one entry.
type readHistograms struct {
	of   *entry
	list []runs.Histogram
}

// of returns the histograms of the whole epochs of a run, which it reads once for
// each checkpoint.
func (h *histograms) of(e *entry) ([]runs.Histogram, error) {
	h.mu.Lock()
	defer h.mu.Unlock()
	if r, ok := h.kept.get(e.key); ok && r.of == e {
		return slices.Clip(r.list), nil
	}
	list, err := e.run.Entropies()
	h.kept.remove(e.key)
	if err == nil {
		h.kept.put(e.key, readHistograms{e, list})
	}
	return slices.Clip(list), err
}
