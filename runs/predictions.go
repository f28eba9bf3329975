package runs

import (
	"bufio"
	"bytes"
	"errors"
	"fmt"
	"io"
	"math"
	"slices"
	"strconv"
	"strings"
)

// Predictions are a model's predictions for every review of a split.
type Predictions struct {
	Classes []string
	Rows    []Prediction
}

// Prediction is a model's prediction for one review.
type Prediction struct {
	Review    string // its id, such as test/pos/0_10
	Label     int    // class, -1 if unknown
	Predicted int    // class
	Words     int
	Entropy   float32   // of the attention, in nats; NaN without attention
	P         []float32 // probability of each class
}

// columns are the leading columns of the file. A column p:CLASS for each class follows.
var columns = []string{"review", "label", "predicted", "words", "entropy"}

const classPrefix = "p:"

// Escapes of characters that would end a field or line.
var (
	escape   = strings.NewReplacer(`\`, `\\`, "\t", `\t`, "\n", `\n`, "\r", `\r`)
	unescape = strings.NewReplacer(`\\`, `\`, `\t`, "\t", `\n`, "\n", `\r`, "\r")
)

// Unescape undoes the escapes of a field of predictions.tsv.
func Unescape(field string) string {
	if strings.IndexByte(field, '\\') < 0 {
		return field
	}
	return unescape.Replace(field)
}

// Write writes tab-separated values: classes by name, an unknown label and a missing entropy
// as empty fields, numbers in the fewest digits that identify the float32.
func (p *Predictions) Write(w io.Writer) error {
	out := bufio.NewWriter(w)
	line := AppendPredictionHeader(nil, p.Classes)
	out.Write(line)
	for i := range p.Rows {
		line = AppendPrediction(line[:0], p.Classes, &p.Rows[i])
		out.Write(line)
	}
	return out.Flush() // a bufio.Writer keeps its first error
}

// AppendPredictionHeader appends the header line of Predictions.Write.
func AppendPredictionHeader(dst []byte, classes []string) []byte {
	dst = append(dst, strings.Join(columns, "\t")...)
	for _, c := range classes {
		dst = append(dst, "\t"+classPrefix+escape.Replace(c)...)
	}
	return append(dst, '\n')
}

// AppendPrediction appends the line of one review, whose classes must be valid indices.
func AppendPrediction(dst []byte, classes []string, r *Prediction) []byte {
	dst = append(dst, escape.Replace(r.Review)...)
	dst = append(dst, '\t')
	if r.Label >= 0 {
		dst = append(dst, escape.Replace(classes[r.Label])...)
	}
	dst = append(dst, '\t')
	dst = append(dst, escape.Replace(classes[r.Predicted])...)
	dst = append(dst, '\t')
	dst = strconv.AppendInt(dst, int64(r.Words), 10)
	dst = append(dst, '\t')
	if r.Entropy == r.Entropy {
		dst = appendFloat(dst, r.Entropy)
	}
	for _, v := range r.P {
		dst = append(dst, '\t')
		dst = appendFloat(dst, v)
	}
	return append(dst, '\n')
}

func (p *Predictions) count() int { return len(p.Rows) }

// maxClasses is far above any data set.
const maxClasses = 1000

func checkClasses(classes []string) error {
	if len(classes) > maxClasses {
		return fmt.Errorf("%d classes, more than the %d allowed", len(classes), maxClasses)
	}
	for i, c := range classes {
		if c == "" || slices.Contains(classes[:i], c) {
			return fmt.Errorf("class %q is empty or a duplicate", c)
		}
	}
	return nil
}

func appendFloat(dst []byte, v float32) []byte {
	return strconv.AppendFloat(dst, float64(v), 'g', -1, 32)
}

// ParsePredictions parses the output of Write. Errors name file.
func ParsePredictions(file string, b []byte) (*Predictions, error) {
	p := &Predictions{Rows: make([]Prediction, 0, bytes.Count(b, []byte("\n")))}
	return p, parseTable(file, b, columns, p.parseClasses, p.parseRow)
}

// parseTable parses tab-separated values with a header: the columns, and more that the function
// more takes; nil if there are none. Errors name file and line.
func parseTable(file string, b []byte, columns []string, more, row func(fields []string) error) error {
	if len(b) == 0 {
		return fmt.Errorf("%s is empty", file)
	}
	var fields []string
	width := 0
	parse := func(line string) error {
		line, whole := strings.CutSuffix(line, "\n")
		if !whole {
			return errors.New("the line is cut off")
		}
		fields = slices.AppendSeq(fields[:0], strings.SplitSeq(line, "\t"))
		n := len(columns)
		switch {
		case width > 0 && len(fields) != width:
			return fmt.Errorf("%d columns, the header has %d", len(fields), width)
		case width > 0:
			return row(fields)
		case len(fields) < n || !slices.Equal(fields[:n], columns) || more == nil && len(fields) > n:
			return fmt.Errorf("the header must be %s", strings.Join(columns, ", "))
		}
		if width = len(fields); more == nil {
			return nil
		}
		return more(fields[n:])
	}
	n := 0
	for line := range strings.Lines(string(b)) {
		n++
		if err := parse(line); err != nil {
			return fmt.Errorf("%s:%d: %w", file, n, err)
		}
	}
	return nil
}

func (p *Predictions) parseClasses(names []string) error {
	for _, f := range names {
		c, ok := strings.CutPrefix(f, classPrefix)
		if !ok {
			return fmt.Errorf("column %q does not name a class as %sCLASS", f, classPrefix)
		}
		p.Classes = append(p.Classes, Unescape(c))
	}
	return checkClasses(p.Classes)
}

func (p *Predictions) parseRow(fields []string) error {
	r := Prediction{Review: Unescape(fields[0]), Label: -1}
	var err error
	if fields[1] != "" {
		if r.Label, err = p.class(fields[1]); err != nil {
			return err
		}
	}
	if r.Predicted, err = p.class(fields[2]); err != nil {
		return err
	}
	if r.Words, err = strconv.Atoi(fields[3]); err != nil || r.Words < 0 {
		return fmt.Errorf("words %q: want a number", fields[3])
	}
	r.Entropy = float32(math.NaN())
	if fields[4] != "" {
		if r.Entropy, err = parseFloat(fields[4]); err != nil {
			return fmt.Errorf("entropy %w", err)
		}
	}
	r.P = make([]float32, 0, len(p.Classes))
	for i, f := range fields[len(columns):] {
		v, err := parseFloat(f)
		if err != nil {
			return fmt.Errorf("probability of %s: %w", p.Classes[i], err)
		}
		r.P = append(r.P, v)
	}
	p.Rows = append(p.Rows, r)
	return nil
}

func (p *Predictions) class(field string) (int, error) {
	if i := slices.Index(p.Classes, Unescape(field)); i >= 0 {
		return i, nil
	}
	return 0, fmt.Errorf("class %q is not in the header", field)
}

func parseFloat(field string) (float32, error) {
	v, err := strconv.ParseFloat(field, 32)
	if err != nil {
		return 0, fmt.Errorf("%q: want a number", field)
	}
	return float32(v), nil
}

// numbers returns the metrics of the test set that follow from predictions with labels.
func (p *Predictions) numbers() (m Metrics) {
	hit, named := make([]int, len(p.Classes)), make([]int, len(p.Classes))
	var loss, entropy float64
	right := 0
	for i := range p.Rows {
		r := &p.Rows[i]
		if r.Label < 0 {
			return Metrics{}
		}
		named[r.Label]++
		named[r.Predicted]++
		if r.Label == r.Predicted {
			right++
			hit[r.Label]++
		}
		probability := float64(r.P[r.Label])
		if probability < 1e-30 { // a float32 so small has too few digits
			probability = 0
		}
		loss -= math.Log(probability)
		entropy += float64(r.Entropy)
	}
	n := float64(len(p.Rows))
	m.TestAcc, m.TestMacroF1 = Number(100*float64(right)/n), Number(MacroF1(hit, named))
	if !math.IsInf(loss, 0) {
		m.TestLoss = Number(loss / n)
	}
	if !math.IsNaN(entropy) { // there is attention
		m.TestEntropy = Number(entropy / n)
	}
	return m
}
