package battery

import (
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"

	"imdbexp/internal/fsx"
	"imdbexp/report/claims"
)

// Saved is a file of exp explain --out: the result of one test of one run.
type Saved struct {
	About  About   `json:"about"`
	Result *Result `json:"result"`
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

func savedPath(dir, run, test string) string {
	return filepath.Join(dir, savedFolder, fmt.Sprintf("%s-%s.json", run, test))
}

// ReadSaved reads the kept result of a run and a test.
func ReadSaved(dir, run, test string) (*Saved, error) { return readSaved(savedPath(dir, run, test)) }

func readSaved(path string) (*Saved, error) {
	b, err := fsx.ReadFile(path, maxSavedSize)
	if err != nil {
		return nil, err
	}
	var k Saved
	if err := json.Unmarshal(b, &k); err != nil {
		return nil, fmt.Errorf("%s: %w", path, err)
	}
	if k.Result == nil {
		return nil, fmt.Errorf("%s: no results of exp explain", path)
	}
	k.Result.Clip() // earlier versions did not
	return &k, nil
}

// Write keeps a result in the folder of --out.
func (k *Saved) Write(dir string) error {
	b, err := json.Marshal(k)
	if err != nil {
		return err
	}
	if err := os.MkdirAll(filepath.Join(dir, savedFolder), 0o777); err != nil {
		return fmt.Errorf("%w; --out must name a folder", err)
	}
	return fsx.WriteBytes(savedPath(dir, k.About.Run, k.About.Test), append(b, '\n'))
}

// Claims returns the results in a folder of --out in the form that claims are checked by.
// Results of older versions of a test are skipped, because their numbers may differ. The
// error lists skipped and unreadable files; the results returned with it are valid.
func Claims(dir string) (out []claims.Explained, err error) {
	files, err := filepath.Glob(filepath.Join(dir, savedFolder, "*.json"))
	if err != nil {
		return nil, err
	}
	if len(files) == 0 {
		return nil, fmt.Errorf("%s: %w", dir, ErrNone)
	}
	var errs []error
	for _, f := range files {
		k, err := readSaved(f)
		if err != nil {
			errs = append(errs, err)
			continue
		}
		test := Named(k.About.Test)
		if test == nil || test.Version != k.About.Version {
			errs = append(errs, fmt.Errorf("%s: of another version of exp; run exp explain again", f))
			continue
		}
		e := claims.Explained{Run: k.About.Run, Test: k.About.Test}
		for _, v := range k.Result.Values {
			e.Values = append(e.Values, claims.ExplainedValue{Statistic: v.Statistic, Of: v.Of, Part: v.Part, Reviews: v.N,
				Value: float64(v.Value), Low: float64(v.Low), High: float64(v.High), Within: Range(test.Name, v.Statistic)})
		}
		out = append(out, e)
	}
	return out, errors.Join(errs...)
}
