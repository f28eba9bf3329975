package runs

import (
	"bytes"
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"math"
	"reflect"
	"slices"
	"strings"
	"sync"
)

// Metrics are the results of one epoch. Losses and entropies are means over reviews in nats,
// accuracies are in percent. A field is nil if it does not apply (no validation split, no
// attention). For translations, losses are means over target words including the end of the
// sentence, accuracies are those of the next word with teacher forcing, and entropies are
// means over pairs. Times are in Timing, so that metrics can be compared byte for byte.
//
// A field is all that a metric needs: see Metric for its tags. A metric that older runs do not
// have must have omitempty.
type Metrics struct {
	Epoch     int      `json:"epoch" doc:"from 1"`
	TrainLoss *float64 `json:"train_loss" title:"Train loss" unit:"nats" doc:"the loss that is minimised, mean over the reviews during the epoch: cross-entropy, plus penalties, label smoothing and class weights if set"`
	TrainAcc  *float64 `json:"train_acc" title:"Train accuracy" unit:"percent" doc:"in percent"`
	ValidLoss *float64 `json:"valid_loss" title:"Validation loss" unit:"nats" doc:"on the split held out, where something is chosen by a score"`
	ValidAcc  *float64 `json:"valid_acc" title:"Validation accuracy" unit:"percent"`
	TestLoss  *float64 `json:"test_loss" title:"Test loss" unit:"nats" doc:"mean cross-entropy alone"`
	TestAcc   *float64 `json:"test_acc" title:"Test accuracy" unit:"percent"`

	TestExact *float64 `json:"test_exact,omitempty" title:"Exact match on test" unit:"percent" column:"exact" doc:"translations: percent of the test pairs whose greedy translation is the reference, word for word"`
	TestBLEU  *float64 `json:"test_bleu,omitempty" title:"BLEU on test" unit:"0 to 100" column:"BLEU" doc:"translations: corpus BLEU of the greedy translations, as sacreBLEU defines it on given words, 0 to 100"`

	// Macro-F1 in percent, where the largest class is so large that accuracy says little.
	ValidMacroF1 *float64 `json:"valid_macro_f1,omitempty" title:"Validation macro-F1" unit:"percent" column:"valid F1" doc:"macro-F1 in percent, the mean of the classes' F1, where the largest class of train has over 60 % of its reviews or the epoch is chosen by it"`
	TestMacroF1  *float64 `json:"test_macro_f1,omitempty" unit:"percent" column:"F1" doc:"the same of the test set"`

	TrainEntropy *float64 `json:"train_entropy" title:"Train entropy" unit:"nats" digits:"2" doc:"of the attention, mean over the reviews; of self-attention over layers and heads, too"`
	TestEntropy  *float64 `json:"test_entropy" title:"Test entropy" unit:"nats" digits:"2"`

	TrainQuantiles *[5]float64 `json:"train_entropy_quantiles" doc:"least, 25 %, median, 75 %, largest: each a review's own, the lower one where two share the place"`
	TestQuantiles  *[5]float64 `json:"test_entropy_quantiles"`

	TrainHeads [][]HeadEntropy "json:\"train_heads,omitempty\" doc:\"self-attention: for each layer and head `nats`, and `of_log_n`, the share of log n (1: uniform)\""
	TestHeads  [][]HeadEntropy `json:"test_heads,omitempty"`

	HeadSimilarity *float64 `json:"head_similarity,omitempty" doc:"multihead: Σ cos² between the weights of each two heads"`

	GradNorm *float64 `json:"grad_norm" doc:"mean over the steps of the gradient's norm, before clipping"`
}

// Line returns the metrics as a line of metrics.jsonl.
func (m Metrics) Line() ([]byte, error) { return jsonLines(m) }

// Metric is one number of Metrics, by the tags of its field:
//
//	json    its key in metrics.jsonl
//	title   its name in pivot tables and trends; "": it is in none, and not in the CSV
//	unit    percent, nats, …
//	digits  its decimals in tables: 2 for percentages, else 3
//	column  the head of its column in exp show and in the progress of exp run; "": none
//	doc     its line in docs/formats.md
type Metric struct {
	Key, Title, Unit, Column, Doc string

	Decimals int
	field    int
}

// AllMetrics returns the metrics in the order of metrics.jsonl, without those that are not one
// number.
var AllMetrics = sync.OnceValue(func() (out []Metric) {
	for i := range metricsType.NumField() {
		f := metricsType.Field(i)
		if f.Type != reflect.TypeFor[*float64]() {
			continue
		}
		key, _, _ := strings.Cut(f.Tag.Get("json"), ",")
		m := Metric{key, f.Tag.Get("title"), f.Tag.Get("unit"), f.Tag.Get("column"), f.Tag.Get("doc"), 3, i}
		if m.Unit != "nats" || f.Tag.Get("digits") == "2" {
			m.Decimals = 2
		}
		out = append(out, m)
	}
	return out
})

var metricsType = reflect.TypeFor[Metrics]()

// Columns returns the metrics with a column that an epoch has.
func Columns(all ...Metrics) (out []Metric) {
	for _, m := range AllMetrics() {
		if m.Column != "" && slices.ContainsFunc(all, func(x Metrics) bool { return m.Of(&x) != nil }) {
			out = append(out, m)
		}
	}
	return out
}

// Of returns the metric of an epoch; nil if it does not apply.
func (m Metric) Of(x *Metrics) *float64 {
	return reflect.ValueOf(x).Elem().Field(m.field).Interface().(*float64)
}

// metric returns the metric with that key.
func metric(key string) Metric {
	return AllMetrics()[slices.IndexFunc(AllMetrics(), func(x Metric) bool { return x.Key == key })]
}

// Get returns the metric with that key, NaN if it does not apply.
func (m *Metrics) Get(key string) float64 {
	if v := metric(key).Of(m); v != nil {
		return *v
	}
	return math.NaN()
}

// add sets the fields of m that from has, except the epoch.
func (m *Metrics) add(from *Metrics) {
	to, other := reflect.ValueOf(m).Elem(), reflect.ValueOf(from).Elem()
	for i := 1; i < to.NumField(); i++ {
		if v := other.Field(i); !v.IsZero() {
			to.Field(i).Set(v)
		}
	}
}

// MacroF1 returns the mean over the classes of F1 = 2·TP / (2·TP + FP + FN) in percent. right
// counts the correct predictions of each class (TP), named its labels plus its predictions
// (2·TP + FP + FN). A class that neither names does not count. It is NaN without reviews.
func MacroF1(right, named []int) float64 {
	sum, classes := 0.0, 0
	for c, n := range named {
		if n > 0 {
			sum += float64(2*right[c]) / float64(n)
			classes++
		}
	}
	return 100 * sum / float64(classes)
}

// HeadEntropy is the entropy of one head, averaged over reviews and queries.
type HeadEntropy struct {
	Nats  float64 `json:"nats"`
	Share float64 `json:"of_log_n"` // mean of entropy / log n over reviews of at least two words
}

// Timing is the time of one epoch. Its line is written before its checkpoint, whose time is
// in the line of the next epoch.
type Timing struct {
	Epoch      int     `json:"epoch"`
	Seconds    float64 `json:"seconds"` // of the training pass, without evaluation
	Words      float64 `json:"words_per_s"`
	Evaluation float64 `json:"evaluation_s,omitempty"` // of all evaluations
	Checkpoint float64 `json:"checkpoint_s,omitempty"` // of the epoch before
}

// Histogram counts the attention entropies of one split after one epoch. Bin i counts the
// reviews with Lo + i·Step ≤ entropy < Lo + (i+1)·Step, in nats. The first and last bin also
// count values outside of the range.
type Histogram struct {
	Epoch  int     `json:"epoch"`
	Split  string  `json:"split"`           // train or test
	Where  string  `json:"where,omitempty"` // layer and head, if there are several
	Lo     float64 `json:"lo"`
	Step   float64 `json:"step"`
	Counts []int   `json:"counts"`
}

// NewHistogram counts entropies in bins of 0.1 nats from 0 to 10, the entropy of
// uniform attention over 22 000 words.
func NewHistogram(epoch int, split string, entropies []float32) Histogram {
	h := Histogram{Epoch: epoch, Split: split, Step: 0.1, Counts: make([]int, 100)}
	for _, e := range entropies {
		h.Add(float64(e))
	}
	return h
}

// NewShareHistogram is an empty histogram of entropies as a fraction of log n,
// in hundredths from 0 (one word) to 1 (uniform).
func NewShareHistogram(epoch int, split string) Histogram {
	return Histogram{Epoch: epoch, Split: split, Step: 0.01, Counts: make([]int, 101)}
}

// Add counts one value; NaN is not counted.
func (h *Histogram) Add(v float64) {
	if math.IsNaN(v) || len(h.Counts) == 0 {
		return
	}
	i := math.Floor((v - h.Lo) / h.Step)
	h.Counts[int(max(0, min(i, float64(len(h.Counts)-1))))]++
}

// jsonLines returns each value as a line of JSON.
func jsonLines[T any](values ...T) ([]byte, error) {
	var b bytes.Buffer
	enc := json.NewEncoder(&b)
	for _, v := range values {
		if err := enc.Encode(v); err != nil {
			return nil, err
		}
	}
	return b.Bytes(), nil
}

// head reads the first length bytes of a file, or all of it if length is negative. If the
// file is shorter, or the bytes end inside a line, it returns what there is and a DamagedError.
// A missing file is damage only if length is positive.
func (r *Run) head(name string, length int) ([]byte, error) {
	if length == 0 {
		return nil, nil
	}
	b, err := r.readText(name)
	switch {
	case errors.Is(err, fs.ErrNotExist) && length < 0:
		return nil, nil
	case errors.Is(err, fs.ErrNotExist):
		err = fmt.Errorf("it is missing (%w)", fs.ErrNotExist)
	case err != nil || length < 0:
		return b, err
	case len(b) < length:
		err = fmt.Errorf("%d of its %d bytes are missing", length-len(b), length)
	case b[length-1] != '\n':
		err = fmt.Errorf("the %d bytes that the checkpoint covers end inside a line, perhaps by a program that changes line endings", length)
	}
	return b[:min(length, len(b))], asDamage(r.file(name), err)
}

// CheckLines reads the lines that the last checkpoint covers. Lines that cannot be read, or
// belong to other epochs, are a DamagedError.
func (r *Run) CheckLines() error { return r.checkLines(r.progress, r.checkpoint.Epoch) }

// checkLines checks the lines that a checkpoint of that epoch covers. A damaged one covers none.
func (r *Run) checkLines(p progress, epoch int) error {
	if p.metrics < 0 {
		return nil
	}
	_, err1 := r.epochLines(p, epoch)
	_, err2 := linesOf[Histogram](r, EntropyFile, p.entropy)
	return errors.Join(err1, err2)
}

// epochLines reads the metrics that a checkpoint covers, and checks that there is one line for each epoch.
func (r *Run) epochLines(p progress, epoch int) ([]Metrics, error) {
	all, err := linesOf[Metrics](r, MetricsFile, p.metrics)
	if err != nil || p.metrics < 0 {
		return all, err
	}
	for i, m := range all {
		if m.Epoch != i+1 {
			return all, &DamagedError{r.file(MetricsFile), fmt.Errorf("line %d is of epoch %d", i+1, m.Epoch)}
		}
	}
	if len(all) != epoch {
		err = &DamagedError{r.file(MetricsFile), fmt.Errorf("%d lines for %d epochs", len(all), epoch)}
	}
	return all, err
}

// linesOf parses the first length bytes of a file. It returns the lines before an error
// with the error.
func linesOf[T any](r *Run, name string, length int) ([]T, error) {
	text, err := r.head(name, length)
	values, parseErr := parseLines[T](r.file(name), text)
	return values, cmp.Or(err, parseErr)
}

// parseLines parses one JSON value per line. It skips a last line without a line ending,
// which is still being written.
func parseLines[T any](file string, b []byte) ([]T, error) {
	var values []T
	for line := range bytes.Lines(b) {
		line, whole := bytes.CutSuffix(line, []byte("\n"))
		var v T
		if !whole {
			break
		}
		if err := parseLine(line, &v); err != nil {
			return values, &DamagedError{fmt.Sprintf("%s:%d", file, len(values)+1), err}
		}
		values = append(values, v)
	}
	return values, nil
}

// parseLine parses a line that jsonLines has written. An unknown, missing, duplicate or misspelt
// key is an error.
func parseLine(line []byte, v any) error {
	if err := unmarshal(line, v); err != nil {
		if strings.Contains(err.Error(), "unknown field") {
			err = fmt.Errorf("%w; a newer version of exp may know it", err)
		}
		return err
	}
	written, err := json.Marshal(v)
	if err == nil && !bytes.Equal(written, line) {
		err = errors.New("it is not as exp writes it: a field is missing, duplicate or misspelt")
	}
	return err
}
