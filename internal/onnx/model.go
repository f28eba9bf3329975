// Package onnx writes models in the Open Neural Network Exchange format
// (github.com/onnx/onnx, onnx.proto): a graph of operators on named tensors, as a
// protocol buffer. It supports the part of the format that networks of fixed shape need.
package onnx

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
