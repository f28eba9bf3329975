package infer

import (
	"errors"
	"fmt"
	"io/fs"
	"path/filepath"

	"imdbexp/dataset/embedding"
	"imdbexp/dataset/token"
	"imdbexp/internal/onnx"
	"imdbexp/internal/ops"
	"imdbexp/internal/settings"
	"imdbexp/models"
	"imdbexp/runs"
)

// Trained is a trained model by its parts, without a folder: the content of an exported file, from
// which a Model is rebuilt.
type Trained struct {
	Config  runs.Config   // of the run that trained it
	Epoch   int           // of the weights
	Metrics *runs.Metrics // of Epoch; nil if unknown
	Weights []runs.Tensor // trained matrices and running statistics, at the end of the epoch
	Table   *runs.Table   // words and their vectors at the end of the epoch; nil for a model that translates

	Languages *runs.Vocabularies // words of a model that translates; nil for others
}

// ReadRun is Read for a run that classifies. A run that translates or guesses words is an error.
func ReadRun(run *runs.Run) (*Trained, error) {
	if of := map[*runs.Task]error{runs.Pairs: errTranslates, runs.Texts: errGuesses}[run.Config.Task()]; of != nil {
		return nil, fmt.Errorf("%s: %w", run.Label(), of)
	}
	return Read(run)
}

// Read reads the model of a run, whether it translates or classifies: the chosen checkpoint and the
// words. The run needs at least one whole epoch.
func Read(run *runs.Run) (t *Trained, err error) {
	defer func() {
		if err != nil {
			t, err = nil, fmt.Errorf("%s: %w", run.Label(), err)
		}
	}()
	which := run.ChosenCheckpoint()
	c, err := run.Checkpoint(which)
	switch {
	case which == runs.Last && runs.IsDamage(err):
		return nil, fmt.Errorf("%w. If there is an earlier checkpoint, %s resumes from it", err, trainCommand(run))
	case err != nil:
		return nil, err
	case c.Epoch == 0:
		return nil, fmt.Errorf("there are no weights, because no epoch was completed: %s", run.Status)
	}
	t = &Trained{Config: run.Config, Epoch: c.Epoch}
	all, _ := run.Metrics() // nil if they cannot be read
	for _, m := range all {
		if m.Epoch == c.Epoch {
			t.Metrics = &m
		}
	}
	switch {
	case run.Config.Task() == runs.Pairs:
		t.Languages, err = run.Vocabularies()
	case run.Config.Counts():
		var features []byte
		if features, err = run.Features(); err == nil {
			err = t.counted(features)
		}
	default:
		t.Table, err = run.Table()
	}
	switch {
	case errors.Is(err, fs.ErrNotExist): // a copied run may lack it
		return nil, fmt.Errorf("%w; the words and vectors of runs are in .store of the runs folder: copy it too, or train the run again, with the same result: %s --force", err, trainCommand(run))
	case runs.IsDamage(err):
		return nil, fmt.Errorf("%w. Training writes it again, with the same result: %s --force", err, trainCommand(run))
	case err != nil:
		return nil, err
	}
	return t, t.setWeights(c)
}

// trainCommand returns the command that trains a run in its own folder.
func trainCommand(run *runs.Run) string {
	return fmt.Sprintf("exp run %q --runs %q", filepath.Join(run.Path, "config.yaml"), filepath.Dir(filepath.Dir(run.Path)))
}

// TrainedAs returns the model of a checkpoint. The table is that of the beginning of the run; the
// model changes it, and shares the weights with the checkpoint.
func TrainedAs(c *runs.Config, at *runs.Checkpoint, table *runs.Table) (*Trained, error) {
	t := &Trained{Config: *c, Epoch: at.Epoch, Table: table}
	return t, t.setWeights(at)
}

// setWeights sets the weights to those of a checkpoint.
func (t *Trained) setWeights(c *runs.Checkpoint) error {
	if err := finite(c.Epoch, c.Params, c.States); err != nil {
		return err
	}
	if t.Languages != nil {
		t.Weights = c.Params
	} else if err := t.merge(c.Params); err != nil {
		return err
	}
	t.Weights = append(t.Weights, c.States...)
	return nil
}

// merge copies trained vectors into the table, which is that of the beginning of the run, and keeps
// the other weights.
func (t *Trained) merge(params []runs.Tensor) error {
	_, r, _, err := t.Architecture()
	if err != nil {
		return err
	}
	if len(t.Table.Rows) < t.Table.Dim {
		return errors.New("the table of words has no row")
	}
	name, into := "", []float32(nil)
	switch {
	case t.Config.Counts():
	case r.TrainVectors:
		name, into = models.VectorsWeight, t.Table.Rows
	case r.Unknown() == string(embedding.OOVLearned):
		name, into = models.OOVWeight, t.Table.Rows[int(embedding.OOVRow)*t.Table.Dim:][:t.Table.Dim]
	}
	if name != "" {
		rows, err := runs.TensorValues[float32](params, name, len(into))
		if err != nil {
			return err
		}
		copy(into, rows)
	}
	for _, p := range params {
		if p.Name != name {
			t.Weights = append(t.Weights, p)
		}
	}
	return nil
}

// Architecture returns the model, untrained, with the settings and the tokeniser of its run.
func (t *Trained) Architecture() (m models.Model, r settings.Run, tok token.Tokenizer, err error) {
	info, err := models.Lookup(t.Config.Model)
	if err != nil {
		return nil, r, tok, err
	}
	m = info.New()
	set, err := settings.New(&r, m)
	if err == nil {
		err = set.Apply("run", t.Config.Settings.Assignments()...)
	}
	if err == nil {
		tok, err = token.Get(r.Tokenizer())
	}
	return m, r, tok, err
}

// Label returns the name of the model's run, name/ID.
func (t *Trained) Label() string { return t.Config.Name + "/" + t.Config.ID }

func (t *Trained) labelled(err error) error { return fmt.Errorf("%s: %w", t.Label(), err) }

// PadID pads the shorter texts of a batch for an exported graph. Any negative id works.
const PadID = -1

// ONNX returns the model as a graph whose input is a batch of texts as rows of the
// vocabulary:
//
//	ids            int64 [batch, words]   each text's words, then −1 up to the longest
//	logits         float [batch, C]
//	probabilities  float [batch, C]
//	attention      float [batch, words]   adding up to one, 0 at the padding; where the model has any
//	entropy        float [batch]          of the attention, in nats
//
// Attention and entropy are defined as in Batch. A single text is a batch of one, which
// needs no padding; a text of padding alone counts as one word without a vector, as
// everywhere in this program. How a text becomes ids and which word has which id is
// in the metadata. A model whose prediction for a text depends on the other texts
// of its batch is an error that names the setting.
func (t *Trained) ONNX() (*onnx.Model, error) {
	if t.Config.Counts() || t.Config.WideAndDeep() {
		return nil, fmt.Errorf("%s: %sONNX cannot run it; exp export without --onnx writes its n-grams and weights", t.Label(), NoGraph)
	}
	m, err := t.Model(nil)
	if err != nil {
		return nil, err
	}
	defer m.Close()
	x := ops.NewExport(t.Config.Name)
	t.outputs(x, m.network)
	if err := x.Err(); err != nil {
		return nil, t.labelled(fmt.Errorf("%w; export it without --onnx", err))
	}
	facts, err := t.metadata()
	if err != nil {
		return nil, t.labelled(err)
	}
	facts["vocabulary"], facts["pad_id"] = string(t.Vocabulary()), fmt.Sprint(PadID)
	return &onnx.Model{Producer: "imdbexp", Doc: fmt.Sprintf("%s, epoch %d", t.Label(), t.Epoch), Graph: x.Graph, Metadata: facts}, nil
}

// outputs adds the inputs and outputs of the network to the graph.
func (t *Trained) outputs(x *ops.Export, n *models.Network) {
	words, made := n.Words(), n.Output()
	x.Words("ids", "words", "words as rows of the vocabulary, then -1 up to the longest text", words.Axis().(*ops.Seq))
	x.Bind(words, vectorsTensor, t.Table.Rows)

	batch, classes := onnx.Dim{Name: "batch"}, onnx.Dim{Size: int64(len(t.Config.Classes))}
	x.Output("logits", x.Name(n.Classes().Logits), onnx.Float, "before the softmax", batch, classes)
	x.Output("probabilities", x.Softmax(n.Classes().Logits), onnx.Float, "of the classes", batch, classes)
	var attention, entropy string
	switch {
	case made.Attention != nil:
		attention = x.Column(made.Attention)
		if made.Entropy != nil {
			entropy = x.Column(made.Entropy)
		}
	case made.Layers != nil:
		front := made.Words.Axis() != words.Axis()
		attention, entropy = x.Received(made.Layers[len(made.Layers)-1], front), x.Mean(made.Layers)
	default:
		return
	}
	x.Output("attention", attention, onnx.Float, "of each word, 0 for padding", batch, onnx.Dim{Name: "words"})
	if entropy != "" {
		x.Output("entropy", entropy, onnx.Float, "of the attention, in nats", batch)
	}
}
