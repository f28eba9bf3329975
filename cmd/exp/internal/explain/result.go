package explain

import (
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"imdbexp/internal/format"
	"imdbexp/internal/fsx"
	"imdbexp/internal/term"
	"imdbexp/report/stats"
)

// Result is the result of a test on one run.
type Result struct {
	Test    string   `json:"test"`
	Lacks   string   `json:"lacks,omitempty"` // why it does not apply to the run; then the rest is empty
	Reviews int      `json:"reviews,omitempty"`
	Values  []Value  `json:"values,omitempty"`
	Notes   []string `json:"notes,omitempty"`
}

// Value is one number with its 95 % interval.
type Value struct {
	Statistic string `json:"statistic"`
	Of        string `json:"of,omitempty"`   // title of the score
	Part      string `json:"part,omitempty"` // subset of the reviews or of their words; "" for all
	N         int    `json:"n"`              // number of reviews
	Value     Number `json:"value"`
	Low       Number `json:"low"` // NaN without an interval
	High      Number `json:"high"`
}

// Number is a float64 that JSON encodes as null if it is not finite.
type Number float64

// MarshalJSON implements json.Marshaler.
func (n Number) MarshalJSON() ([]byte, error) {
	if f := float64(n); math.IsNaN(f) || math.IsInf(f, 0) {
		return []byte("null"), nil
	}
	return json.Marshal(float64(n))
}

// UnmarshalJSON implements json.Unmarshaler.
func (n *Number) UnmarshalJSON(b []byte) error {
	if string(b) == "null" {
		*n = Number(math.NaN())
		return nil
	}
	return json.Unmarshal(b, (*float64)(n))
}

// saved is a file of exp explain --out: the result of one test of one run.
type saved struct {
	About  about   `json:"about"`
	Result *Result `json:"result"`
}

// about is everything that a result depends on.
type about struct {
	Run     string   `json:"run"` // ID
	Epoch   int      `json:"epoch"`
	Data    string   `json:"data"` // digest
	Reviews int      `json:"reviews"`
	Seed    uint64   `json:"seed"`
	Scores  []string `json:"scores"`
	Test    string   `json:"test"`
	Version int      `json:"version"`
	Peers   []string `json:"peers,omitempty"`  // IDs of other runs
	Epochs  int      `json:"epochs,omitempty"` // roar: of each training
	Seeds   int      `json:"seeds,omitempty"`  // roar: trainings for each number
	Removed []string `json:"taken,omitempty"`  // roar: scores whose words are removed
}

// ErrNone means that a folder has no results.
var ErrNone = errors.New("no results of exp explain; give the folder of its --out")

const (
	savedFolder  = "results" // in the folder of --out
	maxSavedSize = 1 << 28
)

func (a about) path(dir string) string {
	return filepath.Join(dir, savedFolder, fmt.Sprintf("%s-%s.json", a.Run, a.Test))
}

func readSaved(path string) (*saved, error) {
	b, err := fsx.ReadFile(path, maxSavedSize)
	if err != nil {
		return nil, err
	}
	var k saved
	if err := json.Unmarshal(b, &k); err != nil {
		return nil, fmt.Errorf("%s: %w", path, err)
	}
	if k.Result == nil {
		return nil, fmt.Errorf("%s: no results of exp explain", path)
	}
	k.Result.clip() // earlier versions did not
	return &k, nil
}

func (k saved) write(dir string) error {
	b, err := json.Marshal(k)
	if err != nil {
		return err
	}
	if err := os.MkdirAll(filepath.Join(dir, savedFolder), 0o777); err != nil {
		return fmt.Errorf("%w; --out must name a folder", err)
	}
	return fsx.WriteBytes(k.About.path(dir), append(b, '\n'))
}

// clip cuts the intervals to the ranges of their statistics: 1.96 standard errors can
// reach beyond.
func (r *Result) clip() {
	for i, v := range r.Values {
		ends := v.interval().Within(rangeOf(r.Test, v.Statistic))
		r.Values[i].Low, r.Values[i].High = Number(ends.Low), Number(ends.High)
	}
}

// add adds a number with its interval, whose ends are NaN if it is unknown.
func (r *Result) add(statistic, of, part string, n int, value, low, high float64) {
	r.Values = append(r.Values, Value{statistic, of, part, n, Number(value), Number(low), Number(high)})
}

// meanOf adds the mean over the reviews with its interval, skipping NaN.
func (r *Result) meanOf(statistic, of, part string, list []float64) {
	n, sum, squares := sums(list)
	if n == 0 {
		return
	}
	mean, half := sum/n, math.NaN()
	if n > 1 {
		half = normal95 * math.Sqrt(max(0, squares-float64(sum*mean))/(n-1)/n)
	}
	r.add(statistic, of, part, int(n), mean, mean-half, mean+half)
}

// overSeeds adds the mean of the numbers of several seeds, or samples, with an interval over them
// and the reviews (stats.OverSeeds).
func (r *Result) overSeeds(statistic, of, part string, list []Value) {
	means, own, reviews := make([]float64, len(list)), make([]stats.Interval, len(list)), 0
	for i, v := range list {
		means[i], own[i], reviews = float64(v.Value), v.interval(), max(reviews, v.N)
	}
	mean, i := stats.OverSeeds(means, own, stats.Interval{Low: math.Inf(-1), High: math.Inf(1)}) // clip cuts it
	r.add(statistic, of, part, reviews, mean, i.Low, i.High)
}

// share adds hits/n with Wilson's interval.
func (r *Result) share(statistic, of, part string, hits, n int) {
	i := stats.Wilson(float64(hits), float64(n))
	r.add(statistic, of, part, n, float64(hits)/float64(n), i.Low, i.High)
}

// shareOf adds the share of ones in a list of zeros and ones, skipping NaN.
func (r *Result) shareOf(statistic, of, part string, list []float64) {
	if n, hits, _ := sums(list); n > 0 {
		r.share(statistic, of, part, int(hits), int(n))
	}
}

// sums returns the count, the sum and the sum of squares of the numbers that are not NaN.
func sums(list []float64) (n, sum, squares float64) {
	for _, x := range list {
		if x == x {
			n++
			sum += x
			squares += float64(x * x)
		}
	}
	return n, sum, squares
}

// atLeast returns for each number 1 if it reaches the bound, else 0.
func atLeast(list []float64, bound float64) (out []float64) {
	for _, x := range list {
		out = append(out, truth(x >= bound))
	}
	return out
}

func truth(b bool) float64 {
	if b {
		return 1
	}
	return 0
}

func nans(n int) []float64 { return slices.Repeat([]float64{math.NaN()}, n) }

func float64s[T ~float32 | ~float64](list []T) []float64 {
	out := make([]float64, len(list))
	for i, x := range list {
		out[i] = float64(x)
	}
	return out
}

// scores returns the titles of the scores that the result is about, in order.
func (r *Result) scores() (out []string) {
	for _, v := range r.Values {
		if v.Of != "" && !slices.Contains(out, v.Of) {
			out = append(out, v.Of)
		}
	}
	return out
}

// Tables returns one table over all reviews with a row for each score and a column for each
// statistic, and, with a caption, a table for each statistic that is broken down by parts.
func (r *Result) Tables() (out []*term.Table) {
	var captions []string
	for _, v := range r.Values {
		if c, _, _ := v.place(); !slices.Contains(captions, c) {
			captions = append(captions, c)
			out = append(out, r.table(c))
		}
	}
	return out
}

// place returns the caption of the table that the value is in, its row and its column.
func (v Value) place() (caption, row, column string) {
	caption = strings.TrimSuffix(v.Statistic, " by part")
	switch {
	case v.Part == "":
		return "", v.Of, v.Statistic
	case v.Of == "":
		return caption, v.Part, v.Statistic
	}
	return caption, v.Of, v.Part
}

// table returns the table with a caption. Its rows and columns are in the order of their first
// appearance.
func (r *Result) table(caption string) *term.Table {
	var rows, columns []string
	at, uneven := map[[2]string]Value{}, map[string]bool{}
	for _, v := range r.Values {
		c, row, column := v.place()
		if c != caption {
			continue
		}
		if !slices.Contains(rows, row) {
			rows = append(rows, row)
		}
		if !slices.Contains(columns, column) {
			columns = append(columns, column)
		}
		at[[2]string{row, column}] = v
		uneven[v.Statistic] = uneven[v.Statistic] || v.uneven()
	}
	t := &term.Table{Caption: caption, Columns: []term.Column{{}}, Divides: true}
	for _, c := range columns {
		t.Columns = append(t.Columns, term.Right(c))
	}
	for _, row := range rows {
		cells := []string{row}
		for _, column := range columns {
			cell := "–"
			if v, ok := at[[2]string{row, column}]; ok {
				cell = v.text(uneven[v.Statistic])
			}
			cells = append(cells, cell)
		}
		t.Add(cells...)
	}
	return t
}

func (v Value) interval() stats.Interval {
	return stats.Interval{Low: float64(v.Low), High: float64(v.High)}
}

// uneven reports whether the interval is asymmetric.
func (v Value) uneven() bool {
	return math.Abs(float64((v.High-v.Value)-(v.Value-v.Low))) > 1e-3
}

// text returns the number with half the width of its interval, 0.312 ± 0.008, or with
// both ends, 0.996 (0.986–0.999).
func (v Value) text(ends bool) string {
	switch low, high := float64(v.Low), float64(v.High); {
	case math.IsNaN(high - low):
		return fixed(float64(v.Value))
	case ends:
		return fixed(float64(v.Value)) + " (" + fixed(low) + "–" + fixed(high) + ")"
	default:
		return fixed(float64(v.Value)) + " ± " + fixed((high-low)/2)
	}
}

func fixed(x float64) string { return format.Fixed(x, 3) }
