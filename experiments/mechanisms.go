package experiments

// Group mechanisms: the attention of other papers on the same data, each at a
// size that trains in minutes. None has a published number on IMDB.

// testLast is for experiments without a published test curve. Only TME 9 and 10 and translations are
// evaluated on the test set after each epoch.
var testLast = Diff{"test=last", "one evaluation on the test set, of the chosen epoch"}

// mechanism is a row without published numbers.
func mechanism() []Row {
	return []Row{{Optimizer: "adam", Settings: []Diff{{"lr=0.001", "Adam's default"}, {"epochs=10", "more overfit"}}}}
}

// mechanisms is the group.
func mechanisms() []*Experiment {
	return []*Experiment{
		{
			Name: "multihead", Group: "mechanisms", Model: "multihead",
			Shows:    "several heads see more than one, if they differ",
			Settings: []Diff{{"batch=32", "steps enough in few epochs"}, {"data.max_len=512", "time grows with the square of the length"}, testLast},
			Sample:   tme10Sample,
			Rows:     mechanism(),
		},
		{
			Name: "transformer", Group: "mechanisms", Model: "transformer",
			Shows: "the encoder block: heads, position-wise network, residuals, layer norms",
			Watch: "On the sample it ends at 75 %, as tme9-query does: it finds which opinion counts, but does not learn negation and contrast from 2 000 reviews, nor (78 %) from 20 000 of the same grammar. tme9-lstm, which reads in order, does.",
			Settings: []Diff{
				{"batch=32", "steps enough in few epochs"},
				{"data.max_len=512", "time grows with the square of the length"},
				{"positions=sinusoid", "as in the paper"},
				{"schedule=cosine", "falls to zero at the end"},
				{"schedule.warmup=1", "post-norm needs one"},
				testLast,
			},
			Sample: []Diff{
				{"epochs=10", "the sample is learned quickly"},
				{"batch=16", "more steps from few reviews"},
				{"positions=learned", "sinusoids are louder than the sample's word vectors: with them it stops at 68 %"},
			},
			Rows: mechanism(),
		},
		{
			Name: "additive", Group: "mechanisms", Model: "additive",
			Shows:    "Bahdanau's: a small network scores each state",
			Settings: []Diff{testLast},
			Sample: append(sample[:len(sample):len(sample)],
				Diff{"clip=0.25", "at these rates single steps throw it back to the 76 % that one word decides"}),
			SampleWith: slowly,
			Rows:       mechanism(),
		},
		{
			Name: "luong", Group: "mechanisms", Model: "luong",
			Shows:    "Luong's: dot, general or concat",
			Settings: []Diff{testLast},
			Sample:   sample, SampleWith: slowly,
			Rows: mechanism(),
		},
	}
}
