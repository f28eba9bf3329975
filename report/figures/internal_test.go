package report

import (
	"io"
	"math"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"gonum.org/v1/plot"
	"pgregory.net/rapid"
)

func TestTicks(t *testing.T) {
	var labels []string
	for _, tick := range (ticks{6}).Ticks(0.0713, 0.62) {
		labels = append(labels, tick.Label)
	}
	assert.Equal(t, []string{"0.1", "0.2", "0.3", "0.4", "0.5", "0.6"}, labels)
	assert.Empty(t, ticks{6}.Ticks(1, 1))
	assert.Empty(t, ticks{6}.Ticks(math.NaN(), 1))

	rapid.Check(t, func(t *rapid.T) {
		low := rapid.Float64Range(-1e6, 1e6).Draw(t, "low")
		span := rapid.Float64Range(1e-3, 1e6).Draw(t, "span")
		n := rapid.IntRange(1, 10).Draw(t, "n")
		got := ticks{n}.Ticks(low, low+span)
		assert.LessOrEqual(t, len(got), n+1)
		for _, tick := range got {
			assert.True(t, tick.Value >= low-1e-6*span && tick.Value <= low+span+1e-6*span)
		}
	})
}

func TestEpochTicks(t *testing.T) {
	assert.Equal(t, []int{1, 10, 20, 30, 42}, epochTicks(1, 42, 6))
	assert.Equal(t, []int{1, 20, 40, 60, 80, 100}, epochTicks(1, 100, 6))
	assert.Equal(t, []int{1, 2, 3, 4}, epochTicks(1, 4, 6))
	assert.Equal(t, []int{1}, epochTicks(1, 1, 6))
}

func TestFormat(t *testing.T) {
	assert.Equal(t, "−0.29", signed(-0.29))
	assert.Equal(t, "+0.00", signed(-0.001))
	assert.Equal(t, "+1.50", signed(1.5))
	assert.Equal(t, none, signed(math.NaN()))
	assert.Equal(t, none, percent(math.Inf(1)))
	for n, want := range map[int]string{0: "0", 999: "999", 1000: "1 000", 25000: "25 000", 1234567: "1 234 567", -1000: "-1 000", -100: "-100"} {
		assert.Equal(t, want, thousands(n))
	}
	assert.Equal(t, "¹,¹²", superscript([]int{1, 12}))
	assert.Equal(t, "one two\n  three\n", wrap("one  two three", 8, "  "))
	assert.Equal(t, "one two three\n", wrap("one two three", 0, "  "))
}

// Whatever a run folder holds, a figure is drawn or an error returned.
func TestAnythingCanBeDrawn(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		c := curve{split: rapid.SampledFrom([]string{"train", "test", "valid", "other"}).Draw(t, "split")}
		for e := range rapid.IntRange(1, 4).Draw(t, "epochs") {
			c.add(e+1, rapid.Float64().Draw(t, "value"))
			c.sd = append(c.sd, math.Abs(rapid.Float64().Draw(t, "sd")))
		}
		step := rapid.Float64Range(1e-6, 1e6).Draw(t, "step")
		r := ridge{epoch: 1, low: rapid.Float64Range(-10, 10).Draw(t, "low"), step: step}
		for range rapid.IntRange(1, 20).Draw(t, "bins") {
			r.counts = append(r.counts, float64(rapid.IntRange(0, 1000).Draw(t, "count")))
		}
		r.counts[0]++
		uniform := rapid.Float64Range(-1, 20).Draw(t, "uniform")
		f := Figure{Title: "any", panels: func(s style) ([]*plot.Plot, error) {
			high := r.low + step*float64(len(r.counts))
			b, err := ridgePanel{title: "test", colour: blue, ridges: []ridge{r}, peak: 1, high: math.Ceil(max(high, 0) + 0.2), uniform: uniform}.draw(s)
			require.NoError(t, err)
			panels := []*plot.Plot{b}
			p := curvePanel{title: "loss", curves: []curve{c}}
			if p.drawable() {
				a, err := p.draw(s)
				require.NoError(t, err)
				panels = append(panels, a)
			}
			return panels, nil
		}}
		require.NoError(t, f.Write(io.Discard, "svg", Column))
		_, err := f.Inline()
		require.NoError(t, err)
	})
}

func TestWritePanicsNever(t *testing.T) {
	f := Figure{Title: "t", panels: func(style) ([]*plot.Plot, error) { panic("no font") }}
	assert.ErrorContains(t, f.Write(io.Discard, "png", Column), "no font")
}

// The names of settings are broken where a row fits no other way.
func TestLongLabelsFit(t *testing.T) {
	tab := &table{columns: []column{{left: true}, {head: "published"}, {head: "original"}, {head: "default"}}}
	number := entry{text: "86.90", marks: []int{19, 20}, more: "± 18.83 (3)"}
	tab.add(entry{text: "tme9-values adam slip.relu_logits=true slip.whitespace=false"}, number, number, number)
	text, _, err := fit(tab, 60, false)
	require.NoError(t, err)
	assert.LessOrEqual(t, widest(text), 60, text)
	assert.Equal(t, "  slip.whitespace=\n    false", broken("  slip.whitespace=false", 20, "    "))
	assert.Equal(t, "  unbreakable", broken("  unbreakable", 8, "    "))
}
