// Package runs implements exp runs: list, tag and remove runs.
package runs

import (
	"errors"
	"fmt"
	"io/fs"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"imdbexp/cmd/exp/internal/cli"
	"imdbexp/internal/format"
	"imdbexp/internal/term"
	"imdbexp/runs"
)

// New returns exp runs.
func New(a *cli.App) *cobra.Command {
	cmd := &cobra.Command{
		Use:   "runs",
		Short: "List, tag and remove runs",
		Long:  "List, tag and remove runs. Only files of runs are removed, and never those of a run that is being trained.",
		Example: `  exp runs list tme9-lstm
  exp runs tag @last baseline
  exp runs rm tme9-lstm --all`,
		Args: cli.OnlyCommands,
		RunE: func(cmd *cobra.Command, _ []string) error { return cmd.Help() },
	}
	cmd.AddCommand(newList(a), newNote(a), newTag(a), newRemove(a))
	for _, c := range cmd.Commands() {
		c.ValidArgsFunction = a.Complete
	}
	return cmd
}

func newList(a *cli.App) *cobra.Command {
	var where []string
	var as string
	cmd := &cobra.Command{
		Use:   "list [RUN…]",
		Short: "List runs: state, epochs, settings, result, size",
		Long: `List runs, with the settings in which they differ from their experiment, tags and notes.
--where keeps the runs that have a setting (optimizer=sgd) or a tag (tag=baseline), or do
not have it (optimizer!=sgd).`,
		Example: `  exp runs list
  exp runs list tme9-lstm --where optimizer=sgd --where variant!=original
  exp runs list --where tag=baseline --format json
  exp runs list | awk -F'\t' '$2 == "unfinished"'`,
		RunE: func(_ *cobra.Command, refs []string) error { return list(a, refs, where, as) },
	}
	cli.WhereFlag(cmd, &where)
	cli.FormatFlag(cmd, &as, cli.ListFormats)
	return cmd
}

// listed is a run in --format json.
type listed struct {
	Run        string            `json:"run"` // NAME/ID
	Experiment string            `json:"experiment"`
	ID         string            `json:"id"`
	Path       string            `json:"path"`
	State      string            `json:"state"`
	Epoch      int               `json:"epoch"`  // whole epochs done
	Epochs     int               `json:"epochs"` // requested
	Seed       uint64            `json:"seed"`
	Test       *float64          `json:"test"`  // score on the test set in percent
	Bytes      int64             `json:"bytes"` // of its files
	Started    *time.Time        `json:"started"`
	Settings   map[string]string `json:"settings"` // in which it differs from its experiment
	runs.Remarks
}

func list(a *cli.App, refs, where []string, as string) error {
	list, err := matching(a, refs)
	if err != nil {
		return err
	}
	if list, err = cli.Where(list, where); err != nil {
		return err
	}
	people := a.Terminal() && as == "text"
	if len(list) == 0 && people {
		a.Printf("no runs in %s match\n", a.Runs)
		return nil
	}
	t := term.NewTable(term.Left("run"), term.Left("state"), term.Right("epoch").Drop(1), term.Right("seed"), term.Right("test"),
		term.Right("size").Drop(4), term.Left("started").Drop(3), term.Left("settings"), term.Left("tags").Drop(2), term.Left("note"))
	values := []listed{}
	size := int64(0)
	for _, r := range list {
		m, err := r.Remarks()
		a.Warn(err)
		state, test := result(a, r)
		v := listed{r.Label(), r.Config.Name, r.Config.ID, r.Path, state, r.Status.Epoch, r.Status.Epochs, r.Config.Seed(), test, r.Size(), nil, map[string]string{}, m}
		bytes, started := strconv.FormatInt(v.Bytes, 10), format.None
		if people {
			bytes = format.Bytes(v.Bytes)
		}
		if at := r.Time(); !at.IsZero() {
			v.Started, started = &at, at.Format(time.RFC3339)
			if people {
				started = format.Ago(time.Since(at))
			}
		}
		var settings []string
		for _, s := range a.Names().Settings(&r.Config) {
			if s.Key != "seed" { // which has a column
				settings, v.Settings[s.Key] = append(settings, s.Key+"="+s.Value), s.Value
			}
		}
		t.Add(v.Run, state, epochs(r), strconv.FormatUint(v.Seed, 10), format.Optional(test, 2), bytes, started,
			strings.Join(settings, " "), strings.Join(m.Tags, " "), m.Note)
		values, size = append(values, v), size+v.Bytes
	}
	if !people {
		return cli.PrintList(a.IO, as, t, values)
	}
	t.Filled().Print(a.IO)
	a.Say(fmt.Sprintf("%s in all, and %s of words and vectors that runs share", format.Bytes(size), format.Bytes(runs.StoreSize(a.Runs))))
	return nil
}

// epochs returns the epochs that are done and requested; a converged solver needs fewer.
func epochs(r *runs.Run) string {
	if r.Converged() {
		return strconv.Itoa(r.Status.Epoch)
	}
	return fmt.Sprintf("%d/%d", r.Status.Epoch, r.Status.Epochs)
}

// matching returns the runs of the refs, each once, or all runs without refs. Runs that cannot be read
// are warnings.
func matching(a *cli.App, refs []string) ([]*runs.Run, error) {
	if len(refs) == 0 {
		return a.ListRuns()
	}
	var out []*runs.Run
	seen := map[string]bool{}
	for _, ref := range refs {
		list, err := a.Match(ref)
		if err != nil {
			return nil, err
		}
		for _, r := range list {
			if !seen[r.Path] {
				seen[r.Path] = true
				out = append(out, r)
			}
		}
	}
	return out, nil
}

// result returns the state of a run and its test accuracy in percent (exact match for translations) of
// the chosen epoch, or nil. Damage is also a warning.
func result(a *cli.App, r *runs.Run) (state string, test *float64) {
	s := r.Status
	ends, err := r.Ends()
	if err != nil && s.State != runs.Damaged {
		s.State, s.Message = runs.Damaged, err.Error()
	}
	if ends.Chosen != nil {
		test = r.Config.Task().Score.Of(ends.Chosen)
	}
	if held := r.Held(); held != nil {
		return fmt.Sprintf("training, process %d on %s", held.PID, held.Host), test
	}
	if s.State == runs.Damaged {
		a.Warn(fmt.Errorf("%s is %s; %s says how to fix it", r.Label(), s, a.Command("doctor")))
	}
	return s.State.String(), test
}

func newRemove(a *cli.App) *cobra.Command {
	var all bool
	cmd := &cobra.Command{
		Use:     "rm RUN…",
		Aliases: []string{"remove"},
		Short:   "Remove runs",
		Long: `Remove the files of runs, and their folders if these are then empty. A run that is being
trained is not removed. Words and vectors that no run needs any more are removed, too.`,
		Example: `  exp runs rm 4f2a91
  exp runs rm tme9-lstm --all`,
		Args: cli.Words(1, 0, "name a run: exp runs list shows them"),
		RunE: func(_ *cobra.Command, refs []string) error { return remove(a, refs, all) },
	}
	cmd.Flags().BoolVar(&all, "all", false, "remove all runs of a name")
	return cmd
}

func remove(a *cli.App, refs []string, all bool) error {
	for _, ref := range refs { // all are checked before any is removed
		list, err := a.Match(ref)
		if err != nil && runs.IsFolder(ref) && !errors.Is(err, fs.ErrNotExist) && !errors.Is(err, fs.ErrPermission) {
			return fmt.Errorf("%w; it may not be a run: delete the folder yourself if you do not need it", err)
		}
		if err != nil {
			return err
		}
		if len(list) > 1 && !all {
			return cli.Usagef("%q names %d runs: --all removes them all, or name one by its ID: %s", ref, len(list), a.Command("runs", "list", ref))
		}
	}
	list, err := matching(a, refs)
	if err != nil {
		return err
	}
	var errs []error
	for _, r := range list {
		size := format.Bytes(r.Size())
		left, err := r.Remove()
		if err != nil {
			errs = append(errs, err)
			continue
		}
		a.Say(fmt.Sprintf("removed %s (%s)", term.Line(r.Path), size))
		for _, path := range left {
			a.Printf("  kept %s, which is not a file of the run\n", term.Line(path))
		}
	}
	freed, err := runs.CleanStore(a.Runs)
	if freed > 0 {
		a.Say(fmt.Sprintf("removed %s of words and vectors that no run needs", format.Bytes(freed)))
	}
	return errors.Join(append(errs, err)...)
}

func newNote(a *cli.App) *cobra.Command {
	cmd := &cobra.Command{
		Use:   "note RUN… TEXT",
		Short: "Write a note on runs",
		Long: `Write a note on runs, or remove it with --remove. exp runs list, exp show, exp report and the
live page show it. It changes no result. A note is one line; another note replaces it.`,
		Example: "  exp runs note @last 'diverges without clipping'\n  exp runs note @last --remove",
	}
	return remark(a, cmd, func(m *runs.Remarks, text string, remove bool) string {
		before := m.Note
		switch m.Note = text; {
		case remove:
			return "removed the note of %s: " + term.Line(before)
		case before != "" && before != text:
			return "noted %s; its note was: " + term.Line(before)
		}
		return "noted %s"
	})
}

func newTag(a *cli.App) *cobra.Command {
	cmd := &cobra.Command{
		Use:   "tag RUN… TAG[,TAG…]",
		Short: "Tag runs",
		Long: `Tag runs, or remove tags with --remove. exp runs list, exp show, exp report and the live page
show them. tag=WORD is a condition of --where and in names: exp compare
'tme9-lstm[tag=baseline]' nbsvm. A tag is a word of letters, digits and . _ + - : /.`,
		Example: "  exp runs tag tme9-lstm baseline\n  exp runs tag 4f2a91 baseline,paper\n  exp runs tag tme9-lstm paper --remove\n  exp runs list --where tag=baseline",
	}
	return remark(a, cmd, func(m *runs.Remarks, text string, remove bool) string {
		tags := strings.Split(text, ",")
		for i := range tags {
			tags[i] = strings.TrimSpace(tags[i])
		}
		if remove {
			m.Tags = slices.DeleteFunc(m.Tags, func(t string) bool { return slices.Contains(tags, t) })
			return "removed " + text + " from %s"
		}
		m.Add(tags...)
		return "tagged %s: " + strings.Join(m.Tags, ", ")
	})
}

// remark completes exp runs note or exp runs tag, whose last word is the text; only the removal of a note has none.
// change changes the remarks of a run, and returns what it has done to %s, the run.
func remark(a *cli.App, cmd *cobra.Command, change func(m *runs.Remarks, text string, remove bool) string) *cobra.Command {
	var remove bool
	name := cmd.Name()
	cmd.Flags().BoolVar(&remove, "remove", false, "remove the "+name)
	cmd.Args = cli.Words(1, 0, "name a run: exp runs list shows them")
	cmd.RunE = func(_ *cobra.Command, args []string) error {
		text := ""
		if n := len(args) - 1; !remove || name == "tag" {
			var try runs.Remarks
			text, args = strings.TrimSpace(args[n]), args[:n]
			change(&try, text, false)
			if err := try.Check(); err != nil {
				return cli.Usage(err)
			}
			if n == 0 || text == "" {
				return cli.Usagef("the %s is missing: exp runs %s", name, cmd.Use)
			}
		}
		list, err := matching(a, args)
		if err != nil && len(args) > 1 {
			return fmt.Errorf("%w; a note of several words needs quotes, several tags need commas", err)
		}
		for _, r := range list {
			said := ""
			if e := r.Remark(func(m *runs.Remarks) { said = change(m, text, remove) }); e != nil {
				err = errors.Join(err, e)
				continue
			}
			a.Say(strings.Replace(said, "%s", r.Label(), 1))
		}
		return err
	}
	return cmd
}
