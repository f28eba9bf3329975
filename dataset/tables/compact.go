package tables

import (
	"encoding/binary"
	"errors"
)

// compact walks over bytes in Thrift's compact protocol without keeping
// anything. Package parquet believes the sizes that such bytes announce and
// makes room for them; what has passed here announces no more than is there.
//
// https://github.com/apache/thrift/blob/master/doc/specs/thrift-compact-protocol.md
type compact struct {
	b     []byte
	at    int
	items int // structs in lists, counted down
	depth int
}

// Wire types of the protocol.
const (
	typeTrue   = 1
	typeFalse  = 2
	typeByte   = 3
	typeI16    = 4
	typeI32    = 5
	typeI64    = 6
	typeDouble = 7
	typeBinary = 8
	typeList   = 9
	typeSet    = 10
	typeMap    = 11
	typeStruct = 12
)

var (
	errCut     = errors.New("cut off")
	errCompact = errors.New("not what Parquet has there")
)

// structure walks over a struct and tells visit about its numbers: i16, i32, i64
// as they are, truth values as 0 and 1. A field of a struct in a struct has the
// path outer, inner; deeper ones and those in lists are not told.
func (c *compact) structure(visit func(outer, field int, value int64)) error {
	return c.fields(0, visit)
}

func (c *compact) fields(outer int, visit func(outer, field int, value int64)) error {
	if c.depth++; c.depth > 32 {
		return errCompact
	}
	defer func() { c.depth-- }()
	id := 0
	for {
		h, err := c.byte()
		if err != nil {
			return err
		}
		if h == 0 {
			return nil
		}
		if delta := int(h >> 4); delta != 0 {
			id += delta
		} else {
			n, err := c.varint()
			if err != nil {
				return err
			}
			id = int(int16(n))
		}
		switch typ := h & 15; typ {
		case typeTrue, typeFalse:
			if visit != nil {
				visit(outer, id, int64(2-typ))
			}
		case typeI16, typeI32, typeI64:
			n, err := c.varint()
			if err != nil {
				return err
			}
			if visit != nil {
				visit(outer, id, n)
			}
		case typeStruct:
			inner := visit
			if outer != 0 {
				inner = nil
			}
			if err := c.fields(id, inner); err != nil {
				return err
			}
		default:
			if err := c.skip(typ); err != nil {
				return err
			}
		}
	}
}

// skip walks over a value. Truth values are told by their type in a struct; in
// lists and maps they take a byte.
func (c *compact) skip(typ byte) error {
	switch typ {
	case typeTrue, typeFalse, typeByte:
		return c.pass(1)
	case typeI16, typeI32, typeI64:
		_, err := c.varint()
		return err
	case typeDouble:
		return c.pass(8)
	case typeBinary:
		n, err := c.size()
		if err != nil {
			return err
		}
		return c.pass(n)
	case typeList, typeSet:
		h, err := c.byte()
		if err != nil {
			return err
		}
		n := int(h >> 4)
		if n == 15 {
			if n, err = c.size(); err != nil {
				return err
			}
		}
		return c.repeat(n, h&15)
	case typeMap:
		n, err := c.size()
		if err != nil || n == 0 {
			return err
		}
		h, err := c.byte()
		if err != nil {
			return err
		}
		return c.repeat(n, h>>4, h&15)
	case typeStruct:
		return c.fields(-1, nil)
	}
	return errCompact
}

// repeat walks over n times the types.
func (c *compact) repeat(n int, types ...byte) error {
	if n > len(c.b)-c.at { // each takes a byte at least
		return errCut
	}
	if c.items -= n; c.items < 0 {
		return errCompact
	}
	if c.depth++; c.depth > 32 {
		return errCompact
	}
	defer func() { c.depth-- }()
	for range n {
		for _, t := range types {
			if err := c.skip(t); err != nil {
				return err
			}
		}
	}
	return nil
}

func (c *compact) byte() (byte, error) {
	if c.at >= len(c.b) {
		return 0, errCut
	}
	c.at++
	return c.b[c.at-1], nil
}

func (c *compact) pass(n int) error {
	if n < 0 || n > len(c.b)-c.at {
		return errCut
	}
	c.at += n
	return nil
}

// size reads the length of what follows, which must be there.
func (c *compact) size() (int, error) {
	n, k := binary.Uvarint(c.b[c.at:])
	if k == 0 || k > 0 && n > uint64(len(c.b)-c.at-k) {
		return 0, errCut
	}
	if k < 0 {
		return 0, errCompact
	}
	c.at += k
	return int(n), nil
}

// varint reads a number in zigzag form.
func (c *compact) varint() (int64, error) {
	n, k := binary.Varint(c.b[c.at:])
	if k == 0 {
		return 0, errCut
	}
	if k < 0 {
		return 0, errCompact
	}
	c.at += k
	return n, nil
}
