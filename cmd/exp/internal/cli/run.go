package cli

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"github.com/spf13/cobra"

	"imdbexp/experiments"
	"imdbexp/experiments/naming"
	"imdbexp/internal/term"
	"imdbexp/report"
	"imdbexp/runs"
)

// Names returns the meaning of the names of experiments with the installed data.
func (a *App) Names() *naming.Names {
	if a.names == nil {
		dir, auto, err := a.Auto()
		if err != nil { // commands that need data report the error
			auto.Data = "sample"
		}
		a.names = naming.New(auto.Data, dir)
	}
	return a.names
}

// WhereFlag adds --where.
func WhereFlag(cmd *cobra.Command, to *[]string) {
	cmd.Flags().StringArrayVar(to, "where", nil, "only runs with this setting, `KEY=VALUE` or KEY!=VALUE, or tag=WORD; may be given several times")
}

// Where returns the runs that satisfy the conditions of --where.
func Where(list []*runs.Run, conditions []string) ([]*runs.Run, error) {
	list, err := runs.With(list, conditions)
	if err != nil {
		return nil, Usage(fmt.Errorf("--where: %w", err))
	}
	return list, nil
}

// RunOf returns the run of a name. Of several seeds it takes the typical one, and prints which. If an experiment has
// no run, the error says how to train one.
func (a *App) RunOf(ref string) (*runs.Run, error) {
	list, err := a.RunsOf(ref)
	if err != nil {
		return nil, err
	}
	run, why := report.Typical(list)
	if why != "" {
		another := strings.TrimSuffix(ref, "]") + ",seed=N]"
		if another == ref+",seed=N]" {
			another = ref + "[seed=N]"
		}
		a.Complain(fmt.Sprintf("exp: %s: %s; %s or an ID picks another", ref, why, Quoted(another)))
	}
	return run, nil
}

// RunsOf returns the runs of a name, which differ only in their seeds.
func (a *App) RunsOf(ref string) ([]*runs.Run, error) {
	list, err := a.Names().Runs(a.Runs, ref)
	return list, a.unnamed(ref, err)
}

// Headed returns a heading for a run: name/ID and its settings.
func (a *App) Headed(c *runs.Config) string {
	return fmt.Sprintf("%s (%s)", a.Paint(term.Bold, c.Name+"/"+c.ID), a.Names().About(c))
}

// unnamed adds advice to the error of a name without a run.
func (a *App) unnamed(ref string, err error) error {
	if runs.NoFiles(err) {
		return err
	}
	if others, ok := errors.AsType[*naming.OthersError](err); ok {
		text := others.Error()
		if others.Meant != "" {
			text += "; train one: " + a.Command(append([]string{"run", others.Name}, others.Given...)...)
		}
		such := ""
		if others.Other != "" {
			such = ", such as " + Quoted(others.Other)
		}
		return fmt.Errorf("%s. There are others%s: %s", text, such, a.Command("runs", "list", others.Name))
	}
	if noModel := NoModel(ref); err != nil && noModel != nil {
		return noModel
	}
	if err != nil && strings.Contains(ref, " ") && !strings.ContainsAny(ref, "[/") {
		return fmt.Errorf("%w; did you forget the run? %s", err, a.Command("attend", "@last", ref))
	}
	if e, _ := experiments.Lookup(ref); e != nil && err != nil {
		return fmt.Errorf("%w; train one: %s", err, a.Command("run", ref))
	}
	return err
}

// NoModel returns an error for the name of a model file that does not exist or that exp cannot read.
func NoModel(ref string) error {
	ext := filepath.Ext(ref)
	if ext != ".safetensors" && ext != ".onnx" {
		return nil
	}
	if _, err := os.Stat(ref); errors.Is(err, os.ErrNotExist) {
		return fmt.Errorf("there is no model file %s", ref)
	}
	if ext == ".onnx" {
		return fmt.Errorf("%s is for other programs, such as onnxruntime: give the run, or a file that exp export writes without --onnx", ref)
	}
	return nil
}
