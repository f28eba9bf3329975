package vectors

import (
	"bytes"
	"context"
	"encoding/binary"
	"fmt"
	"math"
	"testing"

	"github.com/stretchr/testify/require"

	"imdbexp/dataset/internal/dice"
)

// BenchmarkVectors reads vectors from memory, keeping one word in ten.
func BenchmarkVectors(b *testing.B) {
	const words = 50_000
	var keep []string
	for i := 0; i < words; i += 10 {
		keep = append(keep, fmt.Sprintf("word%d", i))
	}
	for _, dim := range []int{50, 300} {
		text := fmt.Appendf(nil, "%d %d\n", words, dim)
		bin := bytes.Clone(text)
		for i := range words {
			text, bin = fmt.Appendf(text, "word%d", i), fmt.Appendf(bin, "word%d ", i)
			for d := range dim {
				x := dice.Hash(uint64(i), uint64(d))
				text = fmt.Appendf(text, " %.5f", float64(x%200_000)/1e5-1)
				bin = binary.LittleEndian.AppendUint32(bin, math.Float32bits(float32(x%200_000)/1e5-1))
			}
			text = append(text, '\n')
		}
		for name, file := range map[string][]byte{"text": text, "binary": bin} {
			b.Run(fmt.Sprintf("%s/%d", name, dim), func(b *testing.B) {
				b.SetBytes(int64(len(file)))
				for b.Loop() {
					v, err := parse(context.Background(), "benchmark", bytes.NewReader(file), keep)
					require.NoError(b, err)
					require.Len(b, v.Words, len(keep))
				}
			})
		}
	}
}
