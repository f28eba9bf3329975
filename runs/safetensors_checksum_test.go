package runs_test

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"testing"

	"github.com/stretchr/testify/require"

	"imdbexp/internal/safetensors"
	"imdbexp/internal/testkit/must"
)

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
	var b bytes.Buffer
	require.NoError(t, safetensors.Write(&b, f))
	require.Equal(t, sum, safetensors.ValuesSumOf(b.Bytes()))
}
