package main

import (
	"context"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"imdbexp/dataset"
	"imdbexp/experiments/plan"
	"imdbexp/internal/ops"
	"imdbexp/models"
)

// planWeights builds the network that a plan would train, and lists its weights.
func (a *app) planWeights(ctx context.Context, dir string, p *plan.Plan) error {
	pool := ops.NewPool(1)
	defer pool.Close()
	w, dim := models.NewWeights(p.Run.Seed), 0
	spec, of := models.Spec{Model: p.Model, Weights: w, Pool: pool, Training: true}, ""
	if p.Translates() {
		pairs, err := dataset.OpenPairs(ctx, dir, p.Run.Data.Data, dataset.PairOptions{Tokenizer: p.Run.Tokenizer(), Limit: p.Run.Limit, MaxLen: p.Run.MaxLen})
		if err != nil {
			return err
		}
		spec.Source, spec.Target = pairs.Source.Len(), pairs.Target.Len()
		of = fmt.Sprintf("vocabularies of %s and %s words", thousands(spec.Source), thousands(spec.Target))
	} else {
		dim = planDim(ctx, dir, p)
		spec.Dim, spec.Classes = dim, planClasses(dir, p)
		of = fmt.Sprintf("word vectors of %d numbers, %d classes", dim, spec.Classes)
	}
	n, err := models.NewNetwork(spec)
	if err != nil {
		return err
	}
	defer n.Close()
	a.heading("weights (" + of + ")")
	t := weightsTable()
	for _, x := range w.List() {
		t.Add(x.Name, shape(x.Rows, x.Cols), thousands(len(x.Data)))
	}
	all := thousands(w.Count())
	switch {
	case p.Run.TrainVectors:
		rows := fmt.Sprintf("R·%d", dim)
		t.Add(models.VectorsWeight, fmt.Sprintf("R×%d", dim), rows)
		all += " + " + rows
	case p.Run.Unknown() == string(dataset.OOVLearned):
		t.Add(models.OOVWeight, shape(1, dim), thousands(dim))
		all = thousands(w.Count() + dim)
	}
	t.Add("in all", "", all)
	if err := t.Text(a.io, "  "); err != nil || !p.Run.TrainVectors {
		return err
	}
	a.printf("%s\n", a.wrap("R is one more than the words of the data that have a vector: one row stands for all others", "  ", "  "))
	return nil
}

// planClasses returns the number of classes of a plan's data: two where it is
// not installed.
func planClasses(dir string, p *plan.Plan) int {
	src, err := dataset.OpenSource(dir, p.Run.Data.Data, dataset.OpenOptions{})
	if err != nil {
		return 2
	}
	return len(src.Classes())
}

// planDim returns the width of a plan's word vectors: of those trained or drawn
// here, and of those that are not there, what the setting says.
func planDim(ctx context.Context, dir string, p *plan.Plan) int {
	name := p.Run.Vectors.Vectors
	if slices.Contains([]string{"auto", "corpus", "random"}, name) {
		return p.Run.Dim
	}
	if d, err := strconv.Atoi(strings.TrimPrefix(name, "glove")); err == nil && slices.Contains(dataset.GloveDims, d) {
		return d
	}
	items, _ := dataset.Installed(dir)
	if i := slices.IndexFunc(items, func(i dataset.Item) bool { return i.Kind == dataset.VectorsKind && i.Name == name }); i >= 0 {
		name = items[i].Path
	}
	if found, ok, err := dataset.DetectVectors(ctx, name); err == nil && ok {
		return found.Dims[0]
	}
	return p.Run.Dim
}
