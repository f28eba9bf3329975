package dataset

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"runtime"
	"runtime/debug"
	"runtime/metrics"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"imdbexp/dataset/token"
	"imdbexp/internal/testkit/must"
)

type listed []sourced

func (listed) String() string    { return "listed" }
func (listed) Classes() []string { return []string{"neg", "pos"} }
func (l listed) Reviews(_ context.Context, yield func(Part, Review) error) error {
	for _, r := range l {
		if err := yield(r.part, r.Review); err != nil {
			return err
		}
	}
	return nil
}

// kept is a scratch file in memory.
type kept struct {
	bytes.Buffer
	open *int
	room int
}

var errFull = errors.New("full")

func (k *kept) Write(b []byte) (int, error) {
	if k.Len()+len(b) > k.room {
		return 0, errFull
	}
	return k.Buffer.Write(b)
}

func (k *kept) ReadAt(b []byte, at int64) (int, error) {
	return bytes.NewReader(k.Bytes()).ReadAt(b, at)
}
func (k *kept) Close() error { *k.open--; return nil }

func scratch(open *int, room int) Scratch {
	return func() (ScratchFile, error) {
		*open++
		return &kept{open: open, room: room}, nil
	}
}

// spilling makes Sort write words to the file after so many bytes.
func spilling(bytes int) (restore func()) {
	before := pileBytes
	pileBytes = bytes
	return func() { pileBytes = before }
}

// Whatever does not fit into memory, the corpus is the same, including its digest.
func TestSortSpills(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		src := listed{}
		for i := range rapid.IntRange(4, 60).Draw(t, "reviews") {
			part := Part(rapid.IntRange(0, 2).Draw(t, "part"))
			if i < 4 {
				part = Part(i / 2)
			}
			label := i % 2
			if part == Extra {
				label = Unlabelled
			}
			text := strings.Repeat("word "+string(rune('a'+i%7))+" ", rapid.IntRange(0, 30).Draw(t, "length"))
			src = append(src, sourced{Review{fmt.Sprintf("%s/%02d", part, (i*37)%101), text, label, nil}, part})
		}
		want := must.Get(Build(t.Context(), "x", src, token.PTB))(t)
		defer spilling(rapid.IntRange(1, 4000).Draw(t, "bytes"))()
		open := 0
		s := must.Get(Sort(t.Context(), "x", listed(rapid.Permutation(src).Draw(t, "order")), token.PTB, scratch(&open, 1<<30)))(t)
		got := must.Get(s.Load())(t)
		assert.Equal(t, want.Vocab.Words, got.Vocab.Words)
		want.Vocab, got.Vocab = nil, nil
		assert.Equal(t, want, got)
		assert.Zero(t, open, "scratch files go")
	})
}

// Where nothing more can be written memory does, as for a corpus that was never cached.
func TestSortFails(t *testing.T) {
	defer spilling(1)()
	src := listed{}
	for i := range 8 {
		src = append(src, sourced{Review{ID: fmt.Sprint(i), Text: "a b", Label: i % 2}, Part(i / 2 % 2)})
	}
	open := 0
	assert.ErrorContains(t, must.Fail(Sort(t.Context(), "x", append(src, src[3]), token.PTB, scratch(&open, 1<<30))), "listed: review 3 is there twice: remove one")
	assert.Zero(t, open)

	want := must.Get(Build(t.Context(), "x", src, token.PTB))(t)
	for name, bad := range map[string]Scratch{
		"read-only":    func() (ScratchFile, error) { return nil, errFull },
		"full":         scratch(&open, 0),
		"full, midway": scratch(&open, 100),
	} {
		s, err := Sort(t.Context(), "x", src, token.PTB, bad)
		require.NoError(t, err, name)
		got, err := s.Load()
		require.NoError(t, err, name)
		assert.Equal(t, want.Digest, got.Digest, name)
		assert.Equal(t, want.Train, got.Train, name)
		assert.Zero(t, open, name)
	}
}

// long is a corpus of texts that are made when they are asked for; it watches the heap.
type long struct {
	reviews int
	most    *uint64
}

func (long) String() string    { return "long" }
func (long) Classes() []string { return []string{"neg", "pos"} }
func (l long) Reviews(_ context.Context, yield func(Part, Review) error) error {
	for i := range l.reviews {
		text := strings.Repeat(fmt.Sprintf("words %d of no meaning ", i%1000), 20)
		if err := yield(Part(i/2%2), Review{ID: fmt.Sprintf("%08d", i), Text: text, Label: i % 2}); err != nil {
			return err
		}
		if i%1000 == 0 {
			l.watch()
		}
	}
	return nil
}

func (l long) watch() {
	heap := []metrics.Sample{{Name: "/memory/classes/heap/objects:bytes"}}
	metrics.Read(heap)
	*l.most = max(*l.most, heap[0].Value.Uint64())
}

// Of 29 MB of text, whose words take 24 MB as numbers, Sort keeps the megabyte that it is told to,
// 80 bytes for each of the 60 000 reviews, and what is on the way to the file.
func TestSortMemory(t *testing.T) {
	defer spilling(1 << 20)()
	defer debug.SetGCPercent(debug.SetGCPercent(20))
	runtime.GC()
	var before, most uint64
	long{0, &before}.watch()
	dir := t.TempDir()
	src := long{60_000, &most}
	s := must.Get(Sort(t.Context(), "x", src, token.Whitespace, func() (ScratchFile, error) { return os.CreateTemp(dir, "") }))(t)
	defer s.Close()
	words := 0
	for p := range Parts {
		require.NoError(t, s.Each(p, func(r Placed) error {
			if words++; words%1000 == 0 {
				src.watch()
			}
			return nil
		}))
	}
	require.Equal(t, 6_000_000, s.Words(Train)+s.Words(Test))
	assert.False(t, s.InMemory())
	assert.Less(t, most-before, uint64(16<<20))
}
