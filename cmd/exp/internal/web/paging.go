package web

import "fmt"

// pageRows is how many rows a page of the table has. A folder with no more is sent whole,
// and the scripts filter and sort it.
const pageRows = 200

// window is a page of the table.
type window struct {
	entries  []*entry
	from     int // rows before it
	matching int // rows on all pages
	total    int // runs of the folder
}

// window returns the page of the view; of one behind the last, the last.
func (v view) window(s *snapshot) window {
	all := v.rows(s)
	last := max(0, len(all)-1) / pageRows
	from := min(v.page-1, last) * pageRows
	return window{all[from:min(from+pageRows, len(all))], from, len(all), len(s.entries)}
}

// count says which rows are shown.
func (w window) count() string {
	noun := "runs"
	if w.total == 1 {
		noun = "run"
	}
	of := fmt.Sprintf("%d of %d %s", w.matching, w.total, noun)
	switch {
	case len(w.entries) == w.matching:
		return of
	case w.matching == w.total:
		of = fmt.Sprintf("%d %s", w.total, noun)
	}
	return fmt.Sprintf("%d–%d of %s", w.from+1, w.from+len(w.entries), of)
}

// turned returns the link to the page so many pages on, "" where there is none.
func (v view) turned(w window, by int) string {
	v.page = w.from/pageRows + 1 + by
	if v.page < 1 || (v.page-1)*pageRows >= w.matching {
		return ""
	}
	return "/?" + v.query().Encode()
}
