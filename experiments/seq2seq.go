package experiments

import _ "imdbexp/models/translate" // registers the models

// Group seq2seq: attention where it came from, between the two sentences of a
// translation, and the model without it. None has a published number on these pairs.

// translation is a row of the group.
func translation(lr, epochs string) []Row {
	return []Row{{Optimizer: "adam", Settings: []Diff{{"lr=" + lr, "above Adam's default: fewer epochs do"}, {"epochs=" + epochs, "the rate has to fall to zero slowly"}}}}
}

// pairSettings returns the settings of the group, and more.
func pairSettings(more ...Diff) []Diff {
	return append([]Diff{
		{"batch=32", "steps enough in few epochs of short sentences"},
		{"clip=1", "gradients of decoders explode now and then"},
		{"schedule=cosine", "falls to zero at the end"},
	}, more...)
}

// seq2seq is the group.
func seq2seq() []*Experiment {
	const few = "3 000 pairs are few"
	return []*Experiment{
		{
			Name: "seq2seq-plain", Group: "seq2seq", Model: "seq2seq-plain",
			Shows:    "a sentence through one vector: long ones do not fit",
			Watch:    "Sutskever et al. (2014) report BLEU 30.6 with the source reversed, and 25.9 without, on WMT'14 English to French.",
			Settings: pairSettings(Diff{"dropout=0.2", few}),
			Rows:     translation("0.003", "60"),
		},
		{
			Name: "seq2seq-bahdanau", Group: "seq2seq", Model: "seq2seq-bahdanau",
			Shows:    "additive attention looks back at the source before each word",
			Settings: pairSettings(Diff{"dropout=0.3", few}, Diff{"label_smoothing=0.1", few}),
			Rows:     translation("0.004", "60"),
		},
		{
			Name: "seq2seq-luong", Group: "seq2seq", Model: "seq2seq-luong",
			Shows: "multiplicative attention: dot, general or concat",
			Settings: pairSettings(Diff{"dropout=0.3", few}, Diff{"hidden=96", "wide enough, and faster than the default"},
				Diff{"score=concat", "the best of the three here; dot and general need scale=sqrt_k"}),
			Rows: translation("0.004", "60"),
		},
		{
			Name: "seq2seq-transformer", Group: "seq2seq", Model: "seq2seq-transformer",
			Shows: "attention alone: encoder and decoder stacks",
			Settings: pairSettings(Diff{"dropout=0.2", few}, Diff{"label_smoothing=0.1", "as in the paper"},
				Diff{"width=96", "wide enough for some 350 words"}, Diff{"ffn.width=192", "twice the width"},
				Diff{"norm.place=before", "better for long sentences than the norm after"},
				Diff{"adam.beta2=0.98", "as in the paper"}, Diff{"schedule.warmup=4", "attention finds nothing while everything moves"}),
			Rows: translation("0.002", "75"),
		},
	}
}
