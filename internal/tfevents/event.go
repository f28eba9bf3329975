package tfevents

import (
	"encoding/binary"
	"math"
	"time"

	"google.golang.org/protobuf/encoding/protowire"
)

// Event is the values of one step of a run.
type Event struct {
	Time   time.Time
	Step   int
	Values []Value
}

// Value is one number or one distribution of a step. TensorBoard requires different tags for
// numbers and distributions, and groups tags by the text before the first "/".
type Value struct {
	Tag       string
	Scalar    float64    // written as a float32
	Histogram *Histogram // instead of Scalar, if not nil
}

// Histogram counts values in buckets: bucket i counts the values from Limits[i-1] to
// Limits[i], and the first bucket those from Min on.
type Histogram struct {
	Min, Max        float64
	Sum, SumSquares float64   // of the values counted
	Limits          []float64 // upper limits, increasing
	Counts          []float64 // one for each limit
}

// version is the newest version of event files.
const version = "brain.Event:2"

// appendHead appends the first two records of a file: its version, and the start of a session
// at step 0. This start makes TensorBoard discard the events of the run from other files. Here and
// below, Event and SessionLog in tensorflow/core/util/event.proto, and Summary and HistogramProto
// in tensorflow/core/framework/summary.proto define the field numbers.
func appendHead(b []byte, at time.Time) []byte {
	b = AppendRecord(b, appendBytes(appendStamp(nil, at, 0), 3, []byte(version)))
	start := protowire.AppendVarint(protowire.AppendTag(nil, 1, protowire.VarintType), 1) // status START
	return AppendRecord(b, appendBytes(appendStamp(nil, at, 0), 7, start))
}

// appendEvent appends an event as one record.
func appendEvent(b []byte, e Event) []byte {
	var summary []byte
	for _, v := range e.Values {
		summary = appendBytes(summary, 1, v.encode())
	}
	return AppendRecord(b, appendBytes(appendStamp(nil, e.Time, e.Step), 5, summary))
}

func appendStamp(b []byte, at time.Time, step int) []byte {
	b = appendDouble(b, 1, float64(at.UnixNano())/1e9)
	if step == 0 { // as everywhere in proto3, zero is not written
		return b
	}
	b = protowire.AppendTag(b, 2, protowire.VarintType)
	return protowire.AppendVarint(b, uint64(step))
}

func (v Value) encode() []byte {
	b := appendBytes(nil, 1, []byte(v.Tag))
	if v.Histogram != nil {
		return appendBytes(b, 5, v.Histogram.encode())
	}
	b = protowire.AppendTag(b, 2, protowire.Fixed32Type)
	return protowire.AppendFixed32(b, math.Float32bits(float32(v.Scalar)))
}

func (h *Histogram) encode() []byte {
	num := 0.0
	for _, n := range h.Counts {
		num += n
	}
	var b []byte
	for i, v := range []float64{h.Min, h.Max, num, h.Sum, h.SumSquares} {
		b = appendDouble(b, protowire.Number(i+1), v)
	}
	for i, list := range [][]float64{h.Limits, h.Counts} {
		packed, _ := binary.Append(nil, binary.LittleEndian, list) // numbers have a fixed size
		b = appendBytes(b, protowire.Number(i+6), packed)
	}
	return b
}

// appendBytes appends a field with a text, a message or packed numbers.
func appendBytes(b []byte, field protowire.Number, value []byte) []byte {
	return protowire.AppendBytes(protowire.AppendTag(b, field, protowire.BytesType), value)
}

func appendDouble(b []byte, field protowire.Number, x float64) []byte {
	b = protowire.AppendTag(b, field, protowire.Fixed64Type)
	return protowire.AppendFixed64(b, math.Float64bits(x))
}
