package runs

import (
	"errors"
	"io"
	"io/fs"
	"strings"
)

// ProbeAnswers names what a run answers to the pairs of a probe (package dataset/probe), which
// exp probe keeps beside the run. They are no result of the training: neither the ID nor the digests
// of the run include them.
type ProbeAnswers struct {
	Probe  string // its name
	Digest string // the beginning of that of its content
}

// A file of answers is called probe-NAME.DIGEST.tsv and has the form of predictions.tsv.
const probePrefix, probeSuffix, probeDigits = "probe-", ".tsv", 12

func (a ProbeAnswers) file() string {
	return probePrefix + a.Probe + "." + a.Digest[:min(probeDigits, len(a.Digest))] + probeSuffix
}

// WriteProbe keeps the answers of the run to the texts of a probe.
func (r *Run) WriteProbe(a ProbeAnswers, p *Predictions) error {
	return r.folder().WriteFile(a.file(), func(w io.Writer) error { return p.Write(w) })
}

// Probe returns the kept answers to a probe; ok is false if there are none.
func (r *Run) Probe(a ProbeAnswers) (p *Predictions, ok bool, err error) {
	b, err := r.readText(a.file())
	if errors.Is(err, fs.ErrNotExist) {
		return nil, false, nil
	}
	if err == nil {
		p, err = ParsePredictions(r.file(a.file()), b)
	}
	return p, err == nil, err
}

// Probes lists the probes whose answers are kept.
func (r *Run) Probes() (list []ProbeAnswers, err error) {
	entries, err := r.folder().Entries()
	for _, e := range entries {
		rest, is := strings.CutPrefix(e.Name(), probePrefix)
		rest, whole := strings.CutSuffix(rest, probeSuffix)
		if name, digest, ok := strings.Cut(rest, "."); is && whole && ok {
			list = append(list, ProbeAnswers{name, digest})
		}
	}
	return list, err
}
