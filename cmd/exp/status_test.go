package main

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"

	"imdbexp/cmd/exp/internal/cli"
)

// What is promised about the sample is said of commands that train on it.
func TestTimeIsOfTheSample(t *testing.T) {
	for _, data := range []string{"sample", "imdb"} {
		for _, line := range first(&cli.App{Runs: "runs"}, data) {
			onSample := data == "sample" || strings.Contains(line[0], "data=sample")
			assert.Equal(t, onSample, strings.Contains(line[1], "minute"), "%s: %v", data, line)
			assert.True(t, onSample || strings.Contains(line[1], data), "%s: %v", data, line)
		}
	}
}
