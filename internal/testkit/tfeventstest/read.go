package tfeventstest

import (
	"errors"
	"fmt"

	"google.golang.org/protobuf/proto"
	"google.golang.org/protobuf/reflect/protoreflect"
	"google.golang.org/protobuf/types/dynamicpb"
)

// Event is what one record says.
type Event struct {
	Time       float64 // seconds since 1970
	Step       int64
	Version    string // of the file, where the record tells it
	Start      bool   // SessionLog.START
	Scalars    map[string]float32
	Histograms map[string]Histogram
}

// Histogram is a HistogramProto.
type Histogram struct {
	Min, Max, Num, Sum, SumSquares float64
	Limits, Counts                 []float64
}

// Read reads an event file. Tags that an event has twice, and fields that
// TensorFlow does not have, are errors; the events before an error come with it.
func Read(b []byte) ([]Event, error) {
	records, cut := Records(b)
	d, err := eventType()
	if err != nil {
		return nil, err
	}
	var out []Event
	for i, r := range records {
		m := dynamicpb.NewMessage(d)
		err := proto.Unmarshal(r, m)
		if err == nil {
			err = known(m)
		}
		if err != nil {
			return out, fmt.Errorf("event %d: %w", i, err)
		}
		e, err := event(m)
		if err != nil {
			return out, fmt.Errorf("event %d: %w", i, err)
		}
		out = append(out, e)
	}
	return out, cut
}

func event(m protoreflect.Message) (Event, error) {
	e := Event{
		Time: field(m, "wall_time").Float(), Step: field(m, "step").Int(), Version: field(m, "file_version").String(),
		Start: field(m, "session_log", "status").Enum() == 1, Scalars: map[string]float32{}, Histograms: map[string]Histogram{},
	}
	values := field(m, "summary", "value").List()
	for i := range values.Len() {
		v := values.Get(i).Message()
		tag := field(v, "tag").String()
		_, scalar := e.Scalars[tag]
		if _, histogram := e.Histograms[tag]; scalar || histogram {
			return e, fmt.Errorf("the tag %q is there twice", tag)
		}
		switch holds(v, "value") {
		case "simple_value":
			e.Scalars[tag] = float32(field(v, "simple_value").Float())
		case "histo":
			h, err := histogram(v)
			if err != nil {
				return e, fmt.Errorf("tag %q: %w", tag, err)
			}
			e.Histograms[tag] = h
		default:
			return e, fmt.Errorf("the tag %q has no value", tag)
		}
	}
	return e, nil
}

func histogram(v protoreflect.Message) (Histogram, error) {
	number := func(name protoreflect.Name) float64 { return field(v, "histo", name).Float() }
	numbers := func(name protoreflect.Name) (out []float64) {
		list := field(v, "histo", name).List()
		for i := range list.Len() {
			out = append(out, list.Get(i).Float())
		}
		return out
	}
	h := Histogram{
		Min: number("min"), Max: number("max"), Num: number("num"), Sum: number("sum"), SumSquares: number("sum_squares"),
		Limits: numbers("bucket_limit"), Counts: numbers("bucket"),
	}
	if len(h.Limits) != len(h.Counts) {
		return h, errors.New("not one count a limit")
	}
	return h, nil
}
