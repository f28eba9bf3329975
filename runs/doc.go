// Package runs reads and writes run folders. The folder DIR/NAME/ID of a run is written
// while it trains, and everything that shows results reads it.
//
//	config.yaml         settings, digests, published numbers (Config)
//	environment.json    versions, machine, command line (Environment)
//	metrics.jsonl       a line an epoch: losses, accuracies, entropies (Metrics)
//	timing.jsonl        a line an epoch: seconds, words a second (Timing)
//	entropy.jsonl       histograms of the attention entropies (Histogram)
//	last.safetensors    checkpoint after the last whole epoch (Checkpoint)
//	best.safetensors    checkpoint of the best epoch so far
//	prev.safetensors    the previous last checkpoint, in case the last is damaged or lost
//	step.safetensors    checkpoint inside the current epoch, if an epoch takes long
//	predictions.tsv     predictions of the chosen epoch on the test set, at the end
//	translations.tsv    the same for a translation run
//	texts.tsv           the same for a language model
//	test.json           with test=last, the test results of the chosen epoch, at the end
//	remarks.json        the user's note and tags (Remarks), which change no result
//	.lock               locked by the process that trains the run
//
// Words and word vectors, which many runs share, are stored once in DIR/.store under the
// digest of their content.
//
// last.safetensors is the only commit point. An epoch ends by appending its lines, syncing them, and then
// replacing the checkpoint, which records how long metrics.jsonl and entropy.jsonl are. Lines that the
// checkpoint does not cover do not count: resuming cuts them off and reading skips them.
// step.safetensors commits nothing: it is valid until the last checkpoint is replaced.
package runs

import (
	"path/filepath"

	"imdbexp/internal/fsx"
)

// Format is the version of the folder's layout. Older versions are always readable; a
// newer one is an error.
const Format = 1

// Names of result files in a run's folder. CheckpointFile returns those of weights.
const (
	MetricsFile      = "metrics.jsonl"
	EntropyFile      = "entropy.jsonl"
	PredictionsFile  = "predictions.tsv"
	TranslationsFile = "translations.tsv"
	TextsFile        = "texts.tsv"
	StepFile         = stepCheckpoint + ".safetensors" // inside an epoch
)

// Names of the other files.
const (
	configFile      = "config.yaml"
	environmentFile = "environment.json"
	timingFile      = "timing.jsonl"
	remarksFile     = "remarks.json"
	lockFile        = ".lock"
	remarksLock     = ".remarks.lock"
	storeFolder     = ".store"
)

// Maximum sizes of files that are read into memory, one for each kind. They are far above
// those of any model and refuse a file that cannot be a run's.
const (
	maxConfig      = 128 << 10 // parsing YAML takes time quadratic in the number of keys
	maxEnvironment = 16 << 20
	maxText        = 1 << 30  // metrics, timings, entropies, predictions, translations
	maxCheckpoint  = 16 << 30 // weights with the state of their optimiser
	maxStored      = 4 << 30  // unpacked tables of words and vectors
)

// folderAt returns the folder DIR/NAME/ID of a run. DIR may be a link; NAME, ID and the
// files in them may not. A shorter path, such as ".", has fewer levels.
func folderAt(path string) fsx.Dir {
	var below []string
	base := filepath.Clean(path)
	for range 2 {
		name := filepath.Base(base)
		if !filepath.IsLocal(name) || name == "." {
			break
		}
		below, base = append([]string{name}, below...), filepath.Dir(base)
	}
	return fsx.In(base, below...)
}

func (r *Run) folder() fsx.Dir { return folderAt(r.Path) }

// storeIn returns the store of a folder of runs.
func storeIn(dir string) fsx.Dir { return fsx.In(dir, storeFolder) }
