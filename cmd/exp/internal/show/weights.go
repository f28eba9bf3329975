package show

import (
	"context"
	"fmt"

	"imdbexp/cmd/exp/internal/cli"
	"imdbexp/dataset/embedding"
	"imdbexp/experiments/plan"
	"imdbexp/internal/format"
	"imdbexp/internal/infer"
	"imdbexp/internal/ops"
	"imdbexp/internal/term"
	"imdbexp/models"
	"imdbexp/models/translate"
	"imdbexp/runs"
)

// printPlanWeights builds the network that a plan would train, and lists its weights.
func printPlanWeights(ctx context.Context, io *term.IO, dir string, p *plan.Plan) error {
	pool := ops.NewPool(1)
	defer pool.Close()
	spec, err := p.Task().Sizes(ctx, dir, p.Run)
	if err != nil {
		return err
	}
	if c, counts := p.Model.(models.Counting); counts {
		io.Heading("weights")
		io.Say(ngramWeights(c.Counts()), "  ", "    ")
		return nil
	}
	w, dim := models.NewWeights(p.Run.Seed), spec.In
	spec.Model, spec.Weights, spec.Pool, spec.Training = p.Model, w, pool, true
	of := fmt.Sprintf("word vectors of %d numbers, %d classes", dim, spec.Out)
	switch p.Model.(type) {
	case models.Reader:
		of = fmt.Sprintf("word vectors of %d numbers", dim)
	case translate.Translator:
		of = fmt.Sprintf("vocabularies of %s and %s words", format.Thousands(spec.In), format.Thousands(spec.Out))
	}
	n, err := models.NewNetwork(spec)
	if err != nil {
		return err
	}
	defer n.Close()
	io.Heading("weights (" + of + ")")
	t, add := weightTable()
	for _, x := range w.List() {
		add(x.Name, len(x.Data), x.Rows, x.Cols)
	}
	all := format.Thousands(w.Count())
	switch {
	case p.Run.TrainVectors:
		rows := fmt.Sprintf("R·%d", dim)
		t.Add(models.VectorsWeight, fmt.Sprintf("R×%d", dim), rows)
		all += " + " + rows
	case p.Run.Unknown() == string(embedding.OOVLearned):
		t.Add(models.OOVWeight, shape(1, dim), format.Thousands(dim))
		all = format.Thousands(w.Count() + dim)
	}
	t.Add("in all", "", all)
	t.Text(io, "  ")
	if p.Run.TrainVectors {
		io.Say("R is one more than the words of the data that have a vector: one row stands for all others", "  ", "  ")
	}
	if c, folds := models.WideInput(p.Model); folds > 0 {
		io.Say("and the weights of the n-grams: "+ngramWeights(c.Counts()), "  ", "    ")
	}
	return nil
}

// ngramWeights says how many there are of a model that counts.
func ngramWeights(c models.Counts) string {
	of := "the F n-grams of train"
	if c.Most > 0 {
		of = fmt.Sprintf("the %s most frequent n-grams of train at most", format.Thousands(c.Most))
	}
	return fmt.Sprintf("one for each of %s that it has %d times or more; a bias: twice as many with each class beyond two. On IMDB a million.", of, c.MinCount)
}

// heaviest is how many n-grams are shown of each class.
const heaviest = 12

// printHeaviest prints the n-grams with the largest weights for each class, of a run that
// counts n-grams.
func printHeaviest(a *cli.App, run *runs.Run) {
	if !run.Config.Counts() || run.Status.State == runs.Created {
		return
	}
	pool := ops.NewPool(1)
	defer pool.Close()
	m, err := infer.Open(run, pool)
	if err != nil {
		a.Warn(err)
		return
	}
	defer m.Close()
	s := m.Scorer()
	a.Heading(fmt.Sprintf("heaviest of %s n-grams", format.Thousands(s.Features.Len())))
	t := term.NewTable(term.Column{Head: "class"}, term.Column{Head: "n-gram"}, term.Column{Head: "weight", Right: true},
		term.Column{Head: "train reviews", Right: true, Optional: 1})
	for c, class := range m.Classes {
		for _, f := range s.Heaviest(c, heaviest) {
			_, reviews := s.Features.Count(f)
			t.Add(term.Line(class), term.Visible(s.Features.Name(f)), format.Fixed(s.Weight(f, c), 3), format.Thousands(reviews))
			class = ""
		}
	}
	t.Text(a.IO, "  ")
	against := "the other class"
	if len(m.Classes) > 2 {
		against = "the mean of the other classes"
	}
	times := "where it is there"
	if !s.Binary() {
		times = "times its TF-IDF"
	}
	a.Say(fmt.Sprintf("a weight is the addition of the n-gram, %s, to the score of the class against %s", times, against), "  ", "  ")
}
