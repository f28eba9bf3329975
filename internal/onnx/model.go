// Package onnx writes models in the Open Neural Network Exchange format
// (github.com/onnx/onnx, onnx.proto): a graph of operators on named tensors, as a
// protocol buffer. It supports the part of the format that networks of fixed shape need.
package onnx

import (
	"fmt"
	"slices"
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
	Metadata []Entry
	Graph    Graph
}

// Entry is one line of a model's metadata.
type Entry struct{ Key, Value string }

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
