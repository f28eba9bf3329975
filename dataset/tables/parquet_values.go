package tables

import (
	"bytes"
	"encoding/binary"
	"fmt"
	"hash/crc32"
	"io"
	"math"
	"strconv"

	"github.com/klauspost/compress/gzip"
	"github.com/klauspost/compress/snappy"
	"github.com/klauspost/compress/zstd"
	"github.com/parquet-go/parquet-go/format"
)

func crcOf(b []byte) uint32 { return crc32.ChecksumIEEE(b) }

// unpacker decompresses pages.
type unpacker struct{ z *zstd.Decoder }

func (u *unpacker) close() {
	if u.z != nil {
		u.z.Close()
	}
}

// bytes decompresses b, which must give n bytes.
func (u *unpacker) bytes(codec format.CompressionCodec, b []byte, n int64) ([]byte, error) {
	var r io.Reader
	switch codec {
	case format.Uncompressed:
		r = bytes.NewReader(b)
	case format.Snappy:
		if m, err := snappy.DecodedLen(b); err != nil || int64(m) != n {
			return nil, errCompact
		}
		out, err := snappy.Decode(nil, b)
		if err != nil {
			return nil, fmt.Errorf("%w: %w", errCompact, err)
		}
		return out, nil
	case format.Gzip:
		z, err := gzip.NewReader(bytes.NewReader(b))
		if err != nil {
			return nil, fmt.Errorf("%w: %w", errCompact, err)
		}
		r = z
	case format.Zstd:
		if u.z == nil {
			z, err := zstd.NewReader(nil, zstd.WithDecoderConcurrency(1), zstd.WithDecoderMaxWindow(1<<27))
			if err != nil {
				return nil, err
			}
			u.z = z
		}
		if n == 0 && len(b) == 0 {
			return nil, nil
		}
		if err := u.z.Reset(bytes.NewReader(b)); err != nil {
			return nil, fmt.Errorf("%w: %w", errCompact, err)
		}
		r = u.z
	default:
		return nil, fmt.Errorf("is compressed by %s: write it with snappy, gzip, zstd or none", codec)
	}
	var out bytes.Buffer // grows as the bytes come: n is only what the page announces
	if _, err := io.Copy(&out, io.LimitReader(r, n+1)); err != nil {
		return nil, fmt.Errorf("%w: %w", errCompact, err)
	}
	if int64(out.Len()) != n {
		return nil, fmt.Errorf("%w: a page does not unpack to the size it announces", errCompact)
	}
	return out.Bytes(), nil
}

// sized takes a part whose length stands before it.
func sized(b []byte) (part, rest []byte, err error) {
	if len(b) < 4 {
		return nil, nil, errCut
	}
	n := int64(binary.LittleEndian.Uint32(b))
	if n > int64(len(b)-4) {
		return nil, nil, errCut
	}
	return b[4 : 4+n], b[4+n:], nil
}

// plainValues reads values that stand one after the other.
func plainValues(kind format.Type, b []byte) (func() (string, error), error) {
	fixed := func(n int, show func([]byte) string) (func() (string, error), error) {
		return func() (string, error) {
			if len(b) < n {
				return "", errCut
			}
			v := b[:n]
			b = b[n:]
			return show(v), nil
		}, nil
	}
	little := binary.LittleEndian
	switch kind {
	case format.ByteArray:
		return func() (string, error) {
			v, rest, err := sized(b)
			b = rest
			return string(v), err
		}, nil
	case format.Int32:
		return fixed(4, func(v []byte) string { return strconv.Itoa(int(int32(little.Uint32(v)))) })
	case format.Int64:
		return fixed(8, func(v []byte) string { return strconv.FormatInt(int64(little.Uint64(v)), 10) })
	case format.Float:
		return fixed(4, func(v []byte) string {
			return strconv.FormatFloat(float64(math.Float32frombits(little.Uint32(v))), 'g', -1, 32)
		})
	case format.Double:
		return fixed(8, func(v []byte) string {
			return strconv.FormatFloat(math.Float64frombits(little.Uint64(v)), 'g', -1, 64)
		})
	case format.Boolean:
		bit := 0
		return func() (string, error) {
			if bit/8 >= len(b) {
				return "", errCut
			}
			v := b[bit/8]>>(bit%8)&1 == 1
			bit++
			return strconv.FormatBool(v), nil
		}, nil
	}
	return nil, fmt.Errorf("holds %s, neither text nor numbers", kind)
}

// runValues reads truth values in runs.
func runValues(kind format.Type, b []byte) (func() (string, error), error) {
	if kind != format.Boolean {
		return nil, errCompact
	}
	runs, _, err := sized(b)
	if err != nil {
		return nil, err
	}
	h := &hybrid{b: runs, width: 1}
	return func() (string, error) {
		v, err := h.next()
		return strconv.FormatBool(v == 1), err
	}, nil
}

// hybrid reads numbers of width bits in runs and bit-packed groups of eight, one
// at a time, so that a run of any length takes no room.
//
// https://parquet.apache.org/docs/file-format/data-pages/encodings/#RLE
type hybrid struct {
	b     []byte
	width uint
	left  uint64 // of the run or the groups
	value uint32 // of the run
	bits  int    // place in the groups, −1 in a run
}

func (h *hybrid) next() (uint32, error) {
	for h.left == 0 {
		n, k := binary.Uvarint(h.b)
		if k <= 0 {
			return 0, errCut
		}
		h.b = h.b[k:]
		if n&1 == 1 {
			h.left, h.bits = (n>>1)*8, 0
			if h.width > 0 && n>>1 > uint64(len(h.b)) { // a group has width bytes
				return 0, errCut
			}
			continue
		}
		size := int(h.width+7) / 8
		if len(h.b) < size {
			return 0, errCut
		}
		h.left, h.bits, h.value = n>>1, -1, 0
		for i := range size {
			h.value |= uint32(h.b[i]) << (8 * i)
		}
		h.b = h.b[size:]
	}
	h.left--
	if h.bits < 0 {
		return h.value, nil
	}
	var v uint64
	from, to := h.bits/8, (h.bits+int(h.width)+7)/8
	if to > len(h.b) { // the last group may be cut where nobody needs it
		return 0, errCut
	}
	for i := from; i < to; i++ {
		v |= uint64(h.b[i]) << (8 * (i - from))
	}
	v = v >> (h.bits % 8) & (1<<h.width - 1)
	h.bits += int(h.width)
	if h.left == 0 {
		h.b = h.b[min(len(h.b), (h.bits+7)/8):]
	}
	return uint32(v), nil
}
