package predict

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"math"
	"slices"
	"strings"

	"imdbexp/cmd/exp/internal/modelview"
	"imdbexp/dataset"
	"imdbexp/dataset/tables"
	"imdbexp/internal/format"
)

// labels maps the labels of the input to the classes of a run.
type labels struct {
	classes []string
	polar   bool // the classes are neg and pos, which have synonyms
	numbers numbers

	synonyms map[string]string // class by label, for labels that differ from its name
	unknown  int               // number of labels that are not a class
	example  string            // one of them
}

func newLabels(classes []string) labels {
	return labels{classes: classes, polar: slices.Equal(classes, []string{"neg", "pos"}), synonyms: map[string]string{}}
}

// ClassOf returns the class that a label alone means, -1 if none.
func ClassOf(classes []string, label string) int {
	l := newLabels(classes)
	l.numbers.meet(label)
	return l.means(label)
}

// polarWords are synonyms of the classes neg and pos.
var polarWords = map[string]string{
	"negative": "neg", "bad": "neg", "false": "neg",
	"positive": "pos", "good": "pos", "true": "pos",
}

// class returns the class that a label means, -1 if none, and keeps count for notes.
func (l *labels) class(label string) int {
	if label == "" {
		return -1
	}
	number := l.polar && l.numbers.meet(label)
	i := l.means(label)
	switch {
	case i < 0:
		if l.unknown++; l.unknown == 1 {
			l.example = label
		}
	case l.classes[i] != label:
		l.synonyms[label] = l.classes[i]
		if number {
			l.numbers.took = label
		}
	}
	return i
}

// means returns the class that a label means, -1 if none or several. The same rule joins labels
// when data is added (dataset.LabelKey). neg and pos also have synonyms and numbers.
func (l *labels) means(label string) int {
	if i := slices.Index(l.classes, label); i >= 0 {
		return i
	}
	name := label
	if l.polar {
		name = cmp.Or(polarWords[strings.ToLower(label)], l.numbers.class(label), label)
	}
	i := -1
	for c, is := range l.classes {
		if dataset.LabelKey(is) == dataset.LabelKey(name) {
			if i >= 0 { // old data sets can have both Pos and pos
				return -1
			}
			i = c
		}
	}
	return i
}

// numbers decides whether numbers are class labels: 0 and 1 mean neg and pos, and so do -1
// and 1. Together with any other number they are not classes but stars or the like, and
// together with -1, 0 is neither class.
type numbers struct {
	zero, minus bool
	beyond      string // a number other than 0, 1 and -1
	took        string // the last number used as a class
}

// meet takes note of a label, and reports whether it is a format.
func (n *numbers) meet(label string) bool {
	v, ok := dataset.LabelNumber(label)
	if !ok {
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

// signs reports whether the numbers so far are classes.
func (n *numbers) signs() bool { return n.beyond == "" && !(n.zero && n.minus) }

// class returns the class of a number, "" for none.
func (n *numbers) class(label string) string {
	v, ok := dataset.LabelNumber(label)
	switch {
	case !ok || v != 0 && math.Abs(v) != 1 || !n.signs():
		return ""
	case v > 0:
		return "pos"
	}
	return "neg"
}

// mistaken reports whether numbers were used as classes and later ones show that they are
// not. That can happen with a pipe, whose first lines are answered before the last arrive.
func (n *numbers) mistaken() bool { return n.took != "" && !n.signs() }

// why says why numbers are not classes; "" if they are, or if there are none.
func (n *numbers) why() string {
	const rule = "Numbers mean neg and pos if a file has only 0 and 1, or only -1 and 1"
	switch {
	case n.beyond != "":
		return fmt.Sprintf("%s; this file has %q, so its numbers are not classes: write neg and pos instead", rule, modelview.Shorten(n.beyond))
	case !n.signs():
		return rule + `; this file has "-1" and "0", so its numbers are not classes: write neg and pos instead`
	}
	return ""
}

// notes describes the labels that are not the name of a class.
func (l *labels) notes() []string {
	var out []string
	if l.unknown > 0 {
		text := fmt.Sprintf("%s %s not a class of the run (%s), such as %q; the accuracy ignores them", format.Thousands(l.unknown),
			map[bool]string{true: "label is", false: "labels are"}[l.unknown == 1], strings.Join(l.classes, ", "), modelview.Shorten(l.example))
		if why := l.numbers.why(); l.polar && why != "" {
			text += ". " + why
		}
		out = append(out, text)
	}
	if l.numbers.mistaken() {
		out = append(out, fmt.Sprintf("no accuracy: numbers such as %q were used as classes in earlier lines; "+
			"give a file, whose labels are read first", l.numbers.took))
	}
	if len(l.synonyms) > 0 {
		var list []string
		for label, class := range l.synonyms {
			list = append(list, fmt.Sprintf("%q as %s", label, class))
		}
		slices.Sort(list)
		out = append(out, "labels read: "+strings.Join(list, ", "))
	}
	return out
}

// manyTexts without a label mean that a file has no labels.
const manyTexts = 1000

// meetLabels reads the labels of a file first, because the meaning of numbers depends on
// all of them. It stops as soon as it can, and ignores errors, which are reported when the
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

var errEnough = errors.New("all labels are known")
