package onnx

import (
	"encoding/binary"
	"fmt"
	"math"

	"google.golang.org/protobuf/encoding/protowire"
)

// maxSize is the maximum size of a protocol buffer.
const maxSize = math.MaxInt32

// Encode returns the model as a file. The same model gives the same bytes.
func (m *Model) Encode() ([]byte, error) {
	graph, err := m.Graph.encode()
	if err != nil {
		return nil, fmt.Errorf("onnx: %w", err)
	}
	var w message
	w.int(1, IRVersion)
	w.text(2, m.Producer)
	w.text(6, m.Doc)
	w.bytes(7, graph)
	w.sub(8, func(o *message) { o.int(2, Opset) })
	for _, e := range m.Metadata {
		w.sub(14, func(o *message) { o.text(1, e.Key); o.text(2, e.Value) })
	}
	if len(w) > maxSize {
		return nil, fmt.Errorf("onnx: %d bytes; the format holds no more than %d", len(w), maxSize)
	}
	return w, nil
}

func (g *Graph) encode() (message, error) {
	var w message
	for _, n := range g.Nodes {
		if err := n.check(); err != nil {
			return nil, err
		}
		w.sub(1, n.encode)
	}
	w.text(2, g.Name)
	for _, t := range g.Constants {
		if err := t.check(); err != nil {
			return nil, err
		}
		w.sub(5, t.encode)
	}
	for _, v := range g.Inputs {
		w.sub(11, v.encode)
	}
	for _, v := range g.Outputs {
		w.sub(12, v.encode)
	}
	return w, nil
}

func (n *Node) check() error {
	for _, a := range n.Attributes {
		switch a.Value.(type) {
		case int64, []int64, float32, string:
		default:
			return fmt.Errorf("node %s: attribute %s is a %T", n.Name, a.Name, a.Value)
		}
	}
	return nil
}

func (n *Node) encode(w *message) {
	for _, s := range n.Inputs {
		w.bytes(1, []byte(s)) // an omitted input is an empty text
	}
	for _, s := range n.Outputs {
		w.bytes(2, []byte(s))
	}
	w.text(3, n.Name)
	w.text(4, n.Op)
	for _, a := range n.Attributes {
		w.sub(5, a.encode)
	}
}

func (a *Attribute) encode(w *message) {
	w.text(1, a.Name)
	kind := int64(0)
	switch v := a.Value.(type) {
	case float32:
		kind = 1
		w.float(2, v)
	case int64:
		kind = 2
		w.int(3, v)
	case string:
		kind = 3
		w.text(4, v)
	case []int64:
		kind = 7
		for _, i := range v {
			w.int(8, i)
		}
	}
	w.int(20, kind)
}

func (v *Value) encode(w *message) {
	w.text(1, v.Name)
	w.sub(2, func(t *message) { // TypeProto
		t.sub(1, func(t *message) { // its Tensor
			t.int(1, int64(v.Type))
			t.sub(2, func(s *message) {
				for _, d := range v.Dims {
					s.sub(1, d.encode)
				}
			})
		})
	})
	w.text(3, v.Doc)
}

func (d *Dim) encode(w *message) {
	if d.Name != "" {
		w.text(2, d.Name)
		return
	}
	w.int(1, d.Size)
}

// elements returns the type and number of a tensor's values, or an error for a type that the
// package does not write.
func (t *Tensor) elements() (kind ElemType, n int, err error) {
	switch d := t.Data.(type) {
	case []float32:
		return Float, len(d), nil
	case []float64:
		return Double, len(d), nil
	case []int64:
		return Int64, len(d), nil
	}
	return 0, 0, fmt.Errorf("constant %s is a %T", t.Name, t.Data)
}

func (t *Tensor) check() error {
	_, n, err := t.elements()
	if err != nil {
		return err
	}
	want := int64(1)
	for _, d := range t.Dims {
		want *= d
	}
	if int64(n) != want {
		return fmt.Errorf("constant %s: %d values do not fill the shape %v", t.Name, n, t.Dims)
	}
	return nil
}

func (t *Tensor) encode(w *message) {
	kind, _, _ := t.elements()
	for _, d := range t.Dims {
		w.int(1, d)
	}
	w.int(2, int64(kind))
	w.text(8, t.Name)
	raw, _ := binary.Append(nil, binary.LittleEndian, t.Data) // numbers have a fixed size
	w.bytes(9, raw)
}

// message is a protocol buffer being written. An empty text is omitted. Other fields are
// written even if they have their default value, as the elements of a list must be.
type message []byte

func (w *message) int(field protowire.Number, v int64) {
	*w = protowire.AppendVarint(protowire.AppendTag(*w, field, protowire.VarintType), uint64(v))
}

func (w *message) float(field protowire.Number, v float32) {
	*w = protowire.AppendFixed32(protowire.AppendTag(*w, field, protowire.Fixed32Type), math.Float32bits(v))
}

func (w *message) bytes(field protowire.Number, b []byte) {
	*w = protowire.AppendBytes(protowire.AppendTag(*w, field, protowire.BytesType), b)
}

func (w *message) text(field protowire.Number, s string) {
	if s != "" {
		w.bytes(field, []byte(s))
	}
}

func (w *message) sub(field protowire.Number, fill func(*message)) {
	var inner message
	fill(&inner)
	w.bytes(field, inner)
}
