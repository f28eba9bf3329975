// Package explained answers: what has exp explain found before? The files that it keeps in
// the folder of its --out, one for each run and test.
package explained

import (
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"

	"imdbexp/cmd/exp/internal/battery"
	"imdbexp/internal/fsx"
	"imdbexp/report/claims"
)

// Kept is a file of results: what it is about, and the result.
type Kept struct {
	About  About           `json:"about"`
	Result *battery.Result `json:"result"`
}

// About is everything that a result depends on.
type About struct {
	Run     string   `json:"run"` // ID
	Epoch   int      `json:"epoch"`
	Data    string   `json:"data"` // digest
	Reviews int      `json:"reviews"`
	Seed    uint64   `json:"seed"`
	Scores  []string `json:"scores"`
	Test    string   `json:"test"`
	Version int      `json:"version"`
	Peers   []string `json:"peers,omitempty"`  // IDs of other runs
	Epochs  int      `json:"epochs,omitempty"` // of roar, and whose words it takes
	Taken   []string `json:"taken,omitempty"`
}

// largest bounds a file of results.
const largest = 1 << 28

// ErrNone says that a folder has no results.
var ErrNone = errors.New("no results of exp explain; give the folder of its --out")

// below is where results are, in the folder of --out.
const below = "results"

func path(dir, run, test string) string {
	return filepath.Join(dir, below, fmt.Sprintf("%s-%s.json", run, test))
}

// Read returns what is kept of a run and a test; the error says why nothing can be.
func Read(dir, run, test string) (*Kept, error) { return read(path(dir, run, test)) }

func read(path string) (*Kept, error) {
	b, err := fsx.ReadFile(path, largest)
	if err != nil {
		return nil, err
	}
	var k Kept
	if err := json.Unmarshal(b, &k); err != nil {
		return nil, fmt.Errorf("%s: %w", path, err)
	}
	if k.Result == nil {
		return nil, fmt.Errorf("%s: no results of exp explain", path)
	}
	k.Result.Clip() // what earlier versions kept had no bounds
	return &k, nil
}

// Write keeps a result.
func Write(dir string, k *Kept) error {
	b, err := json.Marshal(k)
	if err != nil {
		return err
	}
	if err := os.MkdirAll(filepath.Join(dir, below), 0o777); err != nil {
		return fmt.Errorf("%w; --out wants a folder", err)
	}
	return fsx.WriteBytes(path(dir, k.About.Run, k.About.Test), append(b, '\n'))
}

// Claims returns what claims can go by of the results in a folder of --out. Those of older
// versions of a test are left out, since they may have come to other numbers; the error
// tells of them and of what cannot be read, and the rest is good.
func Claims(dir string) (out []claims.Explained, err error) {
	files, err := filepath.Glob(filepath.Join(dir, below, "*.json"))
	if err != nil {
		return nil, err
	}
	if len(files) == 0 {
		return nil, fmt.Errorf("%s: %w", dir, ErrNone)
	}
	var errs []error
	for _, f := range files {
		k, err := read(f)
		if err != nil {
			errs = append(errs, err)
			continue
		}
		test, err := battery.Lookup(k.About.Test)
		if err != nil || test.Version != k.About.Version {
			errs = append(errs, fmt.Errorf("%s: of another version of exp; run exp explain again", f))
			continue
		}
		e := claims.Explained{Run: k.About.Run, Test: k.About.Test}
		for _, v := range k.Result.Values {
			e.Values = append(e.Values, claims.ExplainedValue{Statistic: v.Statistic, Of: v.Of, Part: v.Part, Reviews: v.N,
				Value: float64(v.Value), Low: float64(v.Low), High: float64(v.High), Within: battery.Range(test.Name, v.Statistic)})
		}
		out = append(out, e)
	}
	return out, errors.Join(errs...)
}
