package web

import (
	"bytes"
	"context"
	"encoding/json"
	"log"
	"net"
	"net/http"
	"path/filepath"
	"strings"
	"time"

	"imdbexp/cmd/exp/internal/web/ask"
	"imdbexp/internal/guard"
	"imdbexp/runs"
)

// Options say what is served, and to whom.
type Options struct {
	Dir    string                             // the folder of runs
	Open   func(*runs.Run) (ask.Model, error) // opens the model of a run
	Public bool                               // asked for by addresses other than this machine's own, too
	Hosts  []string                           // names under which it may be asked for, beside localhost
	Every  time.Duration                      // between two looks at the folder; 0: a second
	Log    func(format string, args ...any)   // of internal errors; nil: nowhere

	Train   bool // whoever opens the page may train on this machine
	Workers int  // that train; 0: as many as there are processors
}

// Server serves the page and what it asks for. Close frees what it holds.
type Server struct {
	o          Options
	catalog    *catalog
	histograms *histograms
	oracle     *oracle
	trainer    *trainer
	rate       *rate
	drawing    chan struct{} // held while a figure is drawn
	streams    *streams
	patience   time.Duration // for a request to come whole
}

// Bounds on what is done at once, and how often.
const (
	maxStreams   = 32
	perSecond    = 50 // requests of one client, in the long run
	burst        = 200
	keptClients  = 1024
	keptEntropic = 8 // runs whose histograms are kept
)

// New returns a server of a folder of runs, which may be missing yet.
func New(o Options) (*Server, error) {
	dir, err := filepath.Abs(o.Dir)
	if err != nil {
		return nil, err
	}
	if o.Every <= 0 {
		o.Every = time.Second
	}
	if o.Log == nil {
		o.Log = func(string, ...any) {}
	}
	return &Server{
		o: o, catalog: newCatalog(dir, o.Every),
		histograms: &histograms{kept: lru[readHistograms]{most: keptEntropic}},
		oracle:     newOracle(o.Open),
		trainer:    newTrainer(o.Workers),
		rate:       &rate{perSecond: perSecond, most: burst, clients: keptClients, now: time.Now},
		drawing:    make(chan struct{}, 1), streams: &streams{most: maxStreams}, patience: 15 * time.Second,
	}, nil
}

// Close frees the models that are open.
func (s *Server) Close() {
	s.oracle.close()
	s.trainer.asked.Close()
}

// Handler returns all of it as one handler.
func (s *Server) Handler() http.Handler {
	mux := http.NewServeMux()
	mux.Handle("GET /{$}", handler(s.page))
	mux.Handle("GET /assets/{name}", handler(asset))
	mux.Handle("GET /figure.svg", handler(s.figure))
	mux.Handle("GET /api/events", handler(s.events))
	mux.Handle("GET /api/run", handler(s.detail))
	mux.Handle("GET /api/entropy", handler(s.entropy))
	mux.Handle("GET /api/compare", handler(s.comparison))
	mux.Handle("POST /api/predict", handler(s.predict))
	mux.Handle("GET /api/train", handler(s.trainables))
	mux.Handle("POST /api/train", handler(s.train))
	return s.guard(inJSON(mux))
}

// inJSON has the mux's own refusals under /api, of an address or a method that there is not,
// look as all others.
func inJSON(mux *http.ServeMux) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if _, pattern := mux.Handler(r); pattern != "" || !strings.HasPrefix(r.URL.Path, "/api") {
			mux.ServeHTTP(w, r)
			return
		}
		said := &unheard{header: http.Header{}, status: http.StatusNotFound}
		mux.ServeHTTP(said, r)
		if allow := said.header.Get("Allow"); allow != "" {
			w.Header().Set("Allow", allow)
			fail(w, refuse(said.status, "%s takes %s", cut(r.URL.Path, 100), allow))
			return
		}
		fail(w, refuse(http.StatusNotFound, "there is no %s here", cut(r.URL.Path, 100)))
	})
}

// unheard keeps the head of an answer and drops its text.
type unheard struct {
	header http.Header
	status int
}

func (u *unheard) Header() http.Header         { return u.header }
func (u *unheard) WriteHeader(status int)      { u.status = status }
func (u *unheard) Write(b []byte) (int, error) { return len(b), nil }

// Serve answers on a listener until the context ends; then it lets the answers
// under way finish, for a second at most, and returns nil.
func (s *Server) Serve(ctx context.Context, l net.Listener) error {
	server := &http.Server{
		Handler:           s.Handler(),
		BaseContext:       func(net.Listener) context.Context { return ctx }, // ends the streams
		ReadHeaderTimeout: 5 * time.Second,
		ReadTimeout:       s.patience,
		WriteTimeout:      60 * time.Second,
		IdleTimeout:       2 * time.Minute,
		MaxHeaderBytes:    1 << 14,
		ErrorLog:          log.New(logger(s.o.Log), "", 0),
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

// logger takes what net/http says of its own accord, which is no business of the terminal's
// but by the way of all messages.
type logger func(format string, args ...any)

func (l logger) Write(p []byte) (int, error) {
	l("%s", bytes.TrimSpace(p))
	return len(p), nil
}

// reply answers with JSON.
func reply(w http.ResponseWriter, v any) error {
	b, err := json.Marshal(v)
	if err != nil {
		return err
	}
	w.Header().Set("Content-Type", "application/json")
	w.Write(append(b, '\n')) // a reader that is gone is no error
	return nil
}
