package web

import (
	"net/http"
	"slices"
	"strconv"
	"strings"
	"sync"

	"imdbexp/runs"
)

// Detail is what the curves of one run need beyond its row.
type Detail struct {
	Row
	Label   string   `json:"label"`
	Epochs  int      `json:"epochs"`  // asked for
	Chosen  int      `json:"chosen"`  // epoch that counts
	Metrics []Point  `json:"metrics"` // of the epochs after the one asked about
	Wheres  []string `json:"wheres"`  // layers and heads whose entropies were kept; "" for the only attention
}

// Point is one epoch on the curves: losses and entropies in nats, accuracies in
// percent, null where there is none.
type Point struct {
	Epoch        int      `json:"epoch"`
	TrainLoss    *float64 `json:"train_loss"`
	ValidLoss    *float64 `json:"valid_loss"`
	TestLoss     *float64 `json:"test_loss"`
	TrainAcc     *float64 `json:"train_acc"`
	ValidAcc     *float64 `json:"valid_acc"`
	TestAcc      *float64 `json:"test_acc"`
	TestExact    *float64 `json:"test_exact"` // of translations, whose accuracies are of the next words
	TrainEntropy *float64 `json:"train_entropy"`
	TestEntropy  *float64 `json:"test_entropy"`
}

func point(m runs.Metrics) Point {
	return Point{m.Epoch, m.TrainLoss, m.ValidLoss, m.TestLoss, m.TrainAcc, m.ValidAcc, m.TestAcc, m.TestExact, m.TrainEntropy, m.TestEntropy}
}

// after reads the epoch behind which a reader wants to see more.
func after(r *http.Request) int {
	n, err := strconv.Atoi(r.URL.Query().Get("after"))
	if err != nil || n < 0 {
		return 0
	}
	return n
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
	d := Detail{Row: e.row, Label: e.run.Label(), Epochs: e.run.Config.Epochs(), Chosen: e.run.ChosenEpoch(),
		Metrics: []Point{}, Wheres: []string{}}
	metrics, _ := e.metrics() // what is wrong with them is among the row's notes
	for _, m := range metrics {
		if m.Epoch > after(r) {
			d.Metrics = append(d.Metrics, point(m))
		}
	}
	histograms, err := s.histograms.of(e)
	if err != nil {
		d.Notes = append(d.Notes[:len(d.Notes):len(d.Notes)], s.catalog.public(err.Error()))
	}
	d.Wheres = wheres(histograms)
	return reply(w, d)
}

// Entropies are histograms of the entropy of the attention at one place of the
// model.
type Entropies struct {
	Share      bool             `json:"share"`   // of log n, instead of nats
	Uniform    float64          `json:"uniform"` // entropy of uniform attention; 0: not marked, padding takes part
	At         string           `json:"at"`      // the length of a review it is of, see report.Uniform
	Histograms []runs.Histogram `json:"histograms"`
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
	where := r.URL.Query().Get("where")
	out := Entropies{Share: strings.HasSuffix(where, ofLogN), Uniform: 1, Histograms: []runs.Histogram{}}
	if !out.Share { // of as many words as there were
		u := e.uniform()
		out.Uniform, out.At = u.Nats, u.At
	}
	for _, h := range all {
		if h.Where == where && h.Epoch > after(r) && len(h.Counts) > 0 {
			out.Histograms = append(out.Histograms, h)
		}
	}
	return reply(w, out)
}

// ofLogN ends the name of a place whose entropies are given as a share of log n.
const ofLogN = "of log n"

// wheres returns the places of which there are histograms, in their order.
func wheres(list []runs.Histogram) []string {
	out, seen := []string{}, map[string]bool{}
	for _, h := range list {
		if !seen[h.Where] {
			seen[h.Where] = true
			out = append(out, h.Where)
		}
	}
	return out
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
