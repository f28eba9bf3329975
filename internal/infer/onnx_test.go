package infer_test

import (
	"encoding/binary"
	"math"
	"testing"

	"github.com/stretchr/testify/require"
	"google.golang.org/protobuf/proto"
	"google.golang.org/protobuf/reflect/protodesc"
	"google.golang.org/protobuf/reflect/protoreflect"
	"google.golang.org/protobuf/types/descriptorpb"
	"google.golang.org/protobuf/types/dynamicpb"

	"imdbexp/internal/onnx"
	"imdbexp/internal/testkit/must"
)

// model is a small graph that uses every feature of the writer.
func model() *onnx.Model {
	var b onnx.Builder
	b.Graph.Name = "g"
	x := b.Input("x", onnx.Float, "numbers", onnx.Dim{Name: "batch"}, onnx.Dim{Size: 3})
	w := b.Constant("w", []float32{1, -2, 0.5}, 3)
	b.Constant("w", []float32{9, 9, 9}, 3) // there already
	y := b.Several("LSTM", 2, []onnx.Attribute{
		{Name: "f", Value: float32(0.25)}, {Name: "i", Value: int64(-1)}, {Name: "s", Value: "forward"}, {Name: "ints", Value: []int64{1, 0}},
	}, x, "", w)
	b.Output("z", b.Op("Add", y[1], w), onnx.Float, "", onnx.Dim{Size: 3})
	return &onnx.Model{Producer: "p", Doc: "d", Graph: b.Graph, Metadata: map[string]string{"k": "v"}}
}

// One name cannot stand for constants of two shapes.
func TestConstantTwice(t *testing.T) {
	var b onnx.Builder
	b.Constant("w", []float32{1, 2}, 2)
	b.Constant("w", []float32{1, 2}, 2)
	require.NoError(t, b.Err())
	b.Constant("w", []float32{1, 2}, 1, 2)
	b.Constant("w", []float32{1}, 1)
	require.EqualError(t, b.Err(), "onnx: constant w has the shapes [2] and [1 2]")
}

// The file is what protobuf's own library reads by the format's schema.
func TestEncode(t *testing.T) {
	b := must.Get(model().Encode())(t)
	m := read(t, b)
	require.EqualValues(t, onnx.IRVersion, get(m, "ir_version").Int())
	require.EqualValues(t, onnx.Opset, get(m, "opset_import", "version").Int())
	require.Equal(t, "p", get(m, "producer_name").String())
	require.Equal(t, "v", get(m, "metadata_props", "value").String())

	nodes := get(m, "graph", "node").List()
	require.Equal(t, 3, nodes.Len())
	lstm := nodes.Get(0).Message()
	require.Equal(t, "LSTM", get(lstm, "op_type").String())
	require.Equal(t, []string{"x", "", "w"}, list(get(lstm, "input")), "an input left out keeps its place")
	require.Equal(t, []string{"LSTM_1", "LSTM_1:1"}, list(get(lstm, "output")))
	kinds := map[string]int64{}
	attributes := get(lstm, "attribute").List()
	for i := range attributes.Len() {
		a := attributes.Get(i).Message()
		kinds[get(a, "name").String()] = get(a, "type").Int()
	}
	require.Equal(t, map[string]int64{"f": 1, "i": 2, "s": 3, "ints": 7}, kinds)
	require.EqualValues(t, float32(0.25), get(lstm, "attribute", "f").Float())
	require.EqualValues(t, -1, get(attributes.Get(1).Message(), "i").Int())
	require.Equal(t, "forward", string(get(attributes.Get(2).Message(), "s").Bytes()))
	require.Equal(t, []string{"1", "0"}, list(get(attributes.Get(3).Message(), "ints")))

	require.Equal(t, 1, get(m, "graph", "initializer").List().Len())
	raw := get(m, "graph", "initializer", "raw_data").Bytes()
	require.Len(t, raw, 12)
	require.Equal(t, float32(-2), math.Float32frombits(binary.LittleEndian.Uint32(raw[4:])))
	require.EqualValues(t, 1, get(m, "graph", "initializer", "data_type").Int())
	dims := get(m, "graph", "input", "type", "tensor_type", "shape", "dim").List()
	require.Equal(t, "batch", get(dims.Get(0).Message(), "dim_param").String())
	require.EqualValues(t, 3, get(dims.Get(1).Message(), "dim_value").Int())
	require.Equal(t, "z", get(m, "graph", "output", "name").String())
}

// list returns a repeated field as text.
func list(v protoreflect.Value) []string {
	var out []string
	for i := range v.List().Len() {
		out = append(out, v.List().Get(i).String())
	}
	return out
}

// field is one line of onnx.proto.
type field struct {
	number   int32
	name     string
	kind     string // int64, float, string, bytes, or a message
	repeated bool
}

// schema is the part of onnx.proto (IR version 8) that the writer uses, from the
// format's own text: protobuf's library reads files by it.
var schema = map[string][]field{
	"ModelProto": {
		{1, "ir_version", "int64", false}, {8, "opset_import", "OperatorSetIdProto", true}, {2, "producer_name", "string", false},
		{3, "producer_version", "string", false}, {4, "domain", "string", false}, {5, "model_version", "int64", false},
		{6, "doc_string", "string", false}, {7, "graph", "GraphProto", false}, {14, "metadata_props", "StringStringEntryProto", true},
	},
	"OperatorSetIdProto":     {{1, "domain", "string", false}, {2, "version", "int64", false}},
	"StringStringEntryProto": {{1, "key", "string", false}, {2, "value", "string", false}},
	"GraphProto": {
		{1, "node", "NodeProto", true}, {2, "name", "string", false}, {5, "initializer", "TensorProto", true},
		{10, "doc_string", "string", false}, {11, "input", "ValueInfoProto", true}, {12, "output", "ValueInfoProto", true},
	},
	"NodeProto": {
		{1, "input", "string", true}, {2, "output", "string", true}, {3, "name", "string", false}, {4, "op_type", "string", false},
		{7, "domain", "string", false}, {5, "attribute", "AttributeProto", true}, {6, "doc_string", "string", false},
	},
	"AttributeProto": {
		{1, "name", "string", false}, {20, "type", "int32", false}, {2, "f", "float", false}, {3, "i", "int64", false},
		{4, "s", "bytes", false}, {7, "floats", "float", true}, {8, "ints", "int64", true}, {9, "strings", "bytes", true},
	},
	"TensorProto": {
		{1, "dims", "int64", true}, {2, "data_type", "int32", false}, {8, "name", "string", false}, {9, "raw_data", "bytes", false},
	},
	"ValueInfoProto":   {{1, "name", "string", false}, {2, "type", "TypeProto", false}, {3, "doc_string", "string", false}},
	"TypeProto":        {{1, "tensor_type", "Tensor", false}},
	"Tensor":           {{1, "elem_type", "int32", false}, {2, "shape", "TensorShapeProto", false}},
	"TensorShapeProto": {{1, "dim", "Dimension", true}},
	"Dimension":        {{1, "dim_value", "int64", false}, {2, "dim_param", "string", false}},
}

var scalars = map[string]descriptorpb.FieldDescriptorProto_Type{
	"int32": descriptorpb.FieldDescriptorProto_TYPE_INT32, "int64": descriptorpb.FieldDescriptorProto_TYPE_INT64,
	"float": descriptorpb.FieldDescriptorProto_TYPE_FLOAT, "string": descriptorpb.FieldDescriptorProto_TYPE_STRING,
	"bytes": descriptorpb.FieldDescriptorProto_TYPE_BYTES,
}

// read reads a file with protobuf's own library, and refuses one that holds
// anything beyond the schema.
func read(t require.TestingT, b []byte) protoreflect.Message {
	file := &descriptorpb.FileDescriptorProto{Name: proto.String("onnx.proto"), Syntax: proto.String("proto2")}
	for name, fields := range schema {
		m := &descriptorpb.DescriptorProto{Name: proto.String(name)}
		for _, f := range fields {
			d := &descriptorpb.FieldDescriptorProto{Name: proto.String(f.name), Number: proto.Int32(f.number)}
			d.Label = descriptorpb.FieldDescriptorProto_LABEL_OPTIONAL.Enum()
			if f.repeated {
				d.Label = descriptorpb.FieldDescriptorProto_LABEL_REPEATED.Enum()
			}
			if kind, ok := scalars[f.kind]; ok {
				d.Type = kind.Enum()
			} else {
				d.Type, d.TypeName = descriptorpb.FieldDescriptorProto_TYPE_MESSAGE.Enum(), proto.String("."+f.kind)
			}
			m.Field = append(m.Field, d)
		}
		file.MessageType = append(file.MessageType, m)
	}
	desc := must.Get(protodesc.NewFile(file, nil))(t)
	m := dynamicpb.NewMessage(desc.Messages().ByName("ModelProto"))
	require.NoError(t, proto.Unmarshal(b, m))
	noUnknown(t, m)
	return m
}

func noUnknown(t require.TestingT, m protoreflect.Message) {
	require.Empty(t, m.GetUnknown(), "fields of %s", m.Descriptor().Name())
	m.Range(func(f protoreflect.FieldDescriptor, v protoreflect.Value) bool {
		switch {
		case f.Message() == nil:
		case f.IsList():
			for i := range v.List().Len() {
				noUnknown(t, v.List().Get(i).Message())
			}
		default:
			noUnknown(t, v.Message())
		}
		return true
	})
}

// get follows a path of field names, the first of a list where there are several.
func get(m protoreflect.Message, path ...string) protoreflect.Value {
	f := m.Descriptor().Fields().ByName(protoreflect.Name(path[0]))
	v := m.Get(f)
	if len(path) == 1 {
		return v
	}
	if f.IsList() {
		v = v.List().Get(0)
	}
	return get(v.Message(), path[1:]...)
}
