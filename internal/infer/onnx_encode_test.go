package infer_test

import (
	"encoding/binary"
	"math"
	"testing"

	"github.com/stretchr/testify/require"
	"google.golang.org/protobuf/reflect/protoreflect"
	"pgregory.net/rapid"

	"imdbexp/internal/onnx"
	"imdbexp/internal/testkit/must"
)

// model is a small one with everything in it.
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
	return &onnx.Model{Producer: "p", Doc: "d", Graph: b.Graph, Metadata: []onnx.Entry{{Key: "k", Value: "v"}}}
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

func TestTensorValues(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		ints := rapid.SliceOf(rapid.Int64()).Draw(t, "values")
		m := &onnx.Model{Graph: onnx.Graph{Constants: []onnx.Tensor{{Name: "c", Dims: []int64{int64(len(ints))}, Data: ints}}}}
		b := must.Get(m.Encode())(t)
		read := read(t, b)
		require.EqualValues(t, 7, get(read, "graph", "initializer", "data_type").Int())
		raw := get(read, "graph", "initializer", "raw_data").Bytes()
		require.Len(t, raw, 8*len(ints))
		for i, v := range ints {
			require.EqualValues(t, v, binary.LittleEndian.Uint64(raw[8*i:]))
		}
	})
}
