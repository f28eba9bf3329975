package imdbexp_test

import (
	"context"
	"fmt"
	"log"
	"os"

	"imdbexp"
	"imdbexp/models"
)

// Scored scores each word by a small network, and sums the words by their weights:
//
//	αᵢ = softmaxᵢ(v·tanh(W·xᵢ + b)),  t̂ = Σᵢ αᵢ xᵢ
type Scored struct {
	models.Head    // the classifier and its dropout
	models.Penalty // attention=learned, uniform, frozen, …, and a penalty of the entropy

	Width int `key:"attention.width" default:"20" min:"1" max:"1024" help:"width of v"`
}

func init() {
	models.Register(models.Info{
		Name: "scored", Title: "attention by a small network", Source: "Bahdanau et al. 2015, without s",
		New: func() models.Model { return &Scored{} },
	})
}

func (m *Scored) Build(b *models.Builder, x *models.Node) models.Output {
	a, h := m.Weigh(b, x, func() (a, h *models.Node) {
		keys := models.Tanh(b.Linear("key", x, m.Width))                  // [N, width]
		return models.Attend(b.Weight("v", 1, m.Width, m.Width), keys, 1) // [N, 1], [B, 1]
	})
	t := models.WeightedSum(a, x) // [B, d]
	return m.Attend(m.Classify(b, t), a, h)
}

// A model of another program is trained, kept and asked as those of this module.
func Example_model() {
	dir, err := os.MkdirTemp("", "runs")
	if err != nil {
		log.Fatal(err)
	}
	defer os.RemoveAll(dir)

	options := imdbexp.Options{Runs: dir}
	run, err := imdbexp.Train(context.Background(), options, "scored", "attention.width=10", "epochs=20", "lr=0.01")
	if err != nil {
		log.Fatal(err)
	}
	m, err := imdbexp.Open(run.Path, 0)
	if err != nil {
		log.Fatal(err)
	}
	defer m.Close()
	view, err := m.Attend("the jokes are truly hilarious .", imdbexp.Selection{})
	if err != nil {
		log.Fatal(err)
	}
	fmt.Printf("%s: %s %.3f\n", run.Config.Name, m.Classes[view.Class], view.P[view.Class])
	for _, w := range view.Words {
		fmt.Printf("%.3f %s\n", w.Weight, w.Text)
	}
	// Output:
	// scored: pos 0.981
	// 0.000 the
	// 0.005 jokes
	// 0.005 are
	// 0.018 truly
	// 0.971 hilarious
	// 0.000 .
}
