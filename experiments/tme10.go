package experiments

// Family TME 10: self-attention in three layers, with positions and a learned
// word [CLS]. Its published numbers are in runs/published.

// figure is a row of TME 10.
func figure(optimizer, lr, why string) Row {
	epochs, all := Diff{"epochs=20", "the report has 42; with 20 the group trains in two hours"}, "epochs=42"
	if optimizer == "sgd" {
		epochs, all = Diff{"epochs=40", "the report has 100; with 40 the group trains in two hours"}, "epochs=100"
	}
	return Row{Optimizer: optimizer, Settings: []Diff{{"lr=" + lr, why}, epochs}, Original: []Diff{{all, "the report's"}}}
}

var (
	// tme10 are the settings of the whole family.
	tme10 = []Diff{
		{"batch=16", "the report's"},
		{"data.max_len=512", "nine of ten IMDB reviews are shorter; time grows with the square of the length"},
	}
	tme10Sample = []Diff{
		{"epochs=10", "the sample is learned quickly"},
		{"lr=0.001", "with 0.003 the models with positions learn nothing there"},
	}
	pooled    = Diff{"pool=cls", "a learned word collects what the classifier reads"}
	positions = Diff{"positions=sinusoid", "added once, before the first layer"}
)

// tme10Slips are the slips of the report and its code in every TME 10 run.
func tme10Slips(more ...Diff) []Diff {
	return append([]Diff{
		{"slip.whitespace=true", "the course's tokeniser: \\S+"},
		{"oov=zero", "the row of words without a vector; nothing was masked here"},
		{"slip.drop_last=true", "the loaders dropped the last partial batch"},
		{"slip.choose_on_test=true", "there was no validation split"},
		{"slip.pad=true", "no mask: padding took part"},
		{"slip.softmax_queries=true", "the softmax ran over the wrong axis"},
		{"slip.scale_d=true", "scores divided by √50 instead of √40"},
		{"slip.no_residual=true", "the code has none, although the formula has one"},
		{"slip.sigmoid_logits=true", "a sigmoid before the cross-entropy"},
		{"layer.dropout=0.5", "the published code's"},
	}, more...)
}

// The report says BatchNorm, which fits its figures best (docs/results/appendix.md). The code that was
// published eleven days later has another norm in its place, which cancels what all reviews
// share: positions and [CLS].
var (
	tme10Original = tme10Slips(
		Diff{"slip.pad_statistics=true", "padding counted in the batch norm, too"},
		Diff{"data.max_len=0", "nothing was cut"},
	)
	tme10Code = tme10Slips(
		Diff{"slip.batch_slot_norm=true", "a LayerNorm over the reviews of the batch"},
		Diff{"data.max_len=256", "nothing was cut; with less padding a row trains in 40 minutes"},
	)
)

func with[T any](base []T, more ...T) []T { return append(base[:len(base):len(base)], more...) }

// tme10Family returns the experiments of the family.
func tme10Family() []*Experiment {
	return []*Experiment{
		{
			Name: "tme10-self", Group: "tme10", Model: "self",
			Shows:    "every word attends to every other: layers of self-attention, then the mean",
			Watch:    "The report calls its training unstable, and has {tme10-self} % where tme9-simple has {tme9-simple} %.",
			Settings: tme10, Sample: tme10Sample, Original: tme10Original, Code: tme10Code,
			Rows: []Row{figure("adam", "0.001", "the report's")},
		},
		{
			Name: "tme10-pe", Group: "tme10", Model: "self",
			Shows:    "positions: attention alone cannot tell one order of the words from another",
			Watch:    "In the report SGD widens the gap between train and test: {tme10-pe sgd train} and {tme10-pe sgd} %.",
			Settings: with(tme10, positions), Sample: tme10Sample, Original: tme10Original, Code: tme10Code,
			Rows: []Row{
				figure("adam", "0.001", "the report's"),
				figure("sgd", "0.01", "as in TME 9"),
			},
		},
		{
			Name: "tme10-cls", Group: "tme10", Model: "self",
			Shows:    "a learned word before the review collects its meaning",
			Watch:    "The report saw train and test close: {tme10-cls adam train} and {tme10-cls} %.",
			Settings: with(tme10, pooled), Sample: tme10Sample, Original: tme10Original, Code: tme10Code,
			Rows: []Row{figure("adam", "0.0001", "the report's")},
		},
		{
			Name: "tme10-cls-pe", Group: "tme10", Model: "self",
			Shows:    "both at once, which collapsed in the report",
			Watch:    "The report saw it collapse to {tme10-cls-pe} %, where tme10-cls has {tme10-cls} % and tme10-pe {tme10-pe} %.",
			Settings: with(tme10, pooled, positions), Sample: tme10Sample, Original: tme10Original, Code: tme10Code,
			Rows: []Row{figure("adam", "0.0001", "as with CLS alone; the caption says SGD, the curve's own tag does not")},
		},
	}
}
