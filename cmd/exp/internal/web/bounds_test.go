package web_test

import (
	"fmt"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"

	"imdbexp/cmd/exp/internal/web"
)

func TestRate(t *testing.T) {
	now := time.Unix(0, 0)
	allow := web.NewRate(2, 3, 2, func() time.Time { return now })
	took := func(client string) (n int) {
		for range 10 {
			if allow(client) {
				n++
			}
		}
		return n
	}
	assert.Equal(t, 3, took("a"), "a full bucket")
	assert.Equal(t, 3, took("b"), "another client has its own")
	now = now.Add(time.Second)
	assert.Equal(t, 2, took("a"), "two a second")
	now = now.Add(time.Hour)
	assert.Equal(t, 3, took("a"), "never more than the bucket holds")
	for i := range 100 { // clients are not kept for ever
		assert.True(t, allow(fmt.Sprint(i)))
	}
}

func TestLRU(t *testing.T) {
	var dropped []string
	l := web.NewLRU(2, func(s string) { dropped = append(dropped, s) })
	l.Put("a", "A")
	l.Put("b", "B")
	v, ok := l.Get("a")
	assert.True(t, ok)
	assert.Equal(t, "A", v)
	l.Put("c", "C") // b was used longest ago
	assert.Equal(t, []string{"B"}, dropped)
	_, ok = l.Get("b")
	assert.False(t, ok)
	_, ok = l.Get("a")
	assert.True(t, ok)
}
