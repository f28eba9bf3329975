package explain

import (
	"reflect"

	"imdbexp/cmd/exp/internal/battery"
	"imdbexp/cmd/exp/internal/explained"
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

func (k keeper) about() explained.About {
	e := k.of
	return explained.About{Run: e.ID, Epoch: e.Epoch, Data: k.digest, Reviews: e.Reviews, Seed: e.Seed, Scores: e.Scores,
		Test: k.test.Name, Version: k.test.Version, Peers: k.peers, Epochs: k.epochs, Taken: k.retrained}
}

// read returns the result if it is there and about the same. A file that cannot be read
// is computed anew.
func (k keeper) read() (*battery.Result, bool) {
	if k.dir == "" {
		return nil, false
	}
	f, err := explained.Read(k.dir, k.of.ID, k.test.Name)
	if err != nil || !reflect.DeepEqual(f.About, k.about()) {
		return nil, false
	}
	return f.Result, true
}

// write keeps a result.
func (k keeper) write(r *battery.Result) error {
	if k.dir == "" {
		return nil
	}
	return explained.Write(k.dir, &explained.Kept{About: k.about(), Result: r})
}
