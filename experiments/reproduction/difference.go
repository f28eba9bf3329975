package reproduction

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"strings"

	"imdbexp/runs"
)

// Difference is the first place where a run trained again is not what was kept.
type Difference struct {
	File      string
	Line      int    // from 1; 0 where the file has no lines
	Where     string // what the line is about, such as epoch 3
	Field     string // "" for a whole line
	Kept, Now string
}

func (d *Difference) String() string {
	at := []string{d.File}
	if d.Line > 0 {
		at = append(at, fmt.Sprintf("line %d", d.Line))
	}
	if d.Where != "" {
		at[len(at)-1] += " (" + d.Where + ")"
	}
	if d.Field != "" {
		at = append(at, d.Field)
	}
	return fmt.Sprintf("%s: %s then, %s now", strings.Join(at, ", "), d.Kept, d.Now)
}

// missing stands for what one of the two does not have.
const missing = "nothing"

func (o *Result) compareMetrics(whole bool) error {
	n, err := o.compareLines(runs.MetricsFile, whole, differentJSON)
	o.Epochs = n
	o.same(runs.MetricsFile, n, "epochs")
	return err
}

func (o *Result) compareEntropies(whole bool) error {
	n, err := o.compareLines(runs.EntropyFile, whole, differentJSON)
	if n > 0 {
		o.same(runs.EntropyFile, n, "histograms")
	}
	return err
}

// compareTested compares what a test at the end gave, where both runs have come to their
// end.
func (o *Result) compareTested(whole bool) error {
	switch {
	case !o.Kept.Config.General().TestsAtEnd(o.Kept.ChosenEpoch()):
		return nil
	case !whole:
		o.leave(runs.TestedFile, "made at a run's end only")
		return nil
	}
	n, err := o.compareLines(runs.TestedFile, true, differentJSON)
	if n > 0 {
		o.same(runs.TestedFile, n, "epochs")
	}
	return err
}

// comparePredictions compares what was made of every test review or pair, where both
// runs have come to their end.
func (o *Result) comparePredictions(whole bool) error {
	task := o.Kept.Config.Task()
	file := task.Answers
	kept, now := there(o.Kept.AnswersText), there(o.Again.AnswersText)
	switch {
	case !whole:
		o.leave(file, "made at a run's end only")
		return nil
	case kept != now:
		o.Difference = &Difference{File: file, Kept: kept, Now: now}
		return nil
	case kept == missing: // by test=never, or as it diverged
		return nil
	}
	var header []string
	n, err := o.compareLines(file, true, func(file string, line int, kept, now []byte) *Difference {
		if line == 1 {
			header = strings.Split(string(kept), "\t")
		}
		return differentTSV(file, line, header, kept, now)
	})
	o.same(file, n-1, task.Unit)
	return err
}

// there tells whether a file can be read at all.
func there(read func() ([]byte, error)) string {
	if _, err := read(); errors.Is(err, fs.ErrNotExist) {
		return missing
	}
	return "a file"
}

// same notes that a file has the same bits, if that is so.
func (o *Result) same(file string, n int, unit string) {
	if o.Difference == nil {
		o.Same = append(o.Same, Same{file, n, unit})
	}
}

func (o *Result) leave(file, why string) {
	o.Left = append(o.Left, file+": "+why)
}

// compareLines compares a file of lines with that of the run trained again, as
// far as that goes or, with all, to its end. It returns how many lines it
// compared.
func (o *Result) compareLines(file string, all bool, different func(file string, line int, kept, now []byte) *Difference) (n int, err error) {
	a, err1 := text(o.Kept, file)
	b, err2 := text(o.Again, file)
	if err := errors.Join(err1, err2); err != nil {
		return 0, err
	}
	kept, now := splitLines(a), splitLines(b)
	for i := range min(len(kept), len(now)) {
		if d := different(file, i+1, kept[i], now[i]); d != nil {
			o.Difference = d
			return i, nil
		}
	}
	n = min(len(kept), len(now))
	switch {
	case len(now) > n:
		o.Difference = &Difference{File: file, Line: n + 1, Kept: missing, Now: cut(now[n])}
	case all && len(kept) > n:
		o.Difference = &Difference{File: file, Line: n + 1, Kept: cut(kept[n]), Now: missing}
	}
	return n, nil
}

// cut shortens a value for people.
func cut[T ~string | ~[]byte](value T) string {
	const most = 60
	if r := []rune(string(value)); len(r) > most {
		return string(r[:most]) + "…"
	}
	return string(value)
}

// differentJSON finds the first field in which two lines of JSON differ.
func differentJSON(file string, line int, kept, now []byte) *Difference {
	if bytes.Equal(kept, now) {
		return nil
	}
	d := &Difference{File: file, Line: line, Kept: cut(kept), Now: cut(now)}
	var about struct {
		Epoch        int
		Split, Where string
	}
	if json.Unmarshal(kept, &about) == nil && about.Epoch > 0 {
		d.Where = strings.TrimSpace(fmt.Sprintf("epoch %d %s %s", about.Epoch, about.Split, about.Where))
	}
	if path, a, b, ok := firstField("", kept, now); ok {
		d.Field, d.Kept, d.Now = path, cut(a), cut(b)
	}
	return d
}

// differentTSV finds the first column in which two rows differ. The first column
// names the row.
func differentTSV(file string, line int, header []string, kept, now []byte) *Difference {
	if bytes.Equal(kept, now) {
		return nil
	}
	d := &Difference{File: file, Line: line, Kept: cut(kept), Now: cut(now)}
	a, b := strings.Split(string(kept), "\t"), strings.Split(string(now), "\t")
	if len(a) != len(b) || len(a) != len(header) || line == 1 {
		return d
	}
	d.Where = a[0]
	for i, name := range header {
		if a[i] != b[i] {
			d.Field, d.Kept, d.Now = name, cut(a[i]), cut(b[i])
			return d
		}
	}
	return d
}
