package web

import (
	"cmp"
	"encoding/json"
	"fmt"
	"net/http"
	"slices"
	"time"
)

// pulse is how long a stream of events is silent at most, so that both ends learn
// when the other is gone.
const pulse = 15 * time.Second

// soon has a page come again after three seconds when its stream breaks off, also one that was
// crowded before.
const soon = "retry: 3000\n"

// crowded asks a page whose stream others needed to wait a minute before it comes again.
const crowded = "retry: 60000\n\n"

// Change is what has changed in a page of the table of runs since the last event; the
// first one holds every row. Where all runs of the folder fit on one page it holds them
// all, whatever the filter.
type Change struct {
	Rows  []Row    `json:"rows"`
	Gone  []string `json:"gone"`  // keys
	Order []string `json:"order"` // keys of the page's rows, as they stand there
	Kept  []string `json:"kept"`  // keys of other rows that were asked for by run=
	Note  string   `json:"note"`  // what else there is to say about the folder

	Whole bool   `json:"whole"` // these are all runs there are, newest first
	Count string `json:"count"` // of the rows shown, in words
	Page  int    `json:"page"`
	Pages int    `json:"pages"`
}

// events sends the rows of the table as they change, as server-sent events
// (WHATWG HTML, section 9.2), until the reader goes or the server ends.
func (s *Server) events(w http.ResponseWriter, r *http.Request) error {
	ctx, leave := s.streams.join(r.Context(), client(r))
	defer leave()
	w.Header().Set("Content-Type", "text/event-stream")
	out := http.NewResponseController(w)
	out.SetReadDeadline(time.Time{}) // the request is over, its deadline is not
	send := func(text string) bool {
		out.SetWriteDeadline(time.Now().Add(10 * time.Second))
		_, err := fmt.Fprint(w, text)
		return err == nil && out.Flush() == nil
	}
	v := parseView(r.URL.Query())
	models := r.URL.Query()["model"] // the runs that texts are put to
	v.chosen = append(v.chosen, models[:min(maxModels, len(models))]...)
	seen, last := &snapshot{}, time.Time{}
	tick := time.NewTicker(s.o.Every)
	defer tick.Stop()
	for {
		now := s.catalog.fresh()
		text := ""
		if now != seen {
			b, err := json.Marshal(v.changes(seen, now))
			if err != nil {
				return err
			}
			text, seen = fmt.Sprintf("event: rows\n%sdata: %s\n\n", soon, b), now
		} else if time.Since(last) > pulse {
			text = ": still here\n\n"
		}
		if text != "" {
			if last = time.Now(); !send(text) {
				return nil
			}
		}
		select {
		case <-ctx.Done():
			if r.Context().Err() == nil { // others needed its place
				send(crowded)
			}
			return nil
		case <-tick.C:
		}
	}
}

// changes tells what is new in a snapshot, of what the view shows.
func (v view) changes(old, now *snapshot) Change {
	w := v.window(now)
	c := Change{
		Rows: []Row{}, Gone: []string{}, Order: []string{}, Kept: []string{}, Note: now.note,
		Whole: len(now.entries) <= pageRows, Count: w.count(), Page: w.from/pageRows + 1, Pages: max(0, w.matching-1)/pageRows + 1,
	}
	before := v.sent(old)
	for _, e := range v.shown(now) {
		c.Order = append(c.Order, e.key)
	}
	sent := v.sent(now)
	for key, e := range sent {
		if before[key] != e {
			c.Rows = append(c.Rows, e.row)
		}
		if !slices.Contains(c.Order, key) {
			c.Kept = append(c.Kept, key)
		}
	}
	for key := range before {
		if sent[key] == nil {
			c.Gone = append(c.Gone, key)
		}
	}
	slices.SortFunc(c.Rows, func(a, b Row) int { return cmp.Compare(a.Key, b.Key) })
	slices.Sort(c.Gone)
	slices.Sort(c.Kept)
	return c
}

// shown returns the entries whose rows a reader of events has on the page.
func (v view) shown(s *snapshot) []*entry {
	if len(s.entries) <= pageRows {
		return s.entries
	}
	return v.window(s).entries
}

// sent returns the entries whose rows a reader of events has: those on the page, and those
// chosen.
func (v view) sent(s *snapshot) map[string]*entry {
	out := map[string]*entry{}
	for _, e := range append(v.entries(s), v.shown(s)...) {
		out[e.key] = e
	}
	return out
}
