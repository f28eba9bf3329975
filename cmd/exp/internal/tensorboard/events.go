package tensorboard

import (
	"cmp"
	"fmt"
	"strings"
	"time"

	"imdbexp/internal/tfevents"
	"imdbexp/runs"
)

// eventsOf returns an event for each epoch of the run after the given one, and the last epoch. The time
// of an event is the start of the run and the training time since, so interruptions do not change it.
func eventsOf(run *runs.Run, after int) (events []tfevents.Event, last int, err error) {
	metrics, err := run.Metrics()
	if err != nil {
		return nil, 0, err
	}
	histograms, err := run.Entropies()
	if err != nil {
		return nil, 0, err
	}
	timing, err := run.Timing()
	if err != nil {
		return nil, 0, err
	}
	speed := map[int]float64{}
	at := map[int]time.Time{}
	now := began(run)
	for _, t := range timing {
		now = now.Add(time.Duration(t.Seconds * float64(time.Second)))
		speed[t.Epoch], at[t.Epoch] = t.Words, now
	}
	for _, m := range metrics {
		if last = m.Epoch; m.Epoch <= after {
			continue
		}
		e := tfevents.Event{Time: at[m.Epoch], Step: m.Epoch, Values: scalars(m)}
		if words, ok := speed[m.Epoch]; ok {
			e.Values = append(e.Values, tfevents.Value{Tag: "speed/words_per_second", Scalar: words})
		} else {
			e.Time = now
		}
		for _, h := range histograms {
			if h.Epoch == m.Epoch {
				e.Values = append(e.Values, distribution(m, h)...)
			}
		}
		events = append(events, e)
	}
	return events, last, nil
}

// began returns when the run was first started.
func began(run *runs.Run) time.Time {
	if all, err := run.Environments(); err == nil && len(all) > 0 {
		return all[0].Started
	}
	return time.Unix(0, 0)
}

// scalars returns the metrics of an epoch that are not nil.
func scalars(m runs.Metrics) []tfevents.Value {
	var out []tfevents.Value
	for _, metric := range runs.AllMetrics() {
		if x := metric.Of(&m); x != nil {
			out = append(out, tfevents.Value{Tag: tagOf(metric.Key), Scalar: *x})
		}
	}
	for _, s := range []struct {
		split string
		heads [][]runs.HeadEntropy
	}{{"train", m.TrainHeads}, {"test", m.TestHeads}} {
		for l, layer := range s.heads {
			for h, e := range layer {
				where := fmt.Sprintf("%s/layer_%d_head_%d", s.split, l+1, h+1)
				out = append(out, tfevents.Value{Tag: "head_entropy/" + where, Scalar: e.Nats},
					tfevents.Value{Tag: "head_entropy_of_log_n/" + where, Scalar: e.Share})
			}
		}
	}
	return out
}

// tagOf returns the tag of a metric: accuracy/test for test_acc.
func tagOf(key string) string {
	split, what, _ := strings.Cut(key, "_")
	if what == "norm" || what == "similarity" {
		return map[string]string{"norm": "gradient/norm", "similarity": "heads/similarity"}[what]
	}
	long := map[string]string{"acc": "accuracy", "exact": "exact_match"}[what]
	return cmp.Or(long, what) + "/" + split
}

// distribution returns a histogram of entropies without the empty bins at both ends; nothing if all
// bins are empty.
func distribution(m runs.Metrics, h runs.Histogram) []tfevents.Value {
	first, end := 0, len(h.Counts)
	for first < end && h.Counts[first] == 0 {
		first++
	}
	for end > first && h.Counts[end-1] == 0 {
		end--
	}
	if first == end {
		return nil
	}
	edge := func(bin int) float64 { return h.Lo + float64(bin)*h.Step }
	out := &tfevents.Histogram{Min: edge(first), Max: edge(end)}
	for i := first; i < end; i++ {
		n, middle := float64(h.Counts[i]), edge(i)+h.Step/2
		out.Limits = append(out.Limits, edge(i+1))
		out.Counts = append(out.Counts, n)
		out.Sum += n * middle
		out.SumSquares += n * middle * middle
	}
	if h.Where == "" {
		if q := map[string]*[5]float64{"train": m.TrainQuantiles, "test": m.TestQuantiles}[h.Split]; q != nil {
			out.Min, out.Max = q[0], q[4] // exact values instead of the edges of bins
		}
		return []tfevents.Value{{Tag: "entropies/" + h.Split, Histogram: out}}
	}
	where, share := strings.CutSuffix(h.Where, " of log n")
	group := "head_entropies/"
	if share {
		group = "head_entropies_of_log_n/"
	}
	return []tfevents.Value{{Tag: group + h.Split + "/" + strings.ReplaceAll(where, " ", "_"), Histogram: out}}
}
