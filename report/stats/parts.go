package stats

// EqualParts calls part with at most parts ranges that cover 0 … n−1 in order, each of
// n/parts items. A range is extended as long as same(i, j) holds across its end.
func EqualParts(n, parts int, same func(i, j int) bool, part func(from, to int)) {
	from := 0
	for i := range parts {
		to := (i + 1) * n / parts
		if to <= from {
			continue // the part before took these, or there are fewer items than parts
		}
		for to < n && same(to-1, to) {
			to++
		}
		part(from, to)
		from = to
	}
}
