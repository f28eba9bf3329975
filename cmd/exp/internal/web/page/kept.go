package beside

import (
	"encoding/json"
	"path/filepath"
	"strings"
	"sync"

	"imdbexp/report"
	"imdbexp/runs"
)

// Kept is what a page that has no folder of runs keeps of them.
type Kept struct {
	Comparison Comparison `json:"comparison"`
	Runs       []Curves   `json:"runs"`
}

// Curves are those of one run.
type Curves struct {
	Key        string      `json:"key"`
	Name       string      `json:"name"`
	Translates bool        `json:"translates"`
	Metrics    []Point     `json:"metrics"`
	Wheres     []string    `json:"wheres"`    // places of the model whose entropies were kept
	Entropies  []Entropies `json:"entropies"` // of each of them; none where they are large
}

// mostHistograms is what the histograms of a run may take, in bytes of JSON: those of an
// attention take 700 an epoch, those of many heads as many for each.
const mostHistograms = 200_000

// Keep reads runs.
func Keep(list []*runs.Run) (*Kept, error) {
	k := &Kept{Runs: []Curves{}}
	var all []Run
	above := map[string]bool{} // folders of runs
	for _, run := range list {
		all = append(all, Run{run.Config.Name + "/" + run.Config.ID, &run.Config, report.ReadAll([]*runs.Run{run})[0]})
		above[filepath.Dir(filepath.Dir(run.Path))+string(filepath.Separator)] = true
		c, err := curvesOf(run)
		if err != nil {
			return nil, err
		}
		k.Runs = append(k.Runs, *c)
	}
	k.Comparison = Compare(all, func(note string) string {
		for dir := range above {
			note = strings.ReplaceAll(note, dir, "")
		}
		return note
	})
	return k, nil
}

func curvesOf(run *runs.Run) (*Curves, error) {
	c := &Curves{Key: run.Config.Name + "/" + run.Config.ID, Name: Name(&run.Config), Translates: len(run.Config.Task().Decoded) > 0, Metrics: []Point{}, Entropies: []Entropies{}}
	metrics, _ := run.Metrics() // what is wrong with them is among the notes
	for _, m := range metrics {
		c.Metrics = append(c.Metrics, PointOf(m))
	}
	list, _ := run.Entropies()
	for i, h := range list { // bins above the last that holds anything need not be kept
		n := len(h.Counts)
		for n > 1 && h.Counts[n-1] == 0 {
			n--
		}
		list[i].Counts = h.Counts[:n]
	}
	uniform := sync.OnceValue(func() report.Uniform { return report.UniformOf(run) })
	c.Wheres = Wheres(list)
	for _, where := range c.Wheres {
		c.Entropies = append(c.Entropies, EntropiesAt(list, where, uniform))
	}
	if b, err := json.Marshal(c.Entropies); err != nil {
		return nil, err
	} else if len(b) > mostHistograms {
		c.Entropies = []Entropies{}
	}
	return c, nil
}
