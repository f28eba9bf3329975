package predict

import (
	"context"
	"errors"
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"

	"imdbexp/cmd/exp/internal/modelview"
	"imdbexp/dataset/tables"
	"imdbexp/internal/format"
)

// labels tells which class of a run the labels mean that reviews came with.
type labels struct {
	classes []string
	polar   bool // the classes are neg and pos, which have usual other names
	numbers numbers

	other   map[string]string // class by label, of those that were taken for one
	strange int               // labels that are no class
	example string            // of these
}

func newLabels(classes []string) labels {
	return labels{classes: classes, polar: slices.Equal(classes, []string{"neg", "pos"}), other: map[string]string{}}
}

// polarWords are other names of the classes neg and pos.
var polarWords = map[string]string{
	"negative": "neg", "bad": "neg", "false": "neg",
	"positive": "pos", "good": "pos", "true": "pos",
}

// class returns the class that a label means: the one called so, whatever the case where that
// is one alone; of neg and pos also by their usual other names, numbers among them. -1 is for
// none, and without a label.
func (l *labels) class(label string) int {
	if label == "" {
		return -1
	}
	if i := slices.Index(l.classes, label); i >= 0 {
		return i
	}
	name := label
	if word := polarWords[strings.ToLower(label)]; l.polar && word != "" {
		name = word
	}
	if l.polar && l.numbers.meet(label) {
		if class := l.numbers.class(label); class != "" {
			name, l.numbers.took = class, label
		}
	}
	i := -1
	for c, is := range l.classes {
		if strings.EqualFold(is, name) {
			if i >= 0 { // Pos and pos are two classes of an old data set
				i = -1
				break
			}
			i = c
		}
	}
	switch {
	case i >= 0:
		l.other[label] = l.classes[i]
	default:
		if l.strange++; l.strange == 1 {
			l.example = label
		}
	}
	return i
}

// numbers tells what numbers among labels mean: 0 and 1 are the classes neg and pos, and so are
// -1 and 1. Beside any other number they are stars or the like, of which 1 may be the worst,
// and beside -1 the 0 is neither.
type numbers struct {
	zero, minus bool
	beyond      string // a number other than 0, 1 and -1
	took        string // the last number that was taken for a class
}

// meet takes note of a label, and reports whether it is a format.
func (n *numbers) meet(label string) bool {
	v, err := strconv.ParseFloat(label, 64)
	if err != nil || math.IsNaN(v) || math.IsInf(v, 0) {
		return false
	}
	switch v {
	case 0:
		n.zero = true
	case -1:
		n.minus = true
	case 1:
	default:
		n.beyond = label
	}
	return true
}

// signs reports whether the numbers met are classes.
func (n *numbers) signs() bool { return n.beyond == "" && !(n.zero && n.minus) }

// class returns the class of a number that was met, "" for none.
func (n *numbers) class(label string) string {
	v, _ := strconv.ParseFloat(label, 64)
	switch {
	case !n.signs():
		return ""
	case v > 0:
		return "pos"
	}
	return "neg"
}

// mistaken reports whether numbers were taken for classes that are none, as those that
// came later show: what comes through a pipe is answered before its end is there.
func (n *numbers) mistaken() bool { return n.took != "" && !n.signs() }

// why says why numbers are no classes; "" where they are, or there are none.
func (n *numbers) why() string {
	const rule = "Numbers mean neg and pos where a file has none but 0 and 1, or -1 and 1"
	switch {
	case n.beyond != "":
		return fmt.Sprintf("%s; this one has %q, so that none of its numbers is a class: write neg and pos for what is to be judged", rule, modelview.Shorten(n.beyond))
	case !n.signs():
		return rule + `; this one has "-1" and "0", so that none of its numbers is a class: write neg and pos for what is to be judged`
	}
	return ""
}

// told says in sentences what was made of labels that are not called as a class.
func (l *labels) told() []string {
	var out []string
	if l.strange > 0 {
		text := fmt.Sprintf("%s %s no class of the run (%s), such as %q: left out of the accuracy", format.Thousands(l.strange),
			map[bool]string{true: "label is", false: "labels are"}[l.strange == 1], strings.Join(l.classes, ", "), modelview.Shorten(l.example))
		if why := l.numbers.why(); l.polar && why != "" {
			text += ". " + why
		}
		out = append(out, text)
	}
	if l.numbers.mistaken() {
		out = append(out, fmt.Sprintf("no accuracy: numbers such as %q were taken for classes in the lines before, and their rows name them so; "+
			"of a file all labels are read beforehand", l.numbers.took))
	}
	if len(l.other) > 0 {
		var taken []string
		for label, class := range l.other {
			taken = append(taken, fmt.Sprintf("%q as %s", label, class))
		}
		slices.Sort(taken)
		out = append(out, "labels taken: "+strings.Join(taken, ", "))
	}
	return out
}

// manyTexts are enough to tell that a file has no labels.
const manyTexts = 1000

// meetLabels looks at the labels of a file beforehand, as what numbers among them mean hangs
// on all of them; not further than it must. What is wrong with the file is told when its
// reviews are read.
func (p *predicting) meetLabels(ctx context.Context, name string, o tables.Options) {
	if !p.score.polar || flowing(name) {
		return
	}
	o.Progress = nil
	read, labelled := 0, false
	_, _ = tables.Read(ctx, name, o, func(r tables.Record) error {
		p.score.numbers.meet(r.Label)
		read++
		labelled = labelled || r.Label != ""
		if !p.score.numbers.signs() || read == manyTexts && !labelled {
			return errEnough
		}
		return nil
	})
}

var errEnough = errors.New("nothing more to learn of the labels")
