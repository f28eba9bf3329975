package safetensors_test

import (
	"bytes"
	"testing"

	"github.com/stretchr/testify/require"

	"imdbexp/internal/safetensors"
)

// Of a sealed file every changed byte is found, and a file without a sum says so.
func TestSealed(t *testing.T) {
	f := &safetensors.File{Tensors: []safetensors.Tensor{{Name: "w", Shape: []int{2}, Data: []float32{1, 2}}}}
	var b bytes.Buffer
	require.NoError(t, safetensors.Write(&b, f))
	require.ErrorContains(t, safetensors.Verify(b.Bytes(), f), "no checksum")
	b.Reset()
	require.NoError(t, safetensors.WriteSealed(&b, f))
	read, err := safetensors.Parse(b.Bytes())
	require.NoError(t, err)
	require.NoError(t, safetensors.Verify(b.Bytes(), read))
	for i := range b.Len() {
		changed := bytes.Clone(b.Bytes())
		changed[i] ^= 1
		require.Error(t, safetensors.Verify(changed, read), i)
	}
}
