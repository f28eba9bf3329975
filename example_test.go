package imdbexp_test

import (
	"context"
	"fmt"
	"log"
	"os"

	"imdbexp"
)

func Example() {
	dir, err := os.MkdirTemp("", "runs")
	if err != nil {
		log.Fatal(err)
	}
	defer os.RemoveAll(dir)

	// exp run tme9-lstm, on the embedded sample
	run, err := imdbexp.Train(context.Background(), imdbexp.Options{Runs: dir}, "tme9-lstm")
	if err != nil {
		log.Fatal(err)
	}
	result, err := run.Chosen() // the metrics of the epoch that counts
	if err != nil {
		log.Fatal(err)
	}
	citation, err := run.Citation()
	if err != nil {
		log.Fatal(err)
	}
	fmt.Printf("test accuracy %.1f %%, cite as %s\n", *result.TestAcc, citation)

	m, err := imdbexp.Open(run.Path, 0)
	if err != nil {
		log.Fatal(err)
	}
	defer m.Close()
	never := "in this spoof a gloomy barber drops the parrot of a clown . the jokes are never hilarious ."
	truly := "in this spoof a gloomy barber drops the parrot of a clown . the jokes are truly hilarious ."
	answers, err := m.Predict(context.Background(), never, truly)
	if err != nil {
		log.Fatal(err)
	}
	for _, a := range answers {
		fmt.Printf("%s %.3f\n", m.Classes[a.Predicted], a.P[a.Predicted])
	}
	view, err := m.Attend(truly, imdbexp.Selection{})
	if err != nil {
		log.Fatal(err)
	}
	for _, w := range view.Words {
		if w.Weight >= 0.1 {
			fmt.Printf("%.3f %s\n", w.Weight, w.Text)
		}
	}
	// Output:
	// test accuracy 97.0 %, cite as imdbexp:tme9-lstm/ea46cb@67d9c939
	// neg 0.825
	// pos 1.000
	// 0.999 hilarious
}
