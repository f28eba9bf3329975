package explain

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"reflect"

	"imdbexp/cmd/exp/internal/battery"
	"imdbexp/internal/fsx"
)

// keeper keeps what a test of a run has come to in the folder of --out, so that it is
// not computed twice.
type keeper struct {
	dir    string // "" keeps nothing
	test   *battery.Test
	of     *Explained
	digest string // of the data
	peers  []string

	epochs    int // of roar
	retrained []string
}

// kept is a file of results: what it is about, and the result.
type kept struct {
	About  about           `json:"about"`
	Result *battery.Result `json:"result"`
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
	Epochs  int      `json:"epochs,omitempty"` // of roar, and whose words it takes
	Taken   []string `json:"taken,omitempty"`
}

// mostKept bounds a file of results.
const mostKept = 1 << 28

func (k keeper) about() about {
	e := k.of
	return about{e.ID, e.Epoch, k.digest, e.Reviews, e.Seed, e.Scores, k.test.Name, k.test.Version, k.peers, k.epochs, k.retrained}
}

func (k keeper) path() string {
	return filepath.Join(k.dir, "results", fmt.Sprintf("%s-%s.json", k.of.ID, k.test.Name))
}

// read returns the result if it is there and about the same. A file that cannot be read
// is computed anew.
func (k keeper) read() (*battery.Result, bool) {
	if k.dir == "" {
		return nil, false
	}
	b, err := fsx.ReadFile(k.path(), mostKept)
	if err != nil {
		return nil, false
	}
	var f kept
	if json.Unmarshal(b, &f) != nil || f.Result == nil || !reflect.DeepEqual(f.About, k.about()) {
		return nil, false
	}
	return f.Result, true
}

// write keeps a result.
func (k keeper) write(r *battery.Result) error {
	if k.dir == "" {
		return nil
	}
	b, err := json.Marshal(kept{k.about(), r})
	if err != nil {
		return err
	}
	if err := os.MkdirAll(filepath.Dir(k.path()), 0o777); err != nil {
		return fmt.Errorf("%w; --out wants a folder", err)
	}
	return fsx.WriteBytes(k.path(), append(b, '\n'))
}
