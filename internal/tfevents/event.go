package tfevents

import (
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

// Field numbers of tensorflow/core/util/event.proto and
// tensorflow/core/framework/summary.proto.
const (
	eventWallTime    = 1
	eventStep        = 2
	eventFileVersion = 3
	eventSummary     = 5
	eventSessionLog  = 7

	sessionStatus = 1
	sessionStart  = 1 // SessionLog.START

	summaryValue = 1
	valueTag     = 1
	valueSimple  = 2
	valueHisto   = 5

	histoMin     = 1
	histoMax     = 2
	histoNum     = 3
	histoSum     = 4
	histoSquares = 5
	histoLimits  = 6
	histoBuckets = 7
)

// version is the newest version of event files.
const version = "brain.Event:2"

// appendHead appends the first two records of a file: its version, and the start of a session
// at step 0, at which TensorBoard discards what it has read of the run from other files.
func appendHead(b []byte, at time.Time) []byte {
	e := appendStamp(nil, at, 0)
	e = protowire.AppendTag(e, eventFileVersion, protowire.BytesType)
	b = AppendRecord(b, protowire.AppendString(e, version))

	e = appendStamp(nil, at, 0)
	status := protowire.AppendTag(nil, sessionStatus, protowire.VarintType)
	return AppendRecord(b, appendMessage(e, eventSessionLog, protowire.AppendVarint(status, sessionStart)))
}

// appendEvent appends an event as one record.
func appendEvent(b []byte, e Event) []byte {
	var summary []byte
	for _, v := range e.Values {
		summary = appendMessage(summary, summaryValue, v.encode())
	}
	return AppendRecord(b, appendMessage(appendStamp(nil, e.Time, e.Step), eventSummary, summary))
}

func appendStamp(b []byte, at time.Time, step int) []byte {
	b = appendDouble(b, eventWallTime, float64(at.UnixNano())/1e9)
	if step == 0 { // as everywhere in proto3, zero is not written
		return b
	}
	b = protowire.AppendTag(b, eventStep, protowire.VarintType)
	return protowire.AppendVarint(b, uint64(step))
}

func (v Value) encode() []byte {
	b := protowire.AppendTag(nil, valueTag, protowire.BytesType)
	b = protowire.AppendString(b, v.Tag)
	if v.Histogram != nil {
		return appendMessage(b, valueHisto, v.Histogram.encode())
	}
	b = protowire.AppendTag(b, valueSimple, protowire.Fixed32Type)
	return protowire.AppendFixed32(b, math.Float32bits(float32(v.Scalar)))
}

func (h *Histogram) encode() []byte {
	num := 0.0
	for _, n := range h.Counts {
		num += n
	}
	var b []byte
	for _, f := range []struct {
		number protowire.Number
		value  float64
	}{{histoMin, h.Min}, {histoMax, h.Max}, {histoNum, num}, {histoSum, h.Sum}, {histoSquares, h.SumSquares}} {
		b = appendDouble(b, f.number, f.value)
	}
	b = appendMessage(b, histoLimits, doubles(h.Limits))
	return appendMessage(b, histoBuckets, doubles(h.Counts))
}

func appendMessage(b []byte, field protowire.Number, message []byte) []byte {
	b = protowire.AppendTag(b, field, protowire.BytesType)
	return protowire.AppendBytes(b, message)
}

func appendDouble(b []byte, field protowire.Number, x float64) []byte {
	b = protowire.AppendTag(b, field, protowire.Fixed64Type)
	return protowire.AppendFixed64(b, math.Float64bits(x))
}

// doubles is a packed field of doubles.
func doubles(xs []float64) []byte {
	var b []byte
	for _, x := range xs {
		b = protowire.AppendFixed64(b, math.Float64bits(x))
	}
	return b
}
