package ngrams

// Keep returns the features with keep[f] and their parts, in their order, and which they
// are. Of a text all of whose features are kept it finds what f finds.
func (f *Features) Keep(keep []bool) (kept *Features, which []int32) {
	all := make([]bool, f.Len())
	for i := f.Len() - 1; i >= 0; i-- { // a part has a smaller number than the whole
		if all[i] = all[i] || keep[i]; !all[i] {
			continue
		}
		all[f.single[f.last[i]]] = true
		if p := f.first[i]; p != none {
			all[p] = true
		}
	}
	kept = &Features{Trained: f.Trained, Max: f.Max}
	word := make([]int32, len(f.Words))
	for w, s := range f.single {
		if all[s] {
			word[w] = int32(len(kept.Words))
			kept.Words = append(kept.Words, f.Words[w])
		}
	}
	number := make([]int32, f.Len())
	for i, is := range all {
		if !is {
			continue
		}
		number[i] = int32(len(which))
		which = append(which, int32(i))
		first := int32(none)
		if p := f.first[i]; p != none {
			first = number[p]
		}
		kept.first, kept.last = append(kept.first, first), append(kept.last, word[f.last[i]])
		kept.count, kept.reviews = append(kept.count, f.count[i]), append(kept.reviews, f.reviews[i])
	}
	kept.complete()
	return kept, which
}
