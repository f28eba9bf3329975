package reproduction

import (
	"bytes"
	"math"
	"testing"

	"github.com/stretchr/testify/require"

	"imdbexp/runs"
)

func TestDifferentJSON(t *testing.T) {
	for _, c := range []struct{ kept, now, want string }{
		{`{"epoch":3,"a":1}`, `{"epoch":3,"a":1}`, ""},
		{`{"epoch":3,"a":1,"b":2}`, `{"epoch":3,"a":1,"b":2.5}`, "m.jsonl, line 7 (epoch 3), b: 2 then, 2.5 now"},
		{`{"epoch":3,"split":"test","counts":[0,1,2]}`, `{"epoch":3,"split":"test","counts":[0,4,5]}`, "m.jsonl, line 7 (epoch 3 test), counts[1]: 1 then, 4 now"},
		{`{"h":[[{"nats":1}],[{"nats":2}]]}`, `{"h":[[{"nats":1}],[{"nats":3}]]}`, "m.jsonl, line 7, h[1][0].nats: 2 then, 3 now"},
		{`{"counts":[1]}`, `{"counts":[1,2]}`, "m.jsonl, line 7, counts: [1] then, [1,2] now"},
		{`{"q":null}`, `{"q":[1]}`, "m.jsonl, line 7, q: null then, [1] now"},
		{`{"a":1,"b":2}`, `{"a":1}`, "m.jsonl, line 7, b: 2 then, nothing now"},
		{`{"a":1}`, `{"a":1,"b":2}`, "m.jsonl, line 7, b: nothing then, 2 now"},
		{`{"a":1}`, `{"a": 1}`, `m.jsonl, line 7: {"a":1} then, {"a": 1} now`},
		{`{"a`, `{"a":2}`, `m.jsonl, line 7: {"a then, {"a":2} now`},
	} {
		d := differentJSON("m.jsonl", 7, []byte(c.kept), []byte(c.now))
		if c.want == "" {
			require.Nil(t, d)
			continue
		}
		require.Equal(t, c.want, d.String())
	}
}

func TestDifferentTSV(t *testing.T) {
	header := []string{"review", "label", "p:neg"}
	row := func(kept, now string) *Difference { return differentTSV("p.tsv", 4, header, []byte(kept), []byte(now)) }
	require.Nil(t, row("a\tneg\t0.5", "a\tneg\t0.5"))
	require.Equal(t, "p.tsv, line 4 (a), p:neg: 0.5 then, 0.25 now", row("a\tneg\t0.5", "a\tneg\t0.25").String())
	require.Equal(t, "p.tsv, line 4: a\tneg\t0.5 then, a now", row("a\tneg\t0.5", "a").String())
}

func TestDifferentTensors(t *testing.T) {
	w := func(x ...float32) runs.Tensor { return runs.Tensor{Name: "w", Shape: []int{len(x)}, Data: x} }
	steps := runs.Tensor{Name: "steps", Shape: []int{1}, Data: []int64{7}}
	more := runs.Tensor{Name: "steps", Shape: []int{1}, Data: []int64{8}}
	for _, c := range []struct {
		kept, now []runs.Tensor
		n         int
		want      string
	}{
		{[]runs.Tensor{w(1, 2), steps}, []runs.Tensor{steps, w(1, 2)}, 3, ""},
		{[]runs.Tensor{w(1, 2)}, []runs.Tensor{w(1, 3)}, 1, "w[1]: 2 (40000000) then, 3 (40400000) now"},
		{[]runs.Tensor{w(0)}, []runs.Tensor{w(float32(math.Copysign(0, -1)))}, 0, "w[0]: 0 (00000000) then, -0 (80000000) now"},
		{[]runs.Tensor{w(1)}, []runs.Tensor{w(1, 2)}, 0, "w: []float32 of shape [1] then, []float32 of shape [2] now"},
		{[]runs.Tensor{w(1), steps}, []runs.Tensor{w(1), more}, 1, "steps[0]: 7 then, 8 now"},
		{[]runs.Tensor{w(1), steps}, []runs.Tensor{w(1)}, 1, "steps: []int64 of shape [1] then, nothing now"},
		{[]runs.Tensor{w(1)}, []runs.Tensor{w(1), steps}, 1, "steps: nothing then, []int64 of shape [1] now"},
	} {
		n, d := differentTensors(c.kept, c.now)
		require.Equal(t, c.n, n)
		if c.want == "" {
			require.Nil(t, d)
			continue
		}
		require.Equal(t, c.want, (&Difference{File: "x", Field: d.Field, Kept: d.Kept, Now: d.Now}).String()[len("x, "):])
	}
}

func TestChangedSettings(t *testing.T) {
	kept := &runs.Config{Settings: runs.Values{{Key: "lr", Value: "0.1"}, {Key: "gone", Value: "3"}}}
	now := &runs.Config{Settings: runs.Values{{Key: "lr", Value: "0.2"}, {Key: "new", Value: "0"}, {Key: "newer", Value: "7"}},
		From: map[string]string{"newer": "the experiment"}}
	require.Equal(t, []Change{
		{"setting lr", "0.1", "0.2"},
		{"setting gone", "3", "not known"},
		{"setting newer", "not known", "7"}, // a default that came later changes nothing
	}, changedSettings(kept, now))

	two := []runs.Environment{{CPU: "a"}, {CPU: "b"}, {CPU: "a"}}
	cpu := func(e runs.Environment) string { return e.CPU }
	require.Equal(t, "a, then b", joined(two, cpu))
	require.Equal(t, "unknown", joined(nil, cpu))
}

func FuzzDifferentJSON(f *testing.F) {
	f.Add([]byte(`{"epoch":3,"h":[[{"nats":1}],[{"nats":2}]],"q":null}`), []byte(`{"epoch":3,"h":[[{"nats":1}],[]],"z":""}`))
	f.Fuzz(func(t *testing.T, kept, now []byte) {
		d := differentJSON("m.jsonl", 1, kept, now)
		require.Equal(t, bytes.Equal(kept, now), d == nil)
		if d != nil {
			require.NotEmpty(t, d.String())
		}
	})
}
