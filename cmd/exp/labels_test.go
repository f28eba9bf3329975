package main

import (
	"cmp"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"imdbexp/cmd/exp/internal/predict"
)

// The meaning of a number among labels depends on all of them.
func TestLabels(t *testing.T) {
	_, flags := folders(t)
	dir, trained := t.TempDir(), map[string]string{}
	table := func(labels ...string) string {
		file, text := filepath.Join(dir, "reviews.csv"), "text,label\n"
		for i, label := range labels {
			text += fmt.Sprintf("review %d,\"%s\"\n", i, label)
		}
		require.NoError(t, os.WriteFile(file, []byte(text), 0o666))
		return file
	}
	model := func(classes []string) string {
		key := strings.Join(classes, " ")
		if trained[key] == "" {
			name := fmt.Sprintf("data%d", len(trained))
			ok(t, append(flags, "data", "add", table(append(classes, classes...)...), "--name", name)...)
			ok(t, append(flags, "run", "tme9-mean", "data="+name, "vectors=random", "epochs=1")...)
			trained[key] = "tme9-mean[data=" + name + ",vectors=random,epochs=1]"
		}
		return trained[key]
	}
	for name, c := range map[string]struct {
		classes, labels string
		want            string // the class of each
		told            []string
	}{
		"names":                 {classes: "neg pos", labels: "neg pos", want: "neg pos"},
		"cases and words":       {classes: "neg pos", labels: "Pos NEGATIVE true", want: "pos neg pos", told: []string{`"NEGATIVE" as neg, "Pos" as pos`}},
		"0 and 1":               {classes: "neg pos", labels: "0 1 1.0", want: "neg pos pos", told: []string{`"0" as neg, "1" as pos, "1.0" as pos`}},
		"-1 and 1":              {classes: "neg pos", labels: "1 -1 +1", want: "pos neg pos"},
		"stars":                 {classes: "neg pos", labels: "1 5 3", want: "- - -", told: []string{`not a class of the run (neg, pos): 3 labels, such as "1"; the accuracy ignores them. Numbers mean`}},
		"stars, no 1":           {classes: "neg pos", labels: "5 0", want: "- -"},
		"halves":                {classes: "neg pos", labels: "0 0.5 1", want: "- - -"},
		"0 is neither":          {classes: "neg pos", labels: "-1 0 1", want: "- - -", told: []string{"Numbers mean neg and pos in a file"}},
		"stars beside words":    {classes: "neg pos", labels: "pos 1 2", want: "pos - -"},
		"no number":             {classes: "neg pos", labels: "1 nan inf", want: "pos - -"},
		"stars as classes":      {classes: "1 2 5", labels: "5 1 3", want: "5 1 -"},
		"other classes":         {classes: "dull fine", labels: "1 0 pos Fine", want: "- - - fine", told: []string{`such as "1"; the accuracy ignores them` + "\nlabels read"}},
		"equal numbers":         {classes: "0 1", labels: "1.0 0.0 01 +1 0,0 2", want: "1 0 1 1 0 -", told: []string{`"1.0" as 1`}},
		"stars with decimals":   {classes: "1.0 2.5", labels: "1 2,5 2.50", want: "1.0 2.5 2.5"},
		"ways to store letters": {classes: "caf\u00e9 th\u00e9", labels: "cafe\u0301 the\u0301 CAF\u00c9 caf\u00e9\u200b", want: "caf\u00e9 th\u00e9 caf\u00e9 caf\u00e9"},
	} {
		t.Run(name, func(t *testing.T) {
			labels := strings.Fields(c.labels)
			out := ok(t, append(flags, "predict", model(strings.Fields(c.classes)), table(labels...))...)
			var got []string
			for i := range labels {
				_, row, found := strings.Cut(out, fmt.Sprintf("\n%d\t", i+1))
				require.True(t, found, out)
				class, _, _ := strings.Cut(row, "\t")
				got = append(got, cmp.Or(class, "-"))
			}
			require.Equal(t, c.want, strings.Join(got, " "))
			for _, text := range c.told {
				require.Contains(t, out, text)
			}
		})
	}
	old := []string{"Pos", "neg", "pos"} // no such data can be added any more
	for label, want := range map[string]int{"Pos": 0, "pos": 2, "POS": -1} {
		require.Equal(t, want, predict.ClassOf(old, label), label)
	}
}
