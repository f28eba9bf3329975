package settings

// Run is what every run has: its data, its training loop, its optimiser. Each
// model adds its own settings (see package models).
type Run struct {
	Variant string `key:"variant" default:"default" choices:"default|original|code" digest:"-" help:"original: all slips that we believe are behind the printed numbers of the published report; code: those of the published code, which appeared later (tme10)"`
	Seed    uint64 `key:"seed" default:"1" help:"every random number of a run follows from it"`
	Data
	Vectors
	Training
	Optimizer
	Slips
}

// Data says which reviews, or sentence pairs, a run sees.
type Data struct {
	Data      string  `key:"data" default:"auto" help:"imdb, sample, phrases (sentence pairs), or the name of an added data set; auto: imdb where it is installed, else sample; to translate, phrases"`
	Limit     int     `key:"data.limit" min:"0" max:"1000000000" help:"only the first N reviews of each class and split, by file name, or pairs of each split (0: all)"`
	Train     float64 `key:"data.train" min:"0" help:"only N of the train reviews, or a share below 1, of each class its part; what is held out is among them, and a larger number has all of a smaller one's (0: all)"`
	TrainSeed uint64  `key:"data.train_seed" default:"1" needs:"data.train!=0" help:"chooses them, apart from the run's seed"`
	MaxLen    int     `key:"data.max_len" min:"0" help:"only the first N words of a review; pairs with a longer side are left out of train (0: all)"`
	Valid     float64 `key:"data.valid" default:"0.1" min:"0" max:"0.9" needs:"select=best patience!=0" help:"share of train held out when something is chosen by a score"`
	Held      string  `key:"data.held" default:"scattered" choices:"scattered|together" needs:"select=best patience!=0" help:"which reviews are held out: scattered, any; together, a stretch of each class by their names, which on IMDB are of other films than the rest, as test is"`
	SplitSeed uint64  `key:"data.split_seed" default:"1" needs:"select=best patience!=0" help:"chooses the held-out reviews, apart from the run's seed"`
	Tokens    string  `key:"tokens" default:"ptb" choices:"ptb|whitespace" needs:"slip.whitespace=false" help:"ptb: punctuation and clitics split as GloVe was trained; whitespace: \\S+"`
}

// Vectors says what a word is to the model.
type Vectors struct {
	Vectors string `key:"vectors" default:"auto" help:"glove50, an added name, corpus, random or a file; auto: glove50 on imdb and on own data of few words, else corpus"`
	Dim     int    `key:"vectors.dim" default:"50" min:"2" max:"1000" needs:"vectors=corpus|random|auto" help:"width of corpus and random vectors"`
	OOV     string `key:"oov" default:"mean" choices:"mean|zero|masked|learned" needs:"slip.oov_masked=false" help:"words without a vector: the mean of all rows, zeros, left out, or a learned row"`

	NGrams   int `key:"vectors.ngrams" default:"1" min:"1" max:"3" help:"2: each pair of neighbouring words has a vector of its own beside theirs, zeros until it is trained; 3: three words, too"`
	NGramMin int `key:"vectors.ngram_min" default:"2" min:"1" needs:"vectors.ngrams!=1" help:"least occurrences in train of what has one"`

	TrainVectors bool    `key:"vectors.train" help:"train the word vectors with the model, the mean row of oov=mean too; zeros stay zeros"`
	VectorsAdam  string  `key:"vectors.adam" default:"lazy" choices:"lazy|dense" help:"lazy: Adam moves only the rows of the batch's words; dense: all rows, by their momentum too"`
	VectorsLR    float64 `key:"vectors.lr" min:"0" help:"learning rate of the trained vectors (0: that of the model)"`
}

// Training is the loop.
type Training struct {
	Epochs   int     `key:"epochs" default:"10" min:"1" help:"passes over train"`
	Batch    int     `key:"batch" default:"64" min:"1" help:"reviews, or pairs, in a step"`
	Select   string  `key:"select" default:"last" choices:"last|best" help:"which epoch counts: the last, or the best on the validation split"`
	Patience int     `key:"patience" min:"0" help:"stop after N epochs without a better validation score (0: never)"`
	Test     string  `key:"test" default:"each" choices:"each|last|never" help:"when the test split is looked at: after each epoch, once with the epoch that counts, or never"`
	Every    int     `key:"test.every" default:"1" min:"1" needs:"test=each" help:"evaluate on the test set after every N-th epoch only, and the chosen epoch at the end: an evaluation takes a quarter of an epoch"`
	Tail     int     `key:"test.tail" min:"0" needs:"test.every!=1" help:"also evaluate on the test set after each of the last N epochs: 14 are enough for the end of a curve that is smoothed by 0.6"`
	WordDrop float64 `key:"word.dropout" min:"0" max:"0.95" help:"share of a review's words left out of each training pass, others each time"`
	Average  float64 `key:"average" min:"0" max:"0.999999" help:"the weights that count are a running mean over the steps, each of which this keeps so much of: 0.999 is a mean of the last thousand or so, before that of all (0: those of the last step)"`
	Clip     float64 `key:"clip" min:"0" help:"largest global norm of the gradient (0: no clipping)"`
}

// Tests reports whether the test split is looked at after an epoch.
func (t *Training) Tests(epoch int) bool {
	return t.Test == "each" && (epoch%max(t.Every, 1) == 0 || epoch > t.Epochs-t.Tail)
}

// TestsUntil returns after how many of the first epochs the test split is looked at.
func (t *Training) TestsUntil(epoch int) (n int) {
	for e := range epoch {
		if t.Tests(e + 1) {
			n++
		}
	}
	return n
}

// TestsAlike reports whether another training looks at test after the same of the first epochs.
func (t *Training) TestsAlike(o *Training, until int) bool {
	for e := range until {
		if t.Tests(e+1) != o.Tests(e+1) {
			return false
		}
	}
	return true
}

// TestsAtEnd reports whether it is looked at once more at the end, with the epoch that
// counts: that one has not been tested.
func (t *Training) TestsAtEnd(chosen int) bool { return t.Test != "never" && !t.Tests(chosen) }

// Optimizer is how the weights move.
type Optimizer struct {
	Optimizer   string  `key:"optimizer" default:"adam" choices:"adam|adamw|sgd" help:"sgd brings the rate and epochs of its row in the published table"`
	LR          float64 `key:"lr" default:"0.001" above:"0" help:"learning rate"`
	Momentum    float64 `key:"momentum" min:"0" max:"1" help:"of sgd"`
	Beta1       float64 `key:"adam.beta1" default:"0.9" min:"0" max:"0.999999" needs:"optimizer=adam|adamw" help:"decay of Adam's first moment"`
	Beta2       float64 `key:"adam.beta2" default:"0.999" min:"0" max:"0.999999" needs:"optimizer=adam|adamw" help:"decay of Adam's second moment"`
	Epsilon     float64 `key:"adam.eps" default:"1e-8" min:"0" needs:"optimizer=adam|adamw" help:"added to the root of the second moment"`
	WeightDecay float64 `key:"weight_decay" min:"0" help:"L2 for sgd and adam, decoupled for adamw"`
	Schedule    string  `key:"schedule" default:"constant" choices:"constant|step|cosine" help:"course of the learning rate over the epochs"`
	StepEpochs  int     `key:"schedule.every" default:"10" min:"1" needs:"schedule=step" help:"step: epochs between two cuts"`
	StepFactor  float64 `key:"schedule.factor" default:"0.1" min:"0" max:"1" needs:"schedule=step" help:"step: factor of a cut"`
	Warmup      float64 `key:"schedule.warmup" min:"0" help:"epochs of linear warm-up, for any schedule"`
}

// Slips are the original's departures from its own formulas that concern every
// model; those of one model stand beside it.
type Slips struct {
	Whitespace   bool `key:"slip.whitespace" help:"split by \\S+ only: punctuation stays glued to the words"`
	OOVMasked    bool `key:"slip.oov_masked" help:"words without a vector are masked out"`
	DropLast     bool `key:"slip.drop_last" help:"drop the last partial batch, in test too; accuracy is the mean over batches"`
	RankWords    bool `key:"slip.rank_words" help:"take the ranks of the ten most attended words for their positions"`
	ChooseOnTest bool `key:"slip.choose_on_test" needs:"select=best patience!=0" help:"choose epochs on the test curve, without a validation split"`
}

// Tokenizer returns the tokeniser in force.
func (r *Run) Tokenizer() string {
	if r.Whitespace {
		return "whitespace"
	}
	return r.Tokens
}

// Unknown returns the policy in force for words without a vector.
func (r *Run) Unknown() string {
	if r.OOVMasked {
		return "masked"
	}
	return r.OOV
}

// Trains returns how many of n train reviews the run sees.
func (r *Run) Trains(n int) int {
	switch {
	case r.Train == 0:
		return n
	case r.Train < 1:
		return max(1, int(float64(r.Train*float64(n))+0.5)) // rounded before the sum: no fusing
	}
	return int(r.Train)
}

// Evaluated returns how many of n reviews an evaluation sees: with slip.drop_last those of
// whole batches, where there is one.
func (r *Run) Evaluated(n int) int {
	if r.DropLast && n >= r.Batch && r.Batch > 0 {
		n -= n % r.Batch
	}
	return n
}

// Holds reports whether the run needs a validation split: something is chosen
// by a score, and not on test.
func (r *Run) Holds() bool {
	return (r.Select == "best" || r.Patience > 0) && !r.ChooseOnTest
}
