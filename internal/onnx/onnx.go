// Package onnx writes models in the Open Neural Network Exchange format
// (github.com/onnx/onnx, onnx.proto): a graph of operators on named tensors, as a
// protocol buffer. It supports the part of the format that networks of fixed shape need.
package onnx

import (
	"encoding/binary"
	"fmt"
	"maps"
	"math"
	"slices"

	"google.golang.org/protobuf/encoding/protowire"
)

// Versions of the format and of the operators in a written file. LayerNormalization is the newest
// operator used (17). onnxruntime reads both since 1.12 of July 2022.
const (
	IRVersion = 8
	Opset     = 17
)

// Model is a graph with its metadata.
type Model struct {
	Producer string // the program that wrote it
	Doc      string
	Metadata map[string]string
	Graph    Graph
}

// Graph is operators in topological order.
type Graph struct {
	Name            string
	Nodes           []Node
	Constants       []Tensor
	Inputs, Outputs []Value
}

// Node is one operator: its type, such as MatMul, and the names of its input and output tensors.
// An omitted optional input is "".
type Node struct {
	Name, Op        string
	Inputs, Outputs []string
	Attributes      []Attribute
}

// Attribute is a fixed property of a node: an int64, []int64, float32 or string.
type Attribute struct {
	Name  string
	Value any
}

// Tensor is a constant: []float32, []float64 or []int64, row-major.
type Tensor struct {
	Name string
	Dims []int64 // none: a single value
	Data any
}

// Value is an input or output of a graph.
type Value struct {
	Name string
	Type ElemType
	Dims []Dim
	Doc  string
}

// Dim is one dimension of a value: a fixed size, or a name if the size differs between calls.
type Dim struct {
	Name string
	Size int64
}

// ElemType is the type of a tensor's elements, by the format's numbers.
type ElemType int32

// The element types in use.
const (
	Float  ElemType = 1
	Int32  ElemType = 6
	Int64  ElemType = 7
	Double ElemType = 11
)

// Builder builds a graph, operator by operator. A result is named after its operator and a
// number, such as MatMul_3.
type Builder struct {
	Graph  Graph
	counts map[string]int
	err    error
}

// Err returns the first error of the builder.
func (b *Builder) Err() error { return b.err }

// Constant adds a constant and returns its name. If the graph already has a constant of that
// name, that one is used: dims must be equal, and data is ignored.
func (b *Builder) Constant(name string, data any, dims ...int) string {
	t := Tensor{Name: name, Data: data}
	for _, d := range dims {
		t.Dims = append(t.Dims, int64(d))
	}
	for _, old := range b.Graph.Constants {
		if old.Name == name {
			if b.err == nil && !slices.Equal(old.Dims, t.Dims) {
				b.err = fmt.Errorf("onnx: constant %s has the shapes %v and %v", name, old.Dims, t.Dims)
			}
			return name
		}
	}
	b.Graph.Constants = append(b.Graph.Constants, t)
	return name
}

// Input adds an input of the graph and returns its name.
func (b *Builder) Input(name string, kind ElemType, doc string, dims ...Dim) string {
	b.Graph.Inputs = append(b.Graph.Inputs, Value{name, kind, dims, doc})
	return name
}

// Output makes a tensor an output of the graph, under the given name.
func (b *Builder) Output(name, from string, kind ElemType, doc string, dims ...Dim) {
	b.node("Identity", []string{from}, []string{name}, nil)
	b.Graph.Outputs = append(b.Graph.Outputs, Value{name, kind, dims, doc})
}

// Op adds an operator with one result and returns its name.
func (b *Builder) Op(op string, inputs ...string) string { return b.With(op, nil, inputs...) }

// With is Op with attributes.
func (b *Builder) With(op string, attributes []Attribute, inputs ...string) string {
	return b.Several(op, 1, attributes, inputs...)[0]
}

// Several adds an operator with n results and returns their names.
func (b *Builder) Several(op string, n int, attributes []Attribute, inputs ...string) []string {
	name, outputs := b.name(op), make([]string, n)
	for i := range outputs {
		outputs[i] = name
		if i > 0 {
			outputs[i] = fmt.Sprintf("%s:%d", name, i)
		}
	}
	b.node(op, inputs, outputs, attributes)
	return outputs
}

func (b *Builder) node(op string, inputs, outputs []string, attributes []Attribute) {
	b.Graph.Nodes = append(b.Graph.Nodes, Node{Name: outputs[0], Op: op, Inputs: inputs, Outputs: outputs, Attributes: attributes})
}

// name returns op_1, op_2, …. No constant has such a name, because theirs contain dots.
func (b *Builder) name(op string) string {
	if b.counts == nil {
		b.counts = map[string]int{}
	}
	b.counts[op]++
	return fmt.Sprintf("%s_%d", op, b.counts[op])
}

// maxSize is the maximum size of a protocol buffer.
const maxSize = math.MaxInt32

// Encode returns the model as a file. The same model gives the same bytes.
func (m *Model) Encode() ([]byte, error) {
	var w message
	w.int(1, IRVersion)
	w.text(2, m.Producer)
	w.text(6, m.Doc)
	w.sub(7, m.Graph.encode)
	w.sub(8, func(o *message) { o.int(2, Opset) })
	for _, key := range slices.Sorted(maps.Keys(m.Metadata)) {
		w.sub(14, func(o *message) { o.text(1, key); o.text(2, m.Metadata[key]) })
	}
	if len(w) > maxSize {
		return nil, fmt.Errorf("onnx: %d bytes; the format holds no more than %d", len(w), maxSize)
	}
	return w, nil
}

func (g *Graph) encode(w *message) {
	for _, n := range g.Nodes {
		w.sub(1, n.encode)
	}
	w.text(2, g.Name)
	for _, t := range g.Constants {
		w.sub(5, t.encode)
	}
	for _, v := range g.Inputs {
		w.sub(11, v.encode)
	}
	for _, v := range g.Outputs {
		w.sub(12, v.encode)
	}
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
	default:
		panic(fmt.Sprintf("onnx: attribute %s is a %T", a.Name, a.Value))
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

func (t *Tensor) encode(w *message) {
	kind := Float
	switch t.Data.(type) {
	case []float64:
		kind = Double
	case []int64:
		kind = Int64
	}
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
