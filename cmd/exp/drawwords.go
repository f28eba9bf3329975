package main

import (
	"errors"
	"fmt"

	"imdbexp/dataset"
	"imdbexp/dataset/token"
	"imdbexp/internal/settings"
	"imdbexp/models"
	"imdbexp/runs"
)

// vocabulary is what a run knows of words: how texts are split, and a vector for
// each word as the epoch that counts left it.
type vocabulary struct {
	tokenizer token.Tokenizer
	table     *dataset.Table
	maxLen    int
	cls       bool // [CLS] stands before the words
	params    []runs.Tensor
}

// openVocabulary reads a run's words; its model is not needed.
func openVocabulary(run *runs.Run) (*vocabulary, error) {
	v, err := readVocabulary(run)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", run.Label(), err)
	}
	return v, nil
}

func readVocabulary(run *runs.Run) (*vocabulary, error) {
	info, err := models.Lookup(run.Config.Model)
	if err != nil {
		return nil, err
	}
	var s settings.Run
	set, err := settings.New(&s, info.New())
	if err != nil {
		return nil, err
	}
	if err := set.Apply("run", run.Config.Settings.Assignments()...); err != nil {
		return nil, err
	}
	tokenizer, err := token.Get(s.Tokenizer())
	if err != nil {
		return nil, err
	}
	trained, err := run.Checkpoint(run.ChosenCheckpoint())
	if err != nil {
		return nil, err
	}
	kept, err := run.Table()
	if err != nil {
		return nil, err
	}
	v := &vocabulary{tokenizer: tokenizer, maxLen: s.MaxLen, cls: run.Config.Setting("pool") == "cls", params: trained.Params}
	switch {
	case s.TrainVectors:
		err = v.trained(models.VectorsWeight, kept.Rows)
	case s.Unknown() == string(dataset.OOVLearned):
		err = v.trained(models.OOVWeight, kept.Rows[int(dataset.OOVRow)*kept.Dim:][:kept.Dim])
	}
	if err != nil {
		return nil, err
	}
	v.table = dataset.NewTable(kept.Words, kept.Rows, kept.Dim, dataset.OOV(s.Unknown()))
	return v, nil
}

// trained copies a trained array over what the run began with.
func (v *vocabulary) trained(name string, rows []float32) error {
	data, err := v.param(name)
	if err != nil {
		return err
	}
	if len(data) != len(rows) {
		return fmt.Errorf("weight %s has %d numbers, want %d", name, len(data), len(rows))
	}
	copy(rows, data)
	return nil
}

// param returns a trained array.
func (v *vocabulary) param(name string) ([]float32, error) {
	for _, t := range v.params {
		if data, ok := t.Data.([]float32); ok && t.Name == name {
			return data, nil
		}
	}
	return nil, fmt.Errorf("weight %s is not in the checkpoint", name)
}

// seen is a text as a run's model sees it.
type seen struct {
	words          []string  // [n] with [CLS], where the model puts it first
	vectors        []float32 // [n, d]
	known, unknown int       // words with and without a vector of their own
}

// clsWeight is the name of the vector of [CLS] among a run's weights.
const clsWeight = "cls"

// see splits a text into words and looks up their vectors.
func (v *vocabulary) see(text string) (seen, error) {
	rows, tokens := v.table.Encode(v.tokenizer, text, v.maxLen)
	var s seen
	if v.cls {
		cls, err := v.param(clsWeight)
		if err != nil {
			return s, err
		}
		s.words, s.vectors = append(s.words, "[CLS]"), append(s.vectors, cls...)
	}
	switch {
	case len(tokens) == 1 && tokens[0].Word == "":
		return s, errors.New("has no words to draw")
	case len(tokens) > mostPositions:
		return s, fmt.Errorf("has %d words: %d at most can be drawn", len(tokens), mostPositions)
	}
	for i, row := range rows {
		s.words = append(s.words, tokens[i].Word)
		s.vectors = append(s.vectors, v.table.Rows[int(row)*v.table.Dim:][:v.table.Dim]...)
		if row == dataset.OOVRow {
			s.unknown++
		} else {
			s.known++
		}
	}
	return s, nil
}
