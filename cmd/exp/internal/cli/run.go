package cli

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"imdbexp/experiments"
	"imdbexp/experiments/naming"
	"imdbexp/internal/term"
	"imdbexp/runs"
)

// Names knows what the names of experiments mean with the data at hand.
func (a *App) Names() *naming.Names {
	if a.names == nil {
		dir, auto, err := a.Auto()
		if err != nil { // whoever needs data says so
			auto.Data = "sample"
		}
		a.names = naming.New(auto.Data, dir)
	}
	return a.names
}

// RunOf returns the run that a word names, and says how to make one of an
// experiment that has none.
func (a *App) RunOf(ref string) (*runs.Run, error) {
	run, err := a.Names().Find(a.Runs, ref)
	return run, a.unnamed(ref, err)
}

// RunsOf returns the runs of one setting that a word names, a seed each.
func (a *App) RunsOf(ref string) ([]*runs.Run, error) {
	list, err := a.Names().Runs(a.Runs, ref)
	return list, a.unnamed(ref, err)
}

// Headed names a run above what is shown of it: name/ID and its settings.
func (a *App) Headed(c *runs.Config) string {
	return fmt.Sprintf("%s (%s)", a.Paint(term.Bold, c.Name+"/"+c.ID), a.Names().About(c))
}

// unnamed adds to the error of a word that names no run what can be typed instead.
func (a *App) unnamed(ref string, err error) error {
	if others, ok := errors.AsType[*naming.OthersError](err); ok {
		return a.others(ref, others)
	}
	if noModel := NoModel(ref); err != nil && noModel != nil {
		return noModel
	}
	if err != nil && strings.Contains(ref, " ") && !strings.ContainsAny(ref, "[/") {
		return fmt.Errorf("%w; did you forget the run? %s", err, a.Command("attend", "@last", ref))
	}
	if e, _ := experiments.Lookup(ref); e != nil && err != nil {
		return fmt.Errorf("%w; %s makes one", err, a.Command("run", ref))
	}
	return err
}

// NoModel says what is wrong with a word that means the file of a model; nil of one that
// exp can read, and of other words.
func NoModel(ref string) error {
	ext := filepath.Ext(ref)
	if ext != ".safetensors" && ext != ".onnx" {
		return nil
	}
	if _, err := os.Stat(ref); errors.Is(err, os.ErrNotExist) {
		return fmt.Errorf("there is no file %s to take for a model", ref)
	}
	if ext == ".onnx" {
		return fmt.Errorf("%s is for other programs, such as onnxruntime: exp takes the run, or what exp export writes of it without --onnx", ref)
	}
	return nil
}

// others lists the names that mean a run, each as the command that was typed with it.
func (a *App) others(ref string, e *naming.OthersError) error {
	var b strings.Builder
	b.WriteString(e.Because())
	if e.Meant != "" {
		fmt.Fprintf(&b, ": %s makes one", a.Command(e.Make()...))
	}
	if len(e.Refs) > 0 {
		b.WriteString(". Others there are:")
	}
	for _, other := range e.Refs {
		words := slices.Clone(a.Args)
		at := slices.Index(words, ref)
		if at < 0 {
			words, at = []string{""}, 0
		}
		words[at] = other
		line := CommandLine(words...)
		if len(words) == 1 {
			line = Quoted(other)
		}
		b.WriteString("\n  " + line)
	}
	if e.More > 0 {
		fmt.Fprintf(&b, "\n  and %d more", e.More)
	}
	if e.Trials > 0 {
		fmt.Fprintf(&b, "\n%s", trials(e.Trials, a.Command("runs", "list", e.Name)))
	}
	return errors.New(b.String())
}

func trials(n int, list string) string {
	what := fmt.Sprintf("%d trials of a search are", n)
	if n == 1 {
		what = "A trial of a search is"
	}
	return what + " named by the IDs that " + list + " shows."
}
