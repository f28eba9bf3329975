package infer_test

import (
	"testing"

	"github.com/stretchr/testify/require"
	"google.golang.org/protobuf/proto"
	"google.golang.org/protobuf/reflect/protodesc"
	"google.golang.org/protobuf/reflect/protoreflect"
	"google.golang.org/protobuf/types/descriptorpb"
	"google.golang.org/protobuf/types/dynamicpb"
)

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
	desc, err := protodesc.NewFile(file, nil)
	require.NoError(t, err)
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

func TestReaderKnowsItsSchema(t *testing.T) {
	m := read(t, []byte{0x08, 8}) // field 1, varint
	require.EqualValues(t, 8, get(m, "ir_version").Int())
	require.Panics(t, func() { read(failing{}, []byte{0x78, 1}) }, "field 15 is not in it")
}

// failing is a test that stops by a panic.
type failing struct{}

func (failing) Errorf(string, ...any) {}
func (failing) FailNow()              { panic("failed") }
