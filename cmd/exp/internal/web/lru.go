package web

import "slices"

// lru keeps the few values that were used last.
type lru[V any] struct {
	most  int
	items []lruItem[V] // the one used last at the end
	drop  func(V)      // called with what has to go; may be nil
}

type lruItem[V any] struct {
	key   string
	value V
}

// get returns the value of a key and whether there is one.
func (l *lru[V]) get(key string) (v V, ok bool) {
	i := slices.IndexFunc(l.items, func(it lruItem[V]) bool { return it.key == key })
	if i < 0 {
		return v, false
	}
	it := l.items[i]
	l.items = append(slices.Delete(l.items, i, i+1), it)
	return it.value, true
}

// room drops the values used longest ago until there is room for one more.
func (l *lru[V]) room() {
	for len(l.items) >= max(1, l.most) {
		l.remove(l.items[0].key)
	}
}

// put keeps a value that was not there.
func (l *lru[V]) put(key string, v V) {
	l.room()
	l.items = append(l.items, lruItem[V]{key, v})
}

func (l *lru[V]) remove(key string) {
	i := slices.IndexFunc(l.items, func(it lruItem[V]) bool { return it.key == key })
	if i < 0 {
		return
	}
	v := l.items[i].value
	l.items = slices.Delete(l.items, i, i+1)
	if l.drop != nil {
		l.drop(v)
	}
}
