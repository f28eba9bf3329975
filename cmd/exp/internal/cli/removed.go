package cli

import "strings"

// removed says what to use in place of flags and subcommands of earlier versions, or of other tools, by command.
var removed = map[string]string{
	"add encoding":        "save the file as UTF-8, for example with iconv",
	"attend beside":       "exp serve shows runs side by side",
	"attend erase":        "use exp explain RUN --tests erasure",
	"attend html":         "use --out FILE.svg, or exp serve",
	"attend top":          "--words | cat prints all words",
	"attend best":         "exp predict RUN data=NAME writes all reviews with their probabilities",
	"attend surest-wrong": "exp predict RUN data=NAME writes all reviews with their probabilities",
	"attend worst":        "exp predict RUN data=NAME writes all reviews with their probabilities",
	"compare with":        "join its predictions to those of a run in predictions.tsv by review (docs/formats.md)",
	"exp bench":           "exp run NAME --dry-run measures the speed",
	"exp draw":            "exp attend RUN --dots and exp show NAME draw",
	"exp version":         "use exp --version",
	"export by":           "use exp attend RUN --by SCORE --split test",
	"export ngrams":       "--words 0 takes all n-grams",
	"fetch url":           "set EXP_MIRROR to the address of a folder with the file",
	"predict encoding":    "save the file as UTF-8, for example with iconv",
	"report best-epoch":   "exp show RUN names it, and --format csv has it as oracle_epoch and oracle_test_acc",
	"report output":       "use --out",
	"serve port":          "use --addr :PORT",
	"data show":           "use exp data info",
	"runs delete":         "use exp runs rm",
	"rm dry-run":          "exp runs list RUN lists what would be removed",
	"run fail-fast":       "a failed run does not stop the others; Ctrl-C does",
	"run find-lr":         "compare a few rates: lr=0.1,0.01,0.001",
	"run overfit":         "train on few reviews: data.limit=8 epochs=100",
	"run slurm-":          "write the option into slurm.yaml (docs/slurm.md)",
	"run smoke":           "train on few reviews: data.limit=8 epochs=1",
	"run tensorboard":     "exp report --tidy writes all metrics as CSV",
	"runs du":             "exp runs list shows the sizes",
	"runs gc":             "exp runs rm also removes words and vectors that no run needs",
}

// instead returns the advice for a removed flag or subcommand of a command, "" if it never existed.
func instead(command, name string) string {
	if strings.HasPrefix(name, "slurm-") {
		name = "slurm-"
	}
	return removed[command+" "+name]
}
