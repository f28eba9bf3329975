// Package web serves the page of exp serve. Every request but the page itself is a POST of
// JSON and is answered with JSON; docs/serve.md lists the addresses. Nothing is written: trained runs
// stay in memory.
package web

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"log"
	"maps"
	"mime"
	"net"
	"net/http"
	"net/netip"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"imdbexp/cmd/exp/internal/web/ask"
	"imdbexp/cmd/exp/internal/web/page"
	"imdbexp/internal/guard"
	"imdbexp/internal/infer"
	"imdbexp/internal/ops"
)

// Options configure a Server.
type Options struct {
	Dir     string                           // the folder of runs
	Data    string                           // the data folder, whose texts are offered; "" for none
	Public  bool                             // other machines may ask for the page
	Hosts   []string                         // host names to serve, besides localhost
	Every   time.Duration                    // between two scans of the folder; 0: a second
	Log     func(format string, args ...any) // of internal errors
	Train   bool                             // visitors may train on this machine
	Workers int                              // 0: one for each processor
}

// Server serves the page of a folder of runs. Close frees the models that it holds.
type Server struct {
	o       Options
	page    []byte
	catalog *catalog
	pool    *ops.Pool
	models  *models
	trainer *trainer
}

// New returns a server of a folder of runs, which may not exist yet.
func New(o Options) (*Server, error) {
	dir, err := filepath.Abs(o.Dir)
	if err != nil {
		return nil, err
	}
	if o.Every <= 0 {
		o.Every = time.Second
	}
	var html bytes.Buffer
	p := page.Page{Title: "exp: runs", Live: true, Examples: page.Examples(), Notes: []string{
		"The runs are read from their folders. exp report and exp compare print the same numbers. The address of this page holds what you see: send it as a link, or open it again.",
	}}
	if err := p.Write(&html, "http", "", ""); err != nil {
		return nil, err
	}
	pool := ops.NewPool(o.Workers)
	return &Server{o: o, page: html.Bytes(), catalog: &catalog{dir: dir, every: o.Every}, pool: pool, models: newModels(), trainer: newTrainer(o.Workers)}, nil
}

// Close frees the models that are open.
func (s *Server) Close() {
	s.models.close()
	s.pool.Close()
}

// Handler returns the handler of all requests. It rejects requests for host names that are not
// this machine's, because another site may point its name here (DNS rebinding), and requests
// that pages of other sites send (CSRF).
func (s *Server) Handler() http.Handler {
	mux := http.NewServeMux()
	mux.HandleFunc("GET /{$}", func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", "text/html; charset=utf-8")
		w.Write(s.page)
	})
	mux.Handle("POST /api/runs", answer(s, s.runs))
	mux.Handle("POST /api/run", answer(s, s.run))
	mux.Handle("POST /api/search", answer(s, s.search))
	mux.Handle("POST /api/examples", answer(s, s.examples))
	mux.Handle("POST /api/ask", answer(s, s.ask))
	mux.Handle("POST /api/training", answer(s, s.training))
	mux.HandleFunc("POST /api/train", s.train)
	sameSite := http.NewCrossOriginProtection().Handler(mux)
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		h := w.Header()
		h.Set("Content-Security-Policy", "frame-ancestors 'none'")
		h.Set("X-Content-Type-Options", "nosniff")
		h.Set("Cache-Control", "no-store")
		if !s.allowed(r.Host) {
			fail(w, refuse(http.StatusMisdirectedRequest, "the host %q is not served here: use localhost, or name it with exp serve --public --host", cut(r.Host)))
			return
		}
		sameSite.ServeHTTP(w, r)
	})
}

// allowed checks the Host header.
func (s *Server) allowed(host string) bool {
	name := host
	if h, _, err := net.SplitHostPort(host); err == nil {
		name = h
	}
	name = strings.ToLower(strings.TrimSuffix(name, "."))
	if name == "localhost" || slices.Contains(s.o.Hosts, name) {
		return true
	}
	addr, err := netip.ParseAddr(strings.Trim(name, "[]"))
	return err == nil && (s.o.Public || addr.IsLoopback())
}

// Serve answers on a listener until the context ends. It gives requests under way a second to
// finish and returns nil.
func (s *Server) Serve(ctx context.Context, l net.Listener) error {
	server := &http.Server{
		Handler:           s.Handler(),
		BaseContext:       func(net.Listener) context.Context { return ctx }, // ends trainings
		ReadHeaderTimeout: 5 * time.Second,
		ErrorLog:          log.New(io.Discard, "", 0), // of clients that hang up; panics are caught before
	}
	ended := make(chan error, 1)
	go func() { ended <- guard.Call(func() error { return server.Serve(l) }) }()
	select {
	case err := <-ended:
		return err
	case <-ctx.Done():
	}
	grace, cancel := context.WithTimeout(context.WithoutCancel(ctx), time.Second)
	defer cancel()
	if server.Shutdown(grace) != nil {
		server.Close()
	}
	return nil
}

// refusal is an error for the visitor, with its HTTP status.
type refusal struct {
	status int
	text   string
}

func (e *refusal) Error() string { return e.text }

func refuse(status int, format string, args ...any) error {
	return &refusal{status, fmt.Sprintf(format, args...)}
}

// cut shortens a text that a request brings, for a message.
func cut(s string) string { return strings.ToValidUTF8(s[:min(len(s), 100)], "") }

// answer makes a handler of a function from a question to an answer, both JSON.
func answer[Q, A any](s *Server, f func(context.Context, Q) (A, error)) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) {
		var q Q
		var a A
		err := decode(w, r, &q)
		if err == nil {
			err = guard.Call(func() (err error) {
				a, err = f(r.Context(), q)
				return err
			})
		}
		var b []byte
		if err == nil {
			b, err = json.Marshal(a)
		}
		if broken, is := errors.AsType[*guard.Error](err); is {
			s.o.Log("internal error: %s: %v", r.URL.Path, broken)
			err = refuse(http.StatusInternalServerError, "internal error: see the terminal that runs exp serve")
		}
		if err != nil {
			fail(w, err)
			return
		}
		w.Header().Set("Content-Type", "application/json")
		w.Write(append(b, '\n'))
	}
}

// decode reads the JSON of a request.
func decode(w http.ResponseWriter, r *http.Request, into any) error {
	if t, _, _ := mime.ParseMediaType(r.Header.Get("Content-Type")); t != "application/json" {
		return refuse(http.StatusUnsupportedMediaType, "Content-Type must be application/json")
	}
	const maxBytes = 1 << 17
	d := json.NewDecoder(http.MaxBytesReader(w, r.Body, maxBytes))
	d.DisallowUnknownFields()
	err := d.Decode(into)
	if _, large := errors.AsType[*http.MaxBytesError](err); large {
		return refuse(http.StatusRequestEntityTooLarge, "the request is larger than %d bytes", maxBytes)
	}
	if err != nil {
		return refuse(http.StatusBadRequest, "invalid request: %v", err)
	}
	return nil
}

// fail answers with {"error": "…"}. An error without a status is one of a run or a question.
func fail(w http.ResponseWriter, err error) {
	e, ok := errors.AsType[*refusal](err)
	if !ok {
		e = &refusal{http.StatusUnprocessableEntity, err.Error()}
	}
	w.Header().Set("Content-Type", "application/json")
	w.WriteHeader(e.status)
	json.NewEncoder(w).Encode(map[string]string{"error": e.text})
}

// Key names a run.
type Key struct {
	Run string `json:"run"` // NAME/ID
}

// find returns the entry of a run, or of several. It is looked up among those that were found in the
// folder: a request is never a path.
func (s *Server) find(key string) (*page.Entry, error) {
	e := s.catalog.scan().byKey[key]
	switch {
	case e == nil:
		return nil, refuse(http.StatusNotFound, "there is no run %q", cut(key))
	case len(e.Runs) == 0:
		return nil, fmt.Errorf("%s cannot be read: %s", e.Row.Key, strings.Join(e.Row.Notes, "; "))
	}
	return e, nil
}

// findOne returns the entry of a single run.
func (s *Server) findOne(key string) (*page.Entry, error) {
	e, err := s.find(key)
	if err == nil && len(e.Runs) > 1 {
		err = fmt.Errorf("%s is the mean of %d runs; ask one of them: %s", key, len(e.Runs), strings.Join(e.Row.Runs, ", "))
	}
	return e, err
}

// Known is the version of the folder that a page has.
type Known struct {
	Version int `json:"version"`
}

func (s *Server) runs(_ context.Context, q Known) (page.Change, error) {
	now := s.catalog.scan()
	if q.Version == now.Version {
		return page.Change{Version: now.Version, Order: []string{}, Rows: []page.Row{}}, nil
	}
	return now.Change, nil
}

func (s *Server) run(_ context.Context, q Key) (*page.Detail, error) {
	e, err := s.find(q.Run)
	if err != nil {
		return nil, err
	}
	return e.Detail(), nil
}

func (s *Server) search(context.Context, struct{}) ([]page.Figure, error) {
	now := s.catalog.scan()
	var list []*page.Entry
	for _, key := range slices.Sorted(maps.Keys(now.runs)) {
		list = append(list, now.runs[key].Entry)
	}
	return page.Searches(list)
}

// examples returns texts of a run's data. Other machines get none, because they may read runs but not data.
func (s *Server) examples(ctx context.Context, q Key) ([]page.Example, error) {
	e, err := s.findOne(q.Run)
	if err != nil || s.o.Public {
		return []page.Example{}, err
	}
	list, err := page.Offered(ctx, s.o.Data, e.Runs[0])
	if err != nil && ctx.Err() == nil { // the data may be gone
		return []page.Example{}, nil
	}
	return list, err
}

// ask puts a question to a run of the folder, or to one that was trained here.
func (s *Server) ask(ctx context.Context, q ask.Question) (*ask.Answer, error) {
	if n := len([]rune(q.Text)); n > page.MaxText {
		return nil, fmt.Errorf("the text has %d characters; at most %d are read", n, page.MaxText)
	}
	if one, ok := s.trainer.kept.Get(q.Run); ok {
		return s.models.ask(ctx, q, one.model.Epoch, nil, func() (ask.Model, error) { return ask.Open(one.model, s.pool) })
	}
	if strings.HasPrefix(q.Run, trainedHere) {
		return nil, refuse(http.StatusNotFound, "%s is gone: only the last %d runs trained here are kept; train it again", cut(strings.TrimPrefix(q.Run, trainedHere)), maxTrained)
	}
	e, err := s.findOne(q.Run)
	if err != nil {
		return nil, err
	}
	run := e.Runs[0]
	if e.Row.Epoch == 0 {
		return nil, refuse(http.StatusConflict, "%s has no whole epoch yet", run.Label())
	}
	a, err := s.models.ask(ctx, q, run.ChosenEpoch(), run, func() (ask.Model, error) {
		t, err := infer.Read(run)
		if err != nil {
			return nil, err
		}
		return ask.Open(t, s.pool)
	})
	if err != nil && ctx.Err() == nil {
		return nil, fmt.Errorf("%s: %w", run.Label(), err)
	}
	return a, err
}
