package infer

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"slices"
	"strconv"
	"strings"
	"unicode"

	"go.yaml.in/yaml/v3"

	"imdbexp/dataset/embedding"
	"imdbexp/dataset/token"
	"imdbexp/internal/fsx"
	"imdbexp/internal/safetensors"
	"imdbexp/models"
	"imdbexp/runs"
)

// ExportSuffix ends the name of an exported file.
const ExportSuffix = ".safetensors"

const (
	exportKind     = "imdbexp.model"
	translatorKind = "imdbexp.translator"
	exportFormat   = 1

	// The tensor of the word vectors has the same name as in a run that trains them.
	vectorsTensor    = models.VectorsWeight
	vocabularyTensor = "vocabulary" // the words in the order of their rows, one on each line

	// The words of a translator's languages, in the order of their IDs.
	sourceTensor, targetTensor = "source.words", "target.words"
)

// maxExport is the maximum size of an exported file: 400 000 vectors of 300 numbers take 0.5 GB.
const maxExport = 8 << 30

// textFacts describe how a text becomes rows of the word vectors.
type textFacts struct {
	Tokenizer string `json:"tokenizer"`
	Version   int    `json:"version"`   // of the tokeniser
	MaxWords  int    `json:"max_words"` // 0: all
	Unknown   string `json:"unknown"`   // words that are not in the vocabulary: "row 0", or "left out"
}

// Write writes the model as one safetensors file: weights, vectors and vocabulary as tensors, the
// rest in its metadata (docs/formats.md).
func (t *Trained) Write(w io.Writer) error {
	words := tableTensors(t.Table)
	if t.Languages != nil {
		words = []runs.Tensor{bytesTensor(sourceTensor, lines(t.Languages.Source)), bytesTensor(targetTensor, lines(t.Languages.Target))}
	}
	f := &safetensors.File{Tensors: slices.Concat(t.Weights, words)}
	sum, err := safetensors.ValuesSum(f)
	if err == nil {
		f.Metadata, err = t.metadata()
	}
	if err != nil {
		return t.labelled(err)
	}
	f.Metadata[safetensors.SumKey] = sum
	return safetensors.Write(w, f)
}

// tableTensors returns the tensors of a table of words; none for a model that translates.
func tableTensors(t *runs.Table) []runs.Tensor {
	if t == nil {
		return nil
	}
	return []runs.Tensor{{Name: vectorsTensor, Shape: []int{len(t.Words), t.Dim}, Data: t.Rows}, bytesTensor(vocabularyTensor, lines(t.Words))}
}

func bytesTensor(name string, b []byte) runs.Tensor {
	return runs.Tensor{Name: name, Shape: []int{len(b)}, Data: b}
}

// lines returns words, one on each line. No tokeniser keeps a line end in a word.
func lines(words []string) []byte { return []byte(strings.Join(words, "\n")) }

// Vocabulary returns the words in the order of their rows, one on each line, without a final line
// end: the word of row i is in line i, counted from 0. Line 0 is empty, for words without a vector.
func (t *Trained) Vocabulary() []byte { return lines(t.Table.Words) }

// metadata returns the metadata of an exported file.
func (t *Trained) metadata() (map[string]string, error) {
	model, r, tok, err := t.Architecture()
	if err != nil {
		return nil, err
	}
	info, err := models.Lookup(t.Config.Model)
	if err != nil {
		return nil, err
	}
	text := textFacts{tok.Name, tok.Version, r.MaxLen, "row 0"}
	if r.Unknown() == string(embedding.OOVMasked) {
		text.Unknown = "left out"
	}
	kind := exportKind
	if t.Languages != nil {
		kind = translatorKind
	}
	m := map[string]string{
		"kind": kind, "format": strconv.Itoa(exportFormat), "epoch": strconv.Itoa(t.Epoch),
		"equation": strings.Join(info.Equations(model), "\n"),
	}
	if m["config"], err = ConfigJSON(&t.Config); err != nil {
		return nil, err
	}
	for key, v := range map[string]any{"text": text, "metrics": t.Metrics} {
		b, err := json.Marshal(v)
		if err != nil {
			return nil, fmt.Errorf("%s: %w", key, err)
		}
		m[key] = string(b)
	}
	return m, nil
}

// ConfigJSON returns the fields of config.yaml as JSON, in their order. JSON is
// YAML: runs.ParseConfig reads it back.
func ConfigJSON(c *runs.Config) (string, error) {
	text, err := c.Encode()
	if err != nil {
		return "", err
	}
	var doc yaml.Node
	if err := yaml.Unmarshal(text, &doc); err != nil {
		return "", fmt.Errorf("config: %w", err)
	}
	return nodeJSON(&doc), nil
}

// nodeJSON returns a YAML node as JSON: numbers and booleans unchanged, all other scalars as strings.
func nodeJSON(n *yaml.Node) string {
	var parts []string
	for _, c := range n.Content {
		parts = append(parts, nodeJSON(c))
	}
	switch n.Kind {
	case yaml.DocumentNode:
		return parts[0]
	case yaml.SequenceNode:
		return "[" + strings.Join(parts, ", ") + "]"
	case yaml.MappingNode:
		var pairs []string
		for pair := range slices.Chunk(parts, 2) {
			pairs = append(pairs, strings.Join(pair, ": "))
		}
		return "{" + strings.Join(pairs, ", ") + "}"
	}
	if tag := n.ShortTag(); (tag == "!!int" || tag == "!!float" || tag == "!!bool") && json.Valid([]byte(n.Value)) {
		return n.Value
	}
	return stringJSON(n.Value)
}

// stringJSON quotes a string for JSON and YAML; it also escapes the characters that YAML does not
// allow.
func stringJSON(s string) string {
	quoted, _ := json.Marshal(s) // never an error
	var out bytes.Buffer
	for _, r := range string(quoted) {
		if r < 0x10000 && !unicode.IsPrint(r) {
			fmt.Fprintf(&out, `\u%04x`, r)
			continue
		}
		out.WriteRune(r)
	}
	return out.String()
}

// ReadFile reads an exported file.
func ReadFile(path string) (*Trained, error) {
	b, err := fsx.ReadFile(path, maxExport)
	if err != nil {
		return nil, err
	}
	t, err := ParseFile(b)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", path, err)
	}
	return t, nil
}

// ParseFile parses the bytes of an exported file and checks their checksum.
func ParseFile(b []byte) (*Trained, error) {
	f, err := safetensors.Parse(b)
	if err != nil {
		return nil, err
	}
	switch format, err := strconv.Atoi(f.Metadata["format"]); {
	case f.Metadata["kind"] != exportKind && f.Metadata["kind"] != translatorKind:
		return nil, fmt.Errorf("it is not an exported model (kind %q, want %q): exp export writes those", f.Metadata["kind"], exportKind)
	case err != nil || format < 1:
		return nil, fmt.Errorf("format %q is not a number", f.Metadata["format"])
	case format > exportFormat:
		return nil, fmt.Errorf("format %d is newer than %d, the newest this program knows: update the program", format, exportFormat)
	}
	if got, _ := safetensors.ValuesSum(f); got != f.Metadata[safetensors.SumKey] {
		return nil, fmt.Errorf("damaged: the checksum of its values is %.12s…, it should be %.12s…", got, f.Metadata[safetensors.SumKey])
	}
	t := &Trained{}
	err = t.parseMetadata(f.Metadata)
	if f.Metadata["kind"] != translatorKind {
		err = errors.Join(err, t.parseTensors(f))
	} else if words, wrong := t.parseWords(f, sourceTensor, targetTensor); wrong != nil {
		err = errors.Join(err, wrong)
	} else {
		t.Languages = &runs.Vocabularies{Source: words[0], Target: words[1]}
	}
	if err != nil {
		return nil, err
	}
	all := t.Weights
	if t.Table != nil {
		all = append(slices.Clip(all), runs.Tensor{Name: vectorsTensor, Data: t.Table.Rows})
	}
	if err := finite(t.Epoch, all); err != nil {
		return nil, err
	}
	return t, t.check(f.Metadata["text"])
}

func (t *Trained) parseMetadata(m map[string]string) error {
	c, err := runs.ParseConfig("config", []byte(m["config"]))
	if err != nil {
		return err
	}
	if err := c.Identity(); err != nil {
		return err
	}
	t.Config = *c
	if t.Epoch, err = strconv.Atoi(m["epoch"]); err != nil {
		return fmt.Errorf("epoch %q is not a number", m["epoch"])
	}
	if err := json.Unmarshal([]byte(m["metrics"]), &t.Metrics); err != nil {
		return fmt.Errorf("metrics: %w", err)
	}
	return nil
}

func (t *Trained) parseTensors(f *safetensors.File) error {
	words, err := t.parseWords(f, vocabularyTensor, vectorsTensor)
	if err != nil {
		return err
	}
	rows, shape, err := safetensors.Get[float32](f, vectorsTensor)
	if err != nil {
		return err
	}
	if len(shape) != 2 || shape[1] < 1 || shape[0] != len(words[0]) {
		return fmt.Errorf("vectors of shape %v for %d words", shape, len(words[0]))
	}
	if n := embedding.Longest(words[0]); n > embedding.MostNGrams {
		return fmt.Errorf("its vocabulary has an n-gram of %d words; the maximum is %d", n, embedding.MostNGrams)
	}
	t.Table = &runs.Table{Words: words[0], Rows: rows, Dim: shape[1], OOV: embedding.OOVRow}
	return nil
}

// parseWords returns the words of the named tensors of bytes, and keeps all tensors but the named ones
// as weights.
func (t *Trained) parseWords(f *safetensors.File, names ...string) (words [][]string, err error) {
	for _, x := range f.Tensors {
		if !slices.Contains(names, x.Name) {
			t.Weights = append(t.Weights, x)
		}
	}
	for _, name := range names {
		if name == vectorsTensor {
			continue
		}
		b, _, err := safetensors.Get[byte](f, name)
		if err != nil {
			return nil, err
		}
		words = append(words, strings.Split(string(b), "\n"))
	}
	return words, nil
}

// check returns an error if this program splits texts differently from the file.
func (t *Trained) check(text string) error {
	var facts textFacts
	if err := json.Unmarshal([]byte(text), &facts); err != nil {
		return fmt.Errorf("text: %w", err)
	}
	tok, err := token.Get(facts.Tokenizer)
	if err != nil {
		return err
	}
	if v := tok.Version; v != facts.Version {
		return fmt.Errorf("its texts were split by version %d of the tokeniser %s; this program has version %d, which gives different words", facts.Version, facts.Tokenizer, v)
	}
	return nil
}
