package ngrams

import "sort"

// shards is how many parts reviews are divided into for the workers.
const shards = 64

// shard returns the reviews of part s: all parts have about the same number of words.
func shard(start []int, s int) (from, to int) {
	reviews := len(start) - 1
	cut := func(s int) int {
		if s == shards {
			return reviews
		}
		return sort.SearchInts(start[:reviews], int(int64(start[reviews])*int64(s)/shards))
	}
	return cut(s), cut(s + 1)
}
