package doctor

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"

	"imdbexp/dataset/folder"
	"imdbexp/internal/format"
	"imdbexp/internal/fsx"
	"imdbexp/runs"
)

// there returns the folder, or its nearest parent that exists.
func there(folder string) string {
	for {
		if _, err := os.Stat(folder); err == nil || filepath.Dir(folder) == folder {
			return folder
		}
		folder = filepath.Dir(folder)
	}
}

// probe calls try with a hidden folder, which it removes afterwards.
func probe(folder string, try func(dir string) error) error {
	dir, err := os.MkdirTemp(there(folder), ".doctor-")
	if err != nil {
		return err
	}
	return errors.Join(try(dir), os.RemoveAll(dir))
}

// folder checks that a folder can be written; bad is the result if not. It returns
// whether the folder can be written.
func (d *doctor) folder(what, path string, bad health, remedy string) bool {
	where := path
	if up := there(path); up != path {
		where += " (created when needed)"
	}
	write := func(dir string) error { return fsx.WriteBytes(filepath.Join(dir, "probe"), []byte("probe\n")) }
	if err := probe(path, write); err != nil {
		d.tell(bad, what, fmt.Sprintf("%s cannot be written: %v. %s", where, err, remedy))
		return false
	}
	d.tell(good, what, where)
	return true
}

// forPublished is the data of the published runs: name, the argument of exp data fetch, and its
// size.
var forPublished = [][3]string{{"imdb", "imdb", "84 MB"}, {"glove50", "glove", "69 MB"}}

// data checks the data folder, and reports what the published runs lack.
func (d *doctor) data() {
	dir, err := d.Data()
	if err != nil {
		d.tell(wrong, "data folder", err.Error())
		return
	}
	d.folder("data folder", dir, doubtful, "Name another one with --data-dir or $EXP_DATA; without a cache each run reads everything again")
	items, err := folder.Installed(dir)
	if err != nil {
		d.tell(wrong, "data", err.Error())
		return
	}
	for _, want := range forPublished {
		if i := slices.IndexFunc(items, func(i folder.Item) bool { return i.Name == want[0] }); i >= 0 {
			d.tell(good, "data", fmt.Sprintf("%s, %s", want[0], format.Bytes(items[i].Bytes)))
			continue
		}
		d.tell(doubtful, "data", fmt.Sprintf("%s is not installed: runs use the sample, whose numbers are not comparable with the published ones. Run: %s (%s)",
			want[0], d.Command("data", "fetch", want[1]), want[2]))
	}
}

func (d *doctor) runsFolder() {
	path, err := filepath.Abs(d.Runs)
	if err != nil {
		d.tell(wrong, "runs folder", err.Error())
		return
	}
	if !d.folder("runs folder", path, wrong, "Name another one with --runs") {
		return
	}
	if err := probe(path, func(dir string) error { return locks(fsx.In(dir).Acquire) }); err != nil {
		d.tell(wrong, "locks", fmt.Sprintf("%s: %v. Two processes could write the same run: use a folder on another file system with --runs", path, err))
		return
	}
	d.tell(good, "locks", "a second process cannot open a run that is locked")
}

var errNoLocks = errors.New("a locked file can be locked again")

// locks checks that a lock excludes others until it is released.
func locks(acquire func(name string) (*fsx.Lock, error)) error {
	const name = "lock"
	first, err := acquire(name)
	if err != nil {
		return err
	}
	second, err := acquire(name)
	if _, held := errors.AsType[*fsx.HeldError](err); held {
		err = nil
	} else if err == nil {
		err = errors.Join(errNoLocks, second.Release())
	}
	return errors.Join(err, first.Release())
}

// runsInIt counts the runs and reports those that cannot be read.
func (d *doctor) runsInIt(ctx context.Context) error {
	list, err := runs.List(d.Runs)
	if fatal := runs.Fatal(err); fatal != nil {
		return fmt.Errorf("%w%s", fatal, d.Hint(fatal))
	}
	count := map[runs.State]int{}
	var damage []string
	words := map[string]error{} // errors of the tables that runs share
	for _, r := range list {
		if ctx.Err() != nil {
			return ctx.Err()
		}
		state := r.Status.State
		for _, e := range d.wrongWith(r, words) {
			state = runs.Damaged
			damage = append(damage, fmt.Sprintf("%s is damaged: %v%s", r.Label(), e, d.repair(r, e)))
		}
		count[state]++
	}
	text := fmt.Sprintf("%d finished, %d unfinished, %d diverged", count[runs.Finished], count[runs.Unfinished]+count[runs.Created], count[runs.Diverged])
	if n := count[runs.Damaged]; n > 0 {
		text += fmt.Sprintf(", %d damaged", n)
	}
	if len(list) == 0 && err == nil {
		text = "none yet"
	}
	d.tell(good, "runs", text)
	if err != nil {
		d.tell(doubtful, "runs", fmt.Sprintf("some cannot be read: %v", err))
	}
	for _, text := range damage {
		d.tell(doubtful, "runs", text)
	}
	return nil
}

// wrongWith returns the damage of a run that no process holds; with quick only what opening it has
// shown.
func (d *doctor) wrongWith(r *runs.Run, words map[string]error) (wrong []error) {
	if r.Held() != nil {
		return nil
	}
	if d.quick {
		if r.Status.State == runs.Damaged {
			wrong = append(wrong, errors.New(r.Status.Message))
		}
		return wrong
	}
	wrong = r.Check()
	if r.Status.State == runs.Created { // its words are written when it starts
		return wrong
	}
	err, known := words[r.Config.Table]
	if !known {
		err = r.Words()
		words[r.Config.Table] = err
	}
	if err != nil {
		wrong = append(wrong, err)
	}
	return wrong
}

// repair returns how to repair a damaged run.
func (d *doctor) repair(r *runs.Run, damage error) string {
	config := r.Path + "/config.yaml"
	if errors.Is(damage, fs.ErrPermission) {
		return ""
	}
	if _, ok := errors.AsType[*runs.AnswersError](damage); ok {
		return d.Hint(damage)
	}
	if (r.InLast(damage) || d.quick) && r.Restorable() {
		return ". Training continues from the previous checkpoint: " + d.Command("run", config)
	}
	return ". Train it again: " + d.Command("run", config, "--force")
}
