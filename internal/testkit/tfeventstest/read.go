// Package tfeventstest reads event files in tests. It shares no code with the writer: records
// are checked by the writer's tests against bytes that TensorFlow wrote.
package tfeventstest

import (
	"encoding/binary"
	"errors"
	"fmt"
	"hash/crc32"
	"math"

	"google.golang.org/protobuf/encoding/protowire"
)

// Event is the content of one record.
type Event struct {
	Time       float64 // seconds since 1970
	Step       int64
	Version    string // of the file; in the first record only
	Start      bool   // SessionLog.START
	Scalars    map[string]float32
	Histograms map[string]Histogram
}

// Histogram is a HistogramProto.
type Histogram struct {
	Min, Max, Num, Sum, SumSquares float64
	Limits, Counts                 []float64
}

// Records splits a file of TFRecords and checks every checksum.
func Records(b []byte) (records [][]byte, err error) {
	sum := func(data []byte) uint32 {
		crc := crc32.Checksum(data, crc32.MakeTable(crc32.Castagnoli))
		return (crc>>15 | crc<<17) + 0xa282ead8
	}
	for len(b) > 0 {
		if len(b) < 16 {
			return records, errors.New("the file ends within a record")
		}
		n := binary.LittleEndian.Uint64(b)
		if n > uint64(len(b)-16) || sum(b[:8]) != binary.LittleEndian.Uint32(b[8:]) || sum(b[12:12+n]) != binary.LittleEndian.Uint32(b[12+n:]) {
			return records, fmt.Errorf("record %d is damaged", len(records))
		}
		records, b = append(records, b[12:12+n]), b[16+n:]
	}
	return records, nil
}

// Read reads an event file. A tag that an event has twice, and an unknown field, are errors.
func Read(b []byte) ([]Event, error) {
	records, err := Records(b)
	var out []Event
	for _, r := range records {
		e := Event{Scalars: map[string]float32{}, Histograms: map[string]Histogram{}}
		err = errors.Join(err, fields(r, func(n protowire.Number, number uint64, bytes []byte) error {
			switch n {
			case 1:
				e.Time = math.Float64frombits(number)
			case 2:
				e.Step = int64(number)
			case 3:
				e.Version = string(bytes)
			case 5: // summary: values
				return fields(bytes, func(_ protowire.Number, _ uint64, value []byte) error { return e.add(value) })
			case 7:
				e.Start = string(bytes) == "\x08\x01" // status: START
			default:
				return fmt.Errorf("unknown field %d", n)
			}
			return nil
		}))
		out = append(out, e)
	}
	return out, err
}

// add adds a Summary.Value.
func (e *Event) add(value []byte) error {
	tag := ""
	return fields(value, func(n protowire.Number, number uint64, bytes []byte) error {
		_, scalar := e.Scalars[tag]
		_, histogram := e.Histograms[tag]
		switch {
		case n == 1:
			tag = string(bytes)
		case scalar || histogram:
			return fmt.Errorf("the tag %q is there twice", tag)
		case n == 2:
			e.Scalars[tag] = math.Float32frombits(uint32(number))
		case n == 5:
			var h Histogram
			err := fields(bytes, h.set)
			e.Histograms[tag] = h
			return err
		default:
			return fmt.Errorf("unknown field %d of tag %q", n, tag)
		}
		return nil
	})
}

// set sets a field of a HistogramProto.
func (h *Histogram) set(n protowire.Number, number uint64, bytes []byte) error {
	if n <= 5 {
		*[]*float64{&h.Min, &h.Max, &h.Num, &h.Sum, &h.SumSquares}[n-1] = math.Float64frombits(number)
		return nil
	}
	list := make([]float64, len(bytes)/8)
	*map[protowire.Number]*[]float64{6: &h.Limits, 7: &h.Counts}[n] = list
	_, err := binary.Decode(bytes, binary.LittleEndian, list)
	return err
}

// fields calls f for each field of a message, with its number or its bytes.
func fields(b []byte, f func(n protowire.Number, number uint64, bytes []byte) error) error {
	for len(b) > 0 {
		n, kind, size := protowire.ConsumeTag(b)
		if size < 0 {
			return protowire.ParseError(size)
		}
		b = b[size:]
		var number uint64
		var bytes []byte
		switch kind {
		case protowire.VarintType:
			number, size = protowire.ConsumeVarint(b)
		case protowire.Fixed64Type:
			number, size = protowire.ConsumeFixed64(b)
		case protowire.Fixed32Type:
			var v uint32
			v, size = protowire.ConsumeFixed32(b)
			number = uint64(v)
		default:
			bytes, size = protowire.ConsumeBytes(b)
		}
		if size < 0 {
			return protowire.ParseError(size)
		}
		b = b[size:]
		if err := f(n, number, bytes); err != nil {
			return err
		}
	}
	return nil
}
