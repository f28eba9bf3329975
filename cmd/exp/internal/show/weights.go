package show

import (
	"context"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"imdbexp/cmd/exp/internal/number"
	"imdbexp/dataset/embedding"
	"imdbexp/dataset/folder"
	"imdbexp/dataset/open"
	"imdbexp/dataset/pairs"
	"imdbexp/dataset/vectors"
	"imdbexp/experiments/plan"
	"imdbexp/internal/ops"
	"imdbexp/internal/term"
	"imdbexp/models"
)

// printPlanWeights builds the network that a plan would train, and lists its weights.
func printPlanWeights(ctx context.Context, io *term.IO, dir string, p *plan.Plan) error {
	pool := ops.NewPool(1)
	defer pool.Close()
	w, dim := models.NewWeights(p.Run.Seed), 0
	spec, of := models.Spec{Model: p.Model, Weights: w, Pool: pool, Training: true}, ""
	if p.Translates() {
		pairs, err := open.Pairs(ctx, dir, p.Run.Data.Data, pairs.Options{Tokenizer: p.Run.Tokenizer(), Limit: p.Run.Limit, MaxLen: p.Run.MaxLen})
		if err != nil {
			return err
		}
		spec.Source, spec.Target = pairs.Source.Len(), pairs.Target.Len()
		of = fmt.Sprintf("vocabularies of %s and %s words", number.Thousands(spec.Source), number.Thousands(spec.Target))
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
	io.Heading("weights (" + of + ")")
	t := weightsTable()
	for _, x := range w.List() {
		t.Add(x.Name, shape(x.Rows, x.Cols), number.Thousands(len(x.Data)))
	}
	all := number.Thousands(w.Count())
	switch {
	case p.Run.TrainVectors:
		rows := fmt.Sprintf("R·%d", dim)
		t.Add(models.VectorsWeight, fmt.Sprintf("R×%d", dim), rows)
		all += " + " + rows
	case p.Run.Unknown() == string(embedding.OOVLearned):
		t.Add(models.OOVWeight, shape(1, dim), number.Thousands(dim))
		all = number.Thousands(w.Count() + dim)
	}
	t.Add("in all", "", all)
	if err := t.Text(io, "  "); err != nil || !p.Run.TrainVectors {
		return err
	}
	io.Say("R is one more than the words of the data that have a vector: one row stands for all others", "  ", "  ")
	return nil
}

// planClasses returns the number of classes of a plan's data: two where it is
// not installed.
func planClasses(dir string, p *plan.Plan) int {
	src, err := open.Source(dir, p.Run.Data.Data, open.Options{})
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
	if d, err := strconv.Atoi(strings.TrimPrefix(name, "glove")); err == nil && slices.Contains(folder.GloveDims, d) {
		return d
	}
	items, _ := folder.Installed(dir)
	if i := slices.IndexFunc(items, func(i folder.Item) bool { return i.Kind == folder.VectorsKind && i.Name == name }); i >= 0 {
		name = items[i].Path
	}
	if found, ok, err := vectors.Detect(ctx, name); err == nil && ok {
		return found[0]
	}
	return p.Run.Dim
}
