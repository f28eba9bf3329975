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
	"imdbexp/internal/term"
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
	i := l.means(label)
	switch {
	case i < 0:
		l.unknown++
		l.example = cmp.Or(l.example, label)
	case l.classes[i] != label:
		l.synonyms[label] = l.classes[i]
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

// numbers describes the numbers among the labels of the whole input. 0 and 1 mean neg and pos, and so
// do -1 and 1. If there is any other number, they are not classes but stars or the like.
type numbers struct{ zero, minus, other bool }

// meet records a label.
func (n *numbers) meet(label string) {
	v, ok := dataset.LabelNumber(label)
	n.zero, n.minus = n.zero || ok && v == 0, n.minus || ok && v == -1
	n.other = n.other || ok && v != 0 && math.Abs(v) != 1
}

// classes reports whether the numbers are classes.
func (n *numbers) classes() bool { return !n.other && !(n.zero && n.minus) }

// class returns the class of a number, "" for none.
func (n *numbers) class(label string) string {
	v, ok := dataset.LabelNumber(label)
	switch {
	case !ok || !n.classes():
		return ""
	case v > 0:
		return "pos"
	}
	return "neg"
}

// notes describes the labels that are not the name of a class.
func (l *labels) notes() []string {
	var out []string
	if l.unknown > 0 {
		text := fmt.Sprintf("not a class of the run (%s): %s, such as %q; the accuracy ignores them", strings.Join(l.classes, ", "), format.Counted(l.unknown, "label"), term.Cut(l.example, modelview.Longest))
		if l.polar && !l.numbers.classes() {
			text += ". Numbers mean neg and pos in a file, not a pipe, that has only 0 and 1, or only -1 and 1: write neg and pos instead"
		}
		out = append(out, text)
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
	if !p.score.polar {
		return
	}
	if p.score.numbers.other = flowing(name); p.score.numbers.other { // it can be read only once
		return
	}
	o.Progress = nil
	read, labelled := 0, false
	_, _ = tables.Read(ctx, name, o, func(r tables.Record) error {
		p.score.numbers.meet(r.Label)
		read++
		labelled = labelled || r.Label != ""
		if !p.score.numbers.classes() || read == manyTexts && !labelled {
			return errEnough
		}
		return nil
	})
}

var errEnough = errors.New("all labels are known")
