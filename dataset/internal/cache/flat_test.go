package flat_test

import (
	"bytes"
	"encoding/binary"
	"math"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"imdbexp/dataset/internal/flat"
)

type content struct {
	n       int
	i32     []int32
	i64     []int64
	f32     []float32
	s       string
	strings []string
}

func write(t require.TestingT, c content) []byte {
	var out bytes.Buffer
	w := flat.NewWriter(&out, "testfil1")
	w.Int(c.n)
	w.Int32s(c.i32)
	w.Int64s(c.i64)
	w.Float32s(c.f32)
	w.String(c.s)
	w.Strings(c.strings)
	require.NoError(t, w.Close())
	return out.Bytes()
}

func read(b []byte) (content, error) {
	r := flat.NewReader(bytes.NewReader(b), int64(len(b)), "testfil1", nil)
	c := content{r.Int(), r.Int32s(), r.Int64s(), r.Float32s(), r.String(), r.Strings()}
	return c, r.Close()
}

func TestRoundTrip(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		c := content{
			n:       rapid.Int().Draw(t, "n"),
			i32:     rapid.SliceOf(rapid.Int32()).Draw(t, "i32"),
			i64:     rapid.SliceOf(rapid.Int64()).Draw(t, "i64"),
			f32:     rapid.SliceOf(rapid.Float32()).Draw(t, "f32"),
			s:       rapid.String().Draw(t, "s"),
			strings: rapid.SliceOf(rapid.String()).Draw(t, "strings"),
		}
		got, err := read(write(t, c))
		require.NoError(t, err)
		assert.Equal(t, c, got)
	})
}

func TestLarge(t *testing.T) {
	c := content{s: strings.Repeat("x", 1<<18), i32: make([]int32, 1<<17), i64: []int64{},
		f32: []float32{float32(math.Inf(1))}, strings: []string{strings.Repeat("y", 1<<18), "", "z"}}
	for i := range c.i32 {
		c.i32[i] = int32(i * 7)
	}
	got, err := read(write(t, c))
	require.NoError(t, err)
	assert.Equal(t, c, got)
}

// Arrays behind an Align are found in a mapped file, and read from any other.
func TestView(t *testing.T) {
	var out bytes.Buffer
	w := flat.NewWriter(&out, "testfil1")
	w.String("abc")
	w.Align()
	w.Int32s([]int32{1, -2, 3})
	w.Align()
	w.Int64s([]int64{4, -5})
	require.NoError(t, w.Close())
	b := out.Bytes()
	for _, data := range [][]byte{nil, bytes.Clone(b), b[1:]} {
		r := flat.NewReader(bytes.NewReader(b), int64(len(b)), "testfil1", data)
		assert.Equal(t, "abc", r.String())
		var seen []int32
		r.Align()
		ids := flat.View(r, func(block []int32) { seen = append(seen, block...) })
		r.Align()
		ends := flat.View(r, func([]int) {})
		require.NoError(t, r.Close())
		assert.Equal(t, []int32{1, -2, 3}, ids)
		assert.Equal(t, ids, seen)
		assert.Equal(t, []int{4, -5}, ends)
		if len(data) == len(b) && strconv.IntSize == 64 && binary.NativeEndian.Uint16([]byte{1, 0}) == 1 {
			data[24]++ // the 1, behind the magic, a length, three letters and zeros, a length
			data[32]++
			assert.NotEqual(t, []int32{1, -2, 3}, ids, "it is not copied")
		}
	}
}

func TestDamage(t *testing.T) {
	whole := write(t, content{n: 3, i32: []int32{1, 2}, s: "abc", strings: []string{"d", "ef"}})
	for i := range whole {
		_, err := read(whole[:i])
		assert.ErrorIs(t, err, flat.ErrDamaged, "cut at %d", i)
		bad := bytes.Clone(whole)
		bad[i] ^= 0x41
		_, err = read(bad)
		assert.ErrorIs(t, err, flat.ErrDamaged, "byte %d", i)
	}
	_, err := read(append(bytes.Clone(whole), 0))
	assert.ErrorIs(t, err, flat.ErrDamaged)
}

func FuzzReader(f *testing.F) {
	f.Add(write(f, content{n: 3, i32: []int32{1, 2}, s: "abc", strings: []string{"d", "ef"}}))
	f.Add([]byte("testfil1\xff\xff\xff\xff\xff\xff\xff\xff"))
	f.Fuzz(func(t *testing.T, b []byte) {
		if _, err := read(b); err != nil {
			assert.ErrorIs(t, err, flat.ErrDamaged)
		}
	})
}
