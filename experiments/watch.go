package experiments

import (
	"fmt"

	"imdbexp/runs"
)

// Watch says what was published about an experiment, with the numbers, and
// which experiments to hold it against; "" where there is nothing to say beyond what
// the model itself says (models.Info.Watch).
func Watch(name string) string {
	switch name {
	case "tme9-mean":
		return fmt.Sprintf("The report has %s.", testAcc(name, "adam"))
	case "tme9-simple":
		return fmt.Sprintf("The report has %s, and %s for tme9-mean.", testAcc(name, "adam"), testAcc("tme9-mean", "adam"))
	case "tme9-query":
		return fmt.Sprintf("The report saw train and test part here, with %s on test where tme9-simple has %s.",
			testAcc(name, "adam"), testAcc("tme9-simple", "adam"))
	case "tme9-values":
		return fmt.Sprintf("The report has %s, and %s for tme9-query.", testAcc(name, "adam"), testAcc("tme9-query", "adam"))
	case "tme9-lstm":
		return fmt.Sprintf("The report has %s at the end of training with Adam, and about 85 %% at its best. tme9-lstm-last and tme9-lstm-mean are its controls without attention.",
			testAcc(name, "adam"))
	case "tme9-lstm-last", "tme9-lstm-mean":
		return "The run to compare it with is tme9-lstm."
	case "tme10-self":
		return fmt.Sprintf("The report calls its training unstable, and has %s where tme9-simple has %s.", testAcc(name, "adam"), testAcc("tme9-simple", "adam"))
	case "tme10-pe":
		return fmt.Sprintf("The report saw train and test part with SGD: %s.", trainAndTest(name, "sgd"))
	case "tme10-cls":
		return fmt.Sprintf("The report saw train and test close: %s.", trainAndTest(name, "adam"))
	case "tme10-cls-pe":
		return fmt.Sprintf("The report saw it collapse to %s, where tme10-cls has %s and tme10-pe %s.",
			testAcc(name, "adam"), testAcc("tme10-cls", "adam"), testAcc("tme10-pe", "adam"))
	case "seq2seq-plain":
		return "Sutskever et al. (2014) report BLEU 30.6 with the source reversed, and 25.9 without, on WMT'14 English to French."
	}
	return ""
}

func testAcc(name, optimizer string) string {
	return fmt.Sprintf("%.1f %%", publishedOf(name, optimizer).TestAcc)
}

func trainAndTest(name, optimizer string) string {
	p := publishedOf(name, optimizer)
	return fmt.Sprintf("%.1f and %.1f %%", p.TrainAcc, p.TestAcc)
}

// publishedOf returns a row of the published table, empty where there is none.
func publishedOf(name, optimizer string) runs.Published {
	if e, err := Lookup(name); err == nil {
		if r := e.row(optimizer); r != nil && r.Published != nil {
			return *r.Published
		}
	}
	return runs.Published{}
}
