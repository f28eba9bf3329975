package runs_test

import (
	"bytes"
	"crypto/sha256"
	"encoding/binary"
	"encoding/hex"
	"testing"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"imdbexp/internal/safetensors"
	"imdbexp/internal/testkit/must"
)

// file joins a header and data as the format has them.
func file(header, data string) []byte {
	b := binary.LittleEndian.AppendUint64(nil, uint64(len(header)))
	return append(append(b, header...), data...)
}

func TestWrite(t *testing.T) {
	var b bytes.Buffer
	require.NoError(t, safetensors.Write(&b, &safetensors.File{
		Metadata: map[string]string{"z": "1", "a": "é\n"},
		Tensors: []safetensors.Tensor{
			{Name: "w", Shape: []int{2, 1}, Data: []float32{1, -2}},
			{Name: "bytes", Shape: []int{3}, Data: []byte("abc")},
			{Name: "n", Data: []int64{-1}},
		},
	}))
	header := `{"__metadata__":{"a":"é\n","z":"1"},"n":{"dtype":"I64","shape":[],"data_offsets":[0,8]},` +
		`"w":{"dtype":"F32","shape":[2,1],"data_offsets":[8,16]},"bytes":{"dtype":"U8","shape":[3],"data_offsets":[16,19]}}`
	for len(header)%8 != 0 {
		header += " "
	}
	require.Equal(t, file(header, "\xff\xff\xff\xff\xff\xff\xff\xff\x00\x00\x80?\x00\x00\x00\xc0abc"), b.Bytes())
}

func TestWriteRefuses(t *testing.T) {
	for _, c := range []struct {
		want    string
		tensors []safetensors.Tensor
	}{
		{"do not fill the shape [2]", []safetensors.Tensor{{Name: "w", Shape: []int{2}, Data: []float32{1}}}},
		{"do not fill the shape [-1]", []safetensors.Tensor{{Name: "w", Shape: []int{-1}, Data: []float32{1}}}},
		{"unsupported element type []int", []safetensors.Tensor{{Name: "w", Data: []int{1}}}},
	} {
		require.ErrorContains(t, safetensors.Write(new(bytes.Buffer), &safetensors.File{Tensors: c.tensors}), c.want)
	}
}

func TestParseRefuses(t *testing.T) {
	for _, c := range []struct{ want, header, data string }{
		{"does not begin with {", ``, ""},
		{"does not begin with {", ` {}`, ""},
		{"header", `{`, ""},
		{"header: ", `{} x`, ""},
		{"not UTF-8", "{\"\xff\":1}", ""},
		{`type "F8"`, `{"a":{"dtype":"F8","shape":[1],"data_offsets":[0,1]}}`, "x"},
		{"no shape", `{"a":{"dtype":"U8","data_offsets":[0,1]}}`, "x"},
		{"impossible shape", `{"a":{"dtype":"U8","shape":[-1],"data_offsets":[0,1]}}`, "x"},
		{"impossible shape", `{"a":{"dtype":"U8","shape":[4294967296,4294967296],"data_offsets":[0,0]}}`, ""},
		{"impossible offsets", `{"a":{"dtype":"U8","shape":[1],"data_offsets":[1,0]}}`, "x"},
		{"impossible offsets", `{"a":{"dtype":"U8","shape":[1],"data_offsets":[0]}}`, "x"},
		{"do not fit 2 values", `{"a":{"dtype":"F32","shape":[2],"data_offsets":[0,9]}}`, "123456789"},
		{"but the one before ends at 0", `{"a":{"dtype":"U8","shape":[1],"data_offsets":[1,2]}}`, "xy"},
		{"but the one before ends at 2", `{"a":{"dtype":"U8","shape":[2],"data_offsets":[0,2]},"b":{"dtype":"U8","shape":[2],"data_offsets":[1,3]}}`, "xyz"},
		{"was cut off", `{"a":{"dtype":"U8","shape":[2],"data_offsets":[0,2]}}`, "x"},
		{"1 bytes follow", `{"a":{"dtype":"U8","shape":[2],"data_offsets":[0,2]}}`, "xyz"},
		{"__metadata__", `{"__metadata__":{"a":1}}`, ""},
	} {
		require.ErrorContains(t, must.Fail(safetensors.Parse(file(c.header, c.data))), c.want, "%s", c.header)
	}
	require.ErrorContains(t, must.Fail(safetensors.Parse([]byte("1234567"))), "shorter than a header")
	require.ErrorContains(t, must.Fail(safetensors.Parse([]byte("\xff\xff\xff\xff\xff\xff\xff\xff{}"))), "more than the 4194304 allowed")
	require.ErrorContains(t, must.Fail(safetensors.Parse([]byte("\x09\x00\x00\x00\x00\x00\x00\x00{}"))), "header: unexpected EOF")
}

func TestRoundTrip(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		f := &safetensors.File{Metadata: rapid.MapOfN(rapid.String(), rapid.String(), 1, 3).Draw(t, "metadata")}
		names := rapid.SliceOfNDistinct(rapid.String(), 0, 4, rapid.ID).Draw(t, "names")
		for _, name := range names {
			shape := rapid.SliceOfN(rapid.IntRange(0, 3), 0, 3).Draw(t, "shape")
			n := 1
			for _, d := range shape {
				n *= d
			}
			var data any
			switch rapid.IntRange(0, 3).Draw(t, "type") {
			case 0:
				data = rapid.SliceOfN(rapid.Float32(), n, n).Draw(t, "float32")
			case 1:
				data = rapid.SliceOfN(rapid.Float64(), n, n).Draw(t, "float64")
			case 2:
				data = rapid.SliceOfN(rapid.Int64(), n, n).Draw(t, "int64")
			default:
				data = rapid.SliceOfN(rapid.Byte(), n, n).Draw(t, "bytes")
			}
			f.Tensors = append(f.Tensors, safetensors.Tensor{Name: name, Shape: shape, Data: data})
		}
		var once, twice bytes.Buffer
		require.NoError(t, safetensors.Write(&once, f))
		back := must.Get(safetensors.Parse(once.Bytes()))(t)
		require.Equal(t, f.Metadata, back.Metadata)
		require.Len(t, back.Tensors, len(names))
		for _, want := range f.Tensors {
			require.Contains(t, back.Tensors, want)
		}
		require.NoError(t, safetensors.Write(&twice, back))
		require.Equal(t, once.Bytes(), twice.Bytes())
		metadata := must.Get(safetensors.ReadMetadata(&once))(t)
		require.Equal(t, f.Metadata, metadata)
	})
}

func TestGet(t *testing.T) {
	f := &safetensors.File{Tensors: []safetensors.Tensor{{Name: "w", Shape: []int{2}, Data: []float32{1, 2}}}}
	values, shape := must.Get2(safetensors.Get[float32](f, "w"))(t)
	require.Equal(t, []float32{1, 2}, values)
	require.Equal(t, []int{2}, shape)
	require.ErrorContains(t, must.Fail2(safetensors.Get[int64](f, "w")), "holds []float32, not []int64")
	require.ErrorContains(t, must.Fail2(safetensors.Get[float32](f, "v")), `no tensor "v"`)
}

func FuzzParse(f *testing.F) {
	f.Add(file(`{}`, ""))
	f.Add(file(`{"__metadata__":{"a":"b"},"a":{"dtype":"F32","shape":[1],"data_offsets":[0,4]},"b":{"dtype":"U8","shape":[2],"data_offsets":[4,6]}}`, "1234xy"))
	f.Fuzz(func(t *testing.T, b []byte) {
		parsed, err := safetensors.Parse(b)
		if err != nil {
			return
		}
		var w bytes.Buffer
		require.NoError(t, safetensors.Write(&w, parsed))
		again := must.Get(safetensors.Parse(w.Bytes()))(t)
		require.Len(t, again.Tensors, len(parsed.Tensors))
	})
}

// Every changed byte of a sealed file is detected; a file without a checksum is an error.
func TestSealed(t *testing.T) {
	f := &safetensors.File{Tensors: []safetensors.Tensor{{Name: "w", Shape: []int{2}, Data: []float32{1, 2}}}}
	var b bytes.Buffer
	require.NoError(t, safetensors.Write(&b, f))
	require.ErrorContains(t, safetensors.Verify(b.Bytes(), f), "no checksum")
	b.Reset()
	require.NoError(t, safetensors.WriteSealed(&b, f))
	read := must.Get(safetensors.Parse(b.Bytes()))(t)
	require.NoError(t, safetensors.Verify(b.Bytes(), read))
	for i := range b.Len() {
		changed := bytes.Clone(b.Bytes())
		changed[i] ^= 1
		require.Error(t, safetensors.Verify(changed, read), i)
	}
}

// The sum of the values is that of the bytes after the header. Metadata does not change it.
func TestValuesSum(t *testing.T) {
	f := &safetensors.File{Tensors: []safetensors.Tensor{{Name: "w", Shape: []int{2}, Data: []float32{1, 2}}}}
	sum := must.Get(safetensors.ValuesSum(f))(t)
	want := sha256.Sum256([]byte{0, 0, 0x80, 0x3f, 0, 0, 0, 0x40}) // 1 and 2, little-endian
	require.Equal(t, hex.EncodeToString(want[:]), sum)
	f.Metadata = map[string]string{"about": "other"}
	again := must.Get(safetensors.ValuesSum(f))(t)
	require.Equal(t, sum, again)
}
