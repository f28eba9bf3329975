package infer

import (
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"imdbexp/dataset/embedding"
	"imdbexp/dataset/token"
	"imdbexp/internal/fsx"
	"imdbexp/internal/safetensors"
	"imdbexp/runs"
)

// ReadFile reads an exported file.
func ReadFile(path string) (*Trained, error) {
	b, err := fsx.ReadFile(path, maxExport)
	if err != nil {
		return nil, err
	}
	t, err := ParseFile(b)
	if err == nil && t.Languages != nil {
		err = errTranslates
	}
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
	if got := safetensors.ValuesSumOf(b); got != f.Metadata[safetensors.SumKey] {
		return nil, fmt.Errorf("damaged: the checksum of its values is %.12s…, it should be %.12s…", got, f.Metadata[safetensors.SumKey])
	}
	t := &Trained{}
	parse := t.parseTensors
	if f.Metadata["kind"] == translatorKind {
		parse = t.parseLanguages
	}
	if err := errors.Join(t.parseMetadata(f.Metadata), parse(f)); err != nil {
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

func (t *Trained) parseLanguages(f *safetensors.File) error {
	words, err := t.parseWords(f, sourceTensor, targetTensor)
	if err == nil {
		t.Languages = &runs.Vocabularies{Source: words[0], Target: words[1]}
	}
	return err
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
	if v := tok.Version(); v != facts.Version {
		return fmt.Errorf("its texts were split by version %d of the tokeniser %s; this program has version %d, which gives different words", facts.Version, facts.Tokenizer, v)
	}
	return nil
}
