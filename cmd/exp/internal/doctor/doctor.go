// Package doctor is exp doctor: it checks the machine, the data and the folders.
package doctor

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"imdbexp/cmd/exp/internal/cli"
	"imdbexp/dataset/folder"
	"imdbexp/internal/format"
	"imdbexp/internal/fsx"
	"imdbexp/internal/simd"
	"imdbexp/internal/simd/selftest"
	"imdbexp/internal/system"
	"imdbexp/internal/term"
	"imdbexp/runs"
)

// New returns exp doctor.
func New(a *cli.App) *cobra.Command {
	return &cobra.Command{
		Use:   "doctor",
		Short: "Check the machine, the data and the folders",
		Long: `Check what runs need: the CPU and its kernels (random operands at every level, against
portable code and against recorded bits), memory, disk space, locks, and every byte of
the runs (exp data check reads the data). Each line is ok, warn or fail, and says what to
do. Nothing is changed. The exit code is 1 if a line is fail.`,
		Example: "  exp doctor\n  exp doctor --runs /mnt/share/runs",
		Args:    cli.NoArguments,
		RunE:    func(cmd *cobra.Command, _ []string) error { return (&doctor{App: a}).all(cmd.Context()) },
	}
}

// doctor prints its findings, a line for each.
type doctor struct {
	*cli.App
	checks int
	failed int
}

type health string

const (
	good     health = "ok"
	doubtful health = "warn" // runs work, but could work better
	wrong    health = "fail"
)

// tell prints a finding: on a terminal aligned, in a pipe tab-separated.
func (d *doctor) tell(h health, what, text string) {
	d.checks++
	if h == wrong {
		d.failed++
	}
	if !d.IO.Terminal() {
		d.Printf("%s\n", strings.Join([]string{string(h), what, text}, "\t"))
		return
	}
	style := term.Style("")
	if h != good {
		style = term.Bold
	}
	head := d.IO.Paint(style, fmt.Sprintf("%-5s", h)) + fmt.Sprintf(" %-12s ", what)
	d.SayIndented(text, head, strings.Repeat(" ", term.Width(head)))
}

// all runs every check, also after one has failed.
func (d *doctor) all(ctx context.Context) error {
	d.cpu()
	d.kernels()
	d.memory()
	d.data()
	path, err := filepath.Abs(d.Runs)
	if err != nil {
		return err
	}
	d.folder("runs folder", path, wrong, "Name another one with --runs")
	if err := d.runsInIt(ctx); err != nil {
		return err
	}
	if d.failed > 0 {
		return fmt.Errorf("%d of %d checks failed", d.failed, d.checks)
	}
	return nil
}

func (d *doctor) cpu() {
	h, text := good, fmt.Sprintf("%s kernels (of %s), %d workers on %d cores", simd.Current(), strings.Join(cli.Levels(), ", "), d.Workers, runtime.NumCPU())
	if runtime.GOARCH == "amd64" && simd.Best() == simd.Portable {
		h, text = doubtful, text+": without AVX2 and FMA (or built with the tag purego) training is about thirty times slower"
	}
	d.tell(h, "CPU", text)
}

func (d *doctor) kernels() {
	n, err := selftest.Run(300 * time.Millisecond)
	if err == nil {
		d.tell(good, "kernels", fmt.Sprintf("%d kernels, %s cases: the same bits at every level (%s), equal to the recorded ones",
			len(selftest.Kernels), format.Thousands(n), strings.Join(cli.Levels(), ", ")))
		return
	}
	advice := "do not trust any result from this machine"
	if at, found := errors.AsType[*selftest.Difference](err); found {
		all := simd.Levels()
		advice = fmt.Sprintf("use --simd %s on this machine, and train its runs again", all[max(slices.Index(all, at.Level)-1, 0)])
	}
	d.tell(wrong, "kernels", fmt.Sprintf("%v: %s; please report it with the lines above", err, advice))
}

func (d *doctor) memory() {
	n, known := system.FreeMemory()
	h, text := good, map[bool]string{true: format.Bytes(n), false: "unknown memory"}[known]+" free"
	if known && n < 1<<30 { // see docs/performance.md
		h = doubtful
	}
	d.tell(h, "memory", text+"; a run on IMDB needs up to 0.8 GB, runs on the sample need less")
}

// folder checks that a folder can be written, or its nearest parent that exists, and that its locks work.
func (d *doctor) folder(what, path string, bad health, remedy string) {
	up := path
	for ; filepath.Dir(up) != up; up = filepath.Dir(up) {
		if _, err := os.Stat(up); err == nil {
			break
		}
	}
	shown := path
	if up != path {
		shown += " (created when needed)"
	}
	dir, err := os.MkdirTemp(up, ".doctor-")
	if err == nil {
		err = errors.Join(fsx.WriteBytes(filepath.Join(dir, "probe"), []byte("probe\n")), fsx.CheckLocks(fsx.In(dir).Acquire), os.RemoveAll(dir))
	}
	if err != nil {
		d.tell(bad, what, fmt.Sprintf("%s cannot be used: %v. %s", shown, err, remedy))
		return
	}
	d.tell(good, what, shown+"; files can be written and locked")
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

// runsInIt counts the runs and reports unreadable ones.
func (d *doctor) runsInIt(ctx context.Context) error {
	list, err := runs.List(d.Runs)
	if fatal := runs.Fatal(err); fatal != nil {
		return fmt.Errorf("%w%s", fatal, d.Hint(fatal))
	}
	count := map[runs.State]int{}
	var damage []string
	words := map[string]error{} // errors of stored tables, by digest
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
	d.tell(good, "runs", fmt.Sprintf("%d finished, %d unfinished, %d diverged, %d damaged",
		count[runs.Finished], count[runs.Unfinished]+count[runs.Created], count[runs.Diverged], count[runs.Damaged]))
	if err != nil {
		d.tell(doubtful, "runs", fmt.Sprintf("some cannot be read: %v", err))
	}
	for _, text := range damage {
		d.tell(doubtful, "runs", text)
	}
	return nil
}

// wrongWith returns the damage of a run; none while a process trains it.
func (d *doctor) wrongWith(r *runs.Run, words map[string]error) (wrong []error) {
	if r.Held() != nil {
		return nil
	}
	wrong = r.Check()
	if r.Status.State == runs.Created { // its words are written when it starts
		return wrong
	}
	err, known := words[r.Config.Table]
	if !known {
		err = r.CheckWords()
		words[r.Config.Table] = err
	}
	if err != nil {
		wrong = append(wrong, err)
	}
	return wrong
}

func (d *doctor) repair(r *runs.Run, damage error) string {
	config := r.Path + "/config.yaml"
	if errors.Is(damage, fs.ErrPermission) {
		return ""
	}
	if _, ok := errors.AsType[*runs.AnswersError](damage); ok {
		return d.Hint(damage)
	}
	if r.Restorable(damage) {
		return ". Training continues from the previous checkpoint: " + d.Command("run", config)
	}
	return ". Train it again: " + d.Command("run", config, "--force")
}
