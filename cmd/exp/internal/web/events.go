package web

import (
	"encoding/json"
	"fmt"
	"net/http"
	"time"
)

// pulse is how long a stream of events is silent at most, so that both ends learn
// when the other is gone.
const pulse = 15 * time.Second

// crowded asks a page whose stream others needed to wait a minute before it comes again.
const crowded = "retry: 60000\n\n"

// Change is what has changed in the table of runs since the last event; the first
// one holds every row.
type Change struct {
	Rows  []Row    `json:"rows"`
	Gone  []string `json:"gone"`  // keys
	Order []string `json:"order"` // keys of all rows, newest first
	Note  string   `json:"note"`  // what else there is to say about the folder
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
	seen, last := &snapshot{}, time.Time{}
	tick := time.NewTicker(s.o.Every)
	defer tick.Stop()
	for {
		now := s.catalog.fresh()
		text := ""
		if now != seen {
			b, err := json.Marshal(changes(seen, now))
			if err != nil {
				return err
			}
			text, seen = fmt.Sprintf("event: rows\ndata: %s\n\n", b), now
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
			send(crowded)
			return nil
		case <-tick.C:
		}
	}
}

// changes tells what is new in a snapshot.
func changes(old, now *snapshot) Change {
	c := Change{Rows: []Row{}, Gone: []string{}, Order: []string{}, Note: now.note}
	for _, e := range now.entries {
		c.Order = append(c.Order, e.key)
		if old.byKey[e.key] != e {
			c.Rows = append(c.Rows, e.row)
		}
	}
	for _, e := range old.entries {
		if now.byKey[e.key] == nil {
			c.Gone = append(c.Gone, e.key)
		}
	}
	return c
}
