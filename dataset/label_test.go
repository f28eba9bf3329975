package dataset_test

import (
	"errors"
	"io"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"imdbexp/dataset"
	"imdbexp/internal/guard"
)

func TestLabelKey(t *testing.T) {
	for _, same := range [][]string{
		{"1", "1.0", "+1", "01", "1.", "1,0", "1e0", "\u200b1", "1\ufeff", " 1"},
		{"-1", "\u22121", "-1.0", "\u22121,0"},
		{"0", "-0", "0.0"},
		{"caf\u00e9", "cafe\u0301", "Caf\u00e9", "CAFÉ", "ca\u00adfé", "café\u200b"},
		{"good", "GOOD", "good\u2060", "ｇood", "good\ufe0f", "good\u3164", "go\u115fod", "\u1160good", "good\uffa0", "good\u2800"},
		{"very good", "very  good", "very\u00a0good"},
		{"Straße", "STRASSE", "straße"},
		{"12", "\u0661\u0662", "\u0967\u0968", "１２"},
		{"don't know", "Don\u2019t know", "don\u02bct know"},
		{"non-toxic", "non\u2013toxic", "non\u2010toxic", "non\u2011toxic"},
	} {
		for _, s := range same {
			assert.Equal(t, dataset.LabelKey(same[0]), dataset.LabelKey(s), "%q and %q", same[0], s)
		}
	}
	different := map[string]string{}
	for _, s := range []string{"1", "-1", "10", "1.5", "1,000", "1000", "one", "cafe", "café", "nan", "inf", "0x1", "1_0", "v1", "-", ""} {
		assert.Empty(t, different[dataset.LabelKey(s)], s)
		different[dataset.LabelKey(s)] = s + "!"
	}
	for label, want := range map[string]float64{"2,5": 2.5, "\u22123": -3, ".5": 0.5, "7": 7} {
		got, ok := dataset.LabelNumber(label)
		assert.True(t, ok, label)
		assert.Equal(t, want, got, label)
	}
	for _, label := range []string{"nan", "Inf", "0x1p-2", "1_0", "1,000", "", "one"} {
		_, ok := dataset.LabelNumber(label)
		assert.False(t, ok, label)
	}
}

func TestCall(t *testing.T) {
	require.NoError(t, guard.Call(func() error { return nil }))
	require.Equal(t, io.EOF, guard.Call(func() error { return io.EOF }))

	err := guard.Func(func() error {
		var none []int
		none[3] = 1
		return nil
	})()
	caught, ok := errors.AsType[*guard.Error](err)
	require.True(t, ok)
	assert.ErrorContains(t, err, "internal error: runtime error: index out of range [3] with length 0\n")
	assert.Contains(t, string(caught.Stack), "label_test.go", "where it was")
}
