package settings

// Run holds the settings that every run has: data, vectors, training loop, optimiser, slips.
// Each model adds its own (see package models).
type Run struct {
	Variant string `key:"variant" default:"default" choices:"default|original|code" digest:"-" help:"original: all slips that we believe are behind the printed numbers of the published report; code: those of the published code, which appeared later (tme10)"`
	Seed    uint64 `key:"seed" default:"1" help:"all random numbers of a run follow from it"`
	Data
	Vectors
	Start
	Training
	Optimizer
	Slips
}

// Data holds the settings of the reviews, or sentence pairs, of a run.
type Data struct {
	Data      string  `key:"data" default:"auto" help:"imdb, sample, phrases (sentence pairs), or the name of an added data set; auto: imdb if it is installed, else sample; phrases for translation"`
	Limit     int     `key:"data.limit" min:"0" max:"1000000000" help:"only the first N reviews of each class and split, by file name, or pairs of each split (0: all)"`
	Train     float64 `key:"data.train" min:"0" help:"train on N reviews, or on a share below 1, of each class its share; held-out reviews are among them; a larger N contains the reviews of a smaller one (0: all)"`
	TrainSeed uint64  `key:"data.train_seed" default:"1" needs:"data.train!=0" help:"chooses these reviews, independent of seed"`
	Exclude   string  `key:"data.exclude" default:"none" help:"a probe (minimal pairs, exp data add --probe): reviews with the beginning of one of its texts are not trained on, nor counted, nor used for vectors=corpus"`
	TestSeed  uint64  `key:"data.test_seed" help:"divides your own data into train and test again, for data that were added without a test part; 1..10: ten divisions, one row of exp report (0: the division of exp data add)"`
	MaxLen    int     `key:"data.max_len" min:"0" help:"only the first N words of a review; pairs with a longer side are not trained on (0: all)"`
	Valid     float64 `key:"data.valid" default:"0.1" min:"0" max:"0.9" needs:"select=best patience!=0" help:"share of train that is held out if something is chosen by a validation score"`
	Held      string  `key:"data.held" default:"scattered" choices:"scattered|together" needs:"select=best patience!=0" help:"which reviews are held out: scattered: random ones; together: a range of each class by name, which on IMDB are reviews of other films, as in test"`
	SplitSeed uint64  `key:"data.split_seed" default:"1" needs:"select=best patience!=0" help:"chooses the held-out reviews, independent of seed"`
	Tokens    string  `key:"tokens" default:"ptb" choices:"ptb|unicode|whitespace" needs:"slip.whitespace=false" help:"ptb: punctuation and English clitics split as GloVe was trained; unicode: Unicode's word boundaries and elisions (l' histoire), for other languages; whitespace: \\S+"`
}

// Vectors holds the settings of the word vectors.
type Vectors struct {
	Vectors string `key:"vectors" default:"auto" help:"glove50, an added name, corpus, random or a file; auto: glove50 on imdb and on your own small data, else corpus"`
	Dim     int    `key:"vectors.dim" default:"50" min:"2" max:"1000" needs:"vectors=corpus|random|auto" help:"width of corpus and random vectors"`
	OOV     string `key:"oov" default:"mean" choices:"mean|zero|masked|learned" needs:"slip.oov_masked=false" help:"words without a vector: the mean of all rows, zeros, omitted, or a learned row"`

	NGrams   int `key:"vectors.ngrams" default:"1" min:"1" max:"3" help:"2: each pair of neighbouring words also has a trained vector, initially zero; 3: three words, too"`
	NGramMin int `key:"vectors.ngram_min" default:"2" min:"1" needs:"vectors.ngrams!=1" help:"min occurrences in train of an n-gram with a vector"`

	TrainVectors bool    `key:"vectors.train" help:"train the word vectors with the model, the mean row of oov=mean too; zeros stay zeros"`
	VectorsAdam  string  `key:"vectors.adam" default:"lazy" choices:"lazy|dense" help:"lazy: Adam updates only the rows of the words in the batch; dense: all rows, because of their momentum"`
	VectorsLR    float64 `key:"vectors.lr" min:"0" help:"learning rate of trained vectors (0: the model's)"`
}

// Training holds the settings of the training loop.
type Training struct {
	Epochs   int     `key:"epochs" default:"10" min:"1" max:"1000000" help:"passes over train"`
	Batch    int     `key:"batch" default:"64" min:"1" max:"1000000" help:"reviews, or pairs, per step"`
	Select   string  `key:"select" default:"last" choices:"last|best" help:"which epoch is used: the last, or the best on the validation split"`
	SelectBy string  `key:"select.by" default:"auto" choices:"auto|accuracy|macro_f1|loss" needs:"select=best patience!=0" help:"the validation score: accuracy, macro-F1, or the loss, of which the smallest is the best; auto: accuracy, or macro-F1 where the largest class has over 60 % of train"`
	Patience int     `key:"patience" min:"0" max:"1000000" help:"stop after N epochs without a better validation score (0: never)"`
	Test     string  `key:"test" default:"each" choices:"each|last|never" help:"when to evaluate on the test set: after each epoch, once with the chosen epoch, or never"`
	Every    int     `key:"test.every" default:"1" min:"1" max:"1000000" needs:"test=each" help:"evaluate on the test set only after every N-th epoch, and the chosen epoch at the end"`
	Tail     int     `key:"test.tail" min:"0" max:"1000000" needs:"test.every!=1" help:"also evaluate on the test set after each of the last N epochs; 14 are enough for the end of a curve smoothed with 0.6"`
	WordDrop float64 `key:"word.dropout" min:"0" max:"0.95" help:"share of the words that is dropped at random in each training pass"`
	Average  float64 `key:"average" min:"0" max:"0.999999" help:"evaluate the running average of the weights with this decay per step: 0.999 averages about the last thousand steps (0: the weights of the last step)"`
	Clip     float64 `key:"clip" min:"0" help:"max global norm of the gradient (0: no clipping)"`

	ClassWeights string `key:"class.weights" default:"none" choices:"none|balanced" help:"balanced: the loss of a train review counts n/(C·m) times, m of the n reviews being of its class, of C classes: every class has the same weight"`
}

// Tests reports whether the run is evaluated on the test set after an epoch.
func (t *Training) Tests(epoch int) bool {
	return t.Test == "each" && (epoch%max(t.Every, 1) == 0 || epoch > t.Epochs-t.Tail)
}

// TestsUntil returns how many of the first epochs are followed by an evaluation on the test set.
func (t *Training) TestsUntil(epoch int) (n int) {
	for e := range epoch {
		if t.Tests(e + 1) {
			n++
		}
	}
	return n
}

// TestsAlike reports whether o is evaluated on the test set after the same of the first epochs.
func (t *Training) TestsAlike(o *Training, until int) bool {
	for e := range until {
		if t.Tests(e+1) != o.Tests(e+1) {
			return false
		}
	}
	return true
}

// TestsAtEnd reports whether the chosen epoch is evaluated on the test set at the end, because
// it was not before.
func (t *Training) TestsAtEnd(chosen int) bool { return t.Test != "never" && !t.Tests(chosen) }

// Optimizer holds the settings of the optimiser.
type Optimizer struct {
	Optimizer   string  `key:"optimizer" default:"adam" choices:"adam|adamw|sgd" help:"sgd also sets the learning rate and epochs of its row in the published table"`
	LR          float64 `key:"lr" default:"0.001" above:"0" help:"learning rate"`
	Momentum    float64 `key:"momentum" min:"0" max:"1" help:"momentum of sgd"`
	Beta1       float64 `key:"adam.beta1" default:"0.9" min:"0" max:"0.999999" needs:"optimizer=adam|adamw" help:"decay of Adam's first moment"`
	Beta2       float64 `key:"adam.beta2" default:"0.999" min:"0" max:"0.999999" needs:"optimizer=adam|adamw" help:"decay of Adam's second moment"`
	Epsilon     float64 `key:"adam.eps" default:"1e-8" min:"0" needs:"optimizer=adam|adamw" help:"added to the root of the second moment"`
	WeightDecay float64 `key:"weight_decay" min:"0" help:"L2 for sgd and adam, decoupled for adamw"`
	Schedule    string  `key:"schedule" default:"constant" choices:"constant|step|cosine" help:"schedule of the learning rate over the epochs"`
	StepEpochs  int     `key:"schedule.every" default:"10" min:"1" max:"1000000" needs:"schedule=step" help:"step: epochs between two decays"`
	StepFactor  float64 `key:"schedule.factor" default:"0.1" min:"0" max:"1" needs:"schedule=step" help:"step: factor of a decay"`
	Warmup      float64 `key:"schedule.warmup" min:"0" help:"epochs of linear warm-up, for any schedule"`
}

// Slips holds the slips that concern every model; a model's own slips are among its settings.
type Slips struct {
	Whitespace   bool `key:"slip.whitespace" help:"split at white space only: punctuation stays attached to words"`
	OOVMasked    bool `key:"slip.oov_masked" help:"words without a vector are masked"`
	DropLast     bool `key:"slip.drop_last" help:"drop the last partial batch, also on the test set; accuracy is the mean over batches"`
	RankWords    bool `key:"slip.rank_words" help:"take the ranks of the ten most attended words for their positions"`
	ChooseOnTest bool `key:"slip.choose_on_test" needs:"select=best patience!=0" help:"choose epochs on the test curve, without a validation split"`
}

// Start holds the settings of the weights before the first step.
type Start struct {
	Init   string  `key:"init" help:"start from the weights of this run that have the same names and shapes, such as those of a language model: a name, an ID or a citation; of several the one with the same seed"`
	InitLR float64 `key:"init.lr" default:"1" above:"0" max:"1" needs:"init!=" help:"a factor of the learning rate of these weights"`
}

// Tokenizer returns the tokenizer of the run.
func (r *Run) Tokenizer() string {
	if r.Whitespace {
		return "whitespace"
	}
	return r.Tokens
}

// Unknown returns how the run treats words without a vector.
func (r *Run) Unknown() string {
	if r.OOVMasked {
		return "masked"
	}
	return r.OOV
}

// Trains returns how many of n train reviews the run trains on.
func (r *Run) Trains(n int) int {
	switch {
	case r.Train == 0:
		return n
	case r.Train < 1:
		return max(1, int(float64(r.Train*float64(n))+0.5)) // rounded before the sum: no fusing
	}
	return int(r.Train)
}

// Evaluated returns how many of n reviews an evaluation uses: with slip.drop_last only those in
// whole batches, if there is one.
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
