// Package runs keeps what a run leaves: a folder DIR/NAME/ID, written while the
// run trains and read by everything that shows results.
//
//	config.yaml         what was run: settings, digests, published numbers (Config)
//	environment.json    where: versions, machine, command line (Environment)
//	metrics.jsonl       a line an epoch: losses, accuracies, entropies (Metrics)
//	timing.jsonl        a line an epoch: seconds, words a second (Timing)
//	entropy.jsonl       histograms of the attention entropies (Histogram)
//	last.safetensors    all that is needed to go on after the last whole epoch (Checkpoint)
//	best.safetensors    the same of the best epoch so far
//	prev.safetensors    the last one as it was before, for when the last is damaged or lost
//	step.safetensors    the same inside the epoch at hand, where one takes long
//	predictions.tsv     the chosen epoch's predictions on test, at the end
//	translations.tsv    in their place, of a run that translates
//	test.json           with test=last, the test results of that epoch, at the end
//	.lock               held by the process that writes
//
// Tables of words and their vectors, and vocabularies of translations, which many
// runs share, lie once in DIR/.store under the digest of their content.
//
// last.safetensors is the only commit point. An epoch ends by appending its
// lines, syncing them, and then replacing the checkpoint, which records how long
// metrics.jsonl and entropy.jsonl are. Whatever is not covered by the checkpoint
// does not count: resuming cuts it off, reading passes over it. So a run killed
// at any moment goes on with the result it would have had.
//
// step.safetensors commits nothing. It adds the steps of an epoch that is not
// over to the checkpoint that it was written after, and counts while that is the
// last one. Before last.safetensors is replaced, prev.safetensors becomes a second
// name of it (a hard link): keeping it costs no copy and no sync.
package runs

// Format is the version of the folder's layout written by this package. Older
// versions are read for ever; a newer one is refused.
const Format = 1

// Names of the files in a run's folder that hold results; CheckpointFile has those of
// weights.
const (
	MetricsFile     = "metrics.jsonl"
	EntropyFile     = "entropy.jsonl"
	PredictionsFile = "predictions.tsv"
)

// Names of the others.
const (
	configFile      = "config.yaml"
	environmentFile = "environment.json"
	timingFile      = "timing.jsonl"
	lockFile        = ".lock"
	storeFolder     = ".store"
)
