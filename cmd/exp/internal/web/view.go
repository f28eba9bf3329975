package web

import (
	"cmp"
	"net/url"
	"slices"
	"strconv"
	"strings"
)

// maxChosen is how many runs are drawn and compared at once: as many as there are
// colours that can be told apart.
const maxChosen = 8

// view is what a reader asked to see. It is what a link holds.
type view struct {
	filter string   // words that must all occur in a row
	sort   string   // key of a column; "" for the newest first
	down   bool     // the largest first
	page   int      // from 1
	chosen []string // keys of runs
}

// parseView reads the state from the query of a link. What it does not know, it
// passes over: a link may be older than the page.
func parseView(q url.Values) view {
	v := view{filter: cut(q.Get("q"), 200), page: 1}
	if n, err := strconv.Atoi(q.Get("page")); err == nil && n > 1 {
		v.page = n
	}
	key, down := strings.CutPrefix(q.Get("sort"), "-")
	if column(key) >= 0 {
		v.sort, v.down = key, down
	}
	for _, key := range q["run"] {
		if len(v.chosen) < maxChosen && !slices.Contains(v.chosen, key) {
			v.chosen = append(v.chosen, key)
		}
	}
	return v
}

func cut(s string, n int) string {
	if len(s) > n {
		return strings.ToValidUTF8(s[:n], "")
	}
	return s
}

// query is the opposite of parseView.
func (v view) query() url.Values {
	q := url.Values{}
	if v.filter != "" {
		q.Set("q", v.filter)
	}
	if v.sort != "" {
		sort := v.sort
		if v.down {
			sort = "-" + sort
		}
		q.Set("sort", sort)
	}
	if v.page > 1 {
		q.Set("page", strconv.Itoa(v.page))
	}
	for _, key := range v.chosen {
		q.Add("run", key)
	}
	return q
}

func column(key string) int {
	return slices.IndexFunc(columns, func(c Column) bool { return c.Key == key })
}

// rows returns the entries to show on all pages, filtered and sorted. Where they fit on one
// page the scripts do the same, in runs.js.
func (v view) rows(s *snapshot) []*entry {
	var out []*entry
	for _, e := range s.entries {
		if v.passes(e.row) {
			out = append(out, e)
		}
	}
	if i := column(v.sort); i >= 0 {
		slices.SortStableFunc(out, func(a, b *entry) int { return compare(a.row.Cells[i].By, b.row.Cells[i].By, v.down) })
	}
	return out
}

func (v view) passes(r Row) bool {
	for w := range strings.FieldsSeq(strings.ToLower(v.filter)) {
		if !strings.Contains(r.Search, w) {
			return false
		}
	}
	return true
}

// compare orders what cells are sorted by; what is missing comes last either way.
func compare(a, b any, down bool) int {
	if a == nil || b == nil {
		return cmp.Compare(missing(a), missing(b))
	}
	order := 0
	switch x := a.(type) {
	case float64:
		y, _ := b.(float64)
		order = cmp.Compare(x, y)
	case string:
		y, _ := b.(string)
		order = cmp.Compare(x, y)
	}
	if down {
		return -order
	}
	return order
}

func missing(v any) int {
	if v == nil {
		return 1
	}
	return 0
}

// entries returns the chosen runs that are there.
func (v view) entries(s *snapshot) []*entry {
	var out []*entry
	for _, key := range v.chosen {
		if e := s.byKey[key]; e != nil {
			out = append(out, e)
		}
	}
	return out
}
