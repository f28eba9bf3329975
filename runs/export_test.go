package runs

import "imdbexp/internal/safetensors"

// For fuzzing without a file for each input.
var (
	ParseCheckpoint = func(b []byte) (*Checkpoint, error) {
		c, _, err := parseCheckpoint(b)
		return c, err
	}
	ParseMetrics = parseLines[Metrics]
	ParseTable   = func(b []byte) (*Table, error) {
		f, err := safetensors.Parse(b)
		if err != nil {
			return nil, err
		}
		return decodeTable(f)
	}
)
