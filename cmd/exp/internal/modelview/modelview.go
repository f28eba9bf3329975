// Package modelview opens the model that RUN names and shows texts as the model sees
// them. Texts of unknown origin are shown without control characters.
package modelview

import (
	"context"
	"errors"
	"fmt"
	"io"
	"iter"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"imdbexp/cmd/exp/internal/cli"
	"imdbexp/dataset/folder"
	"imdbexp/internal/infer"
	"imdbexp/internal/infer/translator"
	"imdbexp/internal/term"
	"imdbexp/runs"
)

// Span is a stretch of a text with one style.
type Span struct {
	From, To int     // text[from:to]
	Ratio    float64 // its attention divided by an equal share
	Unknown  bool    // without a vector
	Left     bool    // the model does not see it
}

// Spans returns the stretches of a text behind a view's words, in order and without
// overlaps. Words from the same letters, as with "½", become one span.
func Spans(v *infer.View) []Span {
	var out []Span
	add := func(s Span) {
		if n := len(out); n > 0 && s.From < out[n-1].To {
			last := &out[n-1]
			last.To, last.Ratio, last.Unknown = max(last.To, s.To), last.Ratio+s.Ratio, last.Unknown || s.Unknown
			return
		}
		if s.To > s.From {
			out = append(out, s)
		}
	}
	left := v.Left
	for i, w := range v.Words {
		for ; len(left) > 0 && left[0].Start < w.Start; left = left[1:] {
			add(Span{From: left[0].Start, To: left[0].End, Left: true, Unknown: left[0].Masked})
		}
		s := Span{From: w.Start, To: w.End, Unknown: !v.Known[i]}
		if v.Ratio != nil {
			s.Ratio = v.Ratio[i]
		}
		add(s)
	}
	for _, w := range left {
		add(Span{From: w.Start, To: w.End, Left: true, Unknown: w.Masked})
	}
	return out
}

// htmlBreak replaces the line breaks of IMDB's reviews with spaces.
var htmlBreak = strings.NewReplacer("<br />", " ", "<br/>", " ", "<br>", " ")

// Unbroken returns a text with spaces for its line breaks.
func Unbroken(text string) string { return htmlBreak.Replace(text) }

// Stretches yields the spans of a text and the texts between them, which have an empty span.
func Stretches(text string, spans []Span) iter.Seq2[Span, string] {
	return func(yield func(Span, string) bool) {
		at := 0
		for _, s := range append(slices.Clip(spans), Span{From: len(text), To: len(text)}) {
			if s.From > at && !yield(Span{}, text[at:s.From]) || s.To > s.From && !yield(s, text[s.From:s.To]) {
				return
			}
			at = s.To
		}
	}
}

// Shaded splits a text at spaces, with its words shaded as in v.
func Shaded(io *term.IO, text string, v *infer.View) []string {
	var out strings.Builder
	for s, shown := range Stretches(text, Spans(v)) {
		shown = term.Visible(shown)
		switch {
		case s.Left:
			shown = io.Paint(term.Dim, shown)
		case s.Ratio < 0: // against the predicted class
			shown = io.ShadeAgainst(infer.Strength(-s.Ratio), shown)
		default:
			shown = io.Shade(infer.Strength(s.Ratio), shown)
		}
		if s.Unknown {
			shown = io.Underline(shown)
		}
		out.WriteString(shown)
	}
	return strings.Fields(htmlBreak.Replace(out.String()))
}

// Longest is the max number of columns of a text in a message.
const Longest = 61

// Quoted lists words in quotes, each once.
func Quoted(words []string) string {
	var out []string
	for _, w := range words {
		if q := strconv.Quote(term.Cut(w, Longest)); !slices.Contains(out, q) {
			out = append(out, q)
		}
	}
	return strings.Join(out, ", ")
}

// Typical returns the first test review of 40 to 120 words that the model predicts right, else the
// first right one, else the first.
func Typical(rows []runs.Prediction) *runs.Prediction {
	right := func(r runs.Prediction) bool { return r.Predicted == r.Label }
	for _, holds := range []func(runs.Prediction) bool{
		func(r runs.Prediction) bool { return right(r) && r.Words >= 40 && r.Words <= 120 }, right, func(runs.Prediction) bool { return true },
	} {
		if i := slices.IndexFunc(rows, holds); i >= 0 {
			return &rows[i]
		}
	}
	return nil
}

// TypicalPair returns the first pair of six to ten words with the right translation, else
// the first.
func TypicalPair(list []runs.Translation) runs.Translation {
	for _, t := range list {
		if n := len(strings.Fields(t.Source)); t.Beam == t.Reference && n >= 6 && n <= 10 {
			return t
		}
	}
	return list[0]
}

// Opened is the model that RUN names. Close it.
type Opened struct {
	*runs.Run                    // for a file of exp export only the configuration, no path
	Epoch      int               // of the weights
	Model      *infer.Model      // nil if the run translates
	Translator *translator.Model // nil if it classifies
	Close      func()
}

// Open opens the model of a run, or of a file from exp export.
func Open(ctx context.Context, a *cli.App, ref string) (*Opened, error) {
	run, t, err := read(a, ref)
	if err != nil {
		return nil, err
	}
	pool, closePool := a.Pool(ctx)
	o := &Opened{Run: run, Epoch: t.Epoch}
	var model io.Closer
	if t.Languages != nil {
		o.Translator, err = translator.New(t, pool)
		model = o.Translator
	} else {
		o.Model, err = t.Model(pool)
		model = o.Model
	}
	if err != nil {
		closePool()
		return nil, err
	}
	o.Close = func() { model.Close(); closePool() }
	return o, nil
}

func read(a *cli.App, ref string) (*runs.Run, *infer.Trained, error) {
	if info, err := os.Stat(ref); err == nil && info.Mode().IsRegular() && filepath.Ext(ref) == infer.ExportSuffix {
		t, err := infer.ReadFile(ref)
		if err != nil {
			return nil, nil, err
		}
		return &runs.Run{Config: t.Config}, t, nil
	}
	run, err := a.RunOf(ref)
	if err != nil {
		return nil, nil, err
	}
	read := infer.ReadRun
	if run.Config.Task() == runs.Pairs {
		read = infer.Read
	}
	t, err := read(run)
	return run, t, err
}

// WarnUnfinished warns if the run has not finished.
func (o *Opened) WarnUnfinished(a *cli.App) {
	if o.Path != "" && o.Status.State != runs.Finished {
		a.Warn(fmt.Errorf("%s is %s: these are the weights of epoch %d", o.Label(), o.Status, o.Epoch))
	}
}

// LookUp lets a model look up unknown words in the vectors that it was trained with, and
// reports whether these are not installed.
func LookUp(ctx context.Context, a *cli.App, c *runs.Config, m *infer.Model) (absent bool) {
	dir, err := a.Installed()
	if err == nil {
		err = m.LookUpInstalled(ctx, dir, c, folder.Options{Warn: a.Warn})
	}
	_, absent = errors.AsType[*folder.NotInstalledError](err)
	if err != nil && !absent && !errors.Is(err, infer.ErrNoLookUp) && ctx.Err() == nil {
		a.Warn(fmt.Errorf("unknown words are not looked up: %w", err))
	}
	return absent
}
