package explain

import (
	"testing"

	"github.com/stretchr/testify/assert"

	"imdbexp/runs"
)

// Only what somebody set keeps runs apart: a setting that one of them does not have yet was at
// its default there.
func TestAlike(t *testing.T) {
	config := func(from string, settings ...runs.Value) *runs.Run {
		r := &runs.Run{Config: runs.Config{Model: "lstm", Settings: settings, Digests: map[string]string{"data": "d"}, From: map[string]string{}}}
		for _, s := range settings {
			if from != "" && s.Key != "seed" {
				r.Config.From[s.Key] = from
			}
		}
		return r
	}
	seed := func(s string) runs.Value { return runs.Value{Key: "seed", Value: s} }
	attention := func(s string) runs.Value { return runs.Value{Key: "attention", Value: s} }
	old := config("", seed("1"))
	assert.True(t, alike(config("", seed("2"), attention("learned")), old, "seed"))
	assert.True(t, alike(old, config("", seed("2"), attention("learned")), "seed"))
	assert.False(t, alike(config("command line", seed("2"), attention("uniform")), old, "seed"))
	assert.False(t, alike(old, config("command line", seed("2"), attention("uniform")), "seed"))
	assert.False(t, alike(config("command line", seed("2"), attention("uniform")), config("", seed("1"), attention("learned")), "seed"))
	assert.False(t, alike(config("", seed("1")), old, "seed"), "the same")
	assert.True(t, alike(config("command line", seed("1"), attention("uniform")), old, "attention"))
	assert.False(t, alike(config("command line", seed("2"), attention("uniform")), old, "attention"))
}
