package runs

import (
	"cmp"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"time"

	"github.com/klauspost/compress/zstd"

	"imdbexp/internal/fsx"
	"imdbexp/internal/safetensors"
)

// maxWindow bounds the memory of the decompressor; files are written with a window of 4 MB.
const maxWindow = 32 << 20

const tableSuffix = ".safetensors.zst"

// putStored writes tensors and an item of metadata to the store under the SHA-256 of the file, which it
// returns. A damaged file is written again, so that later runs with the same words can use it.
func putStored(dir, key, value string, tensors ...Tensor) (digest string, err error) {
	f := &safetensors.File{Metadata: map[string]string{"format": strconv.Itoa(Format), key: value}, Tensors: tensors}
	h := sha256.New()
	if err := safetensors.Write(h, f); err != nil {
		return "", err
	}
	digest = hex.EncodeToString(h.Sum(nil))
	store, name := storeIn(dir), digest+tableSuffix
	if _, err := unpackStored(store, digest); err == nil {
		// CleanStore skips files with a recent time, because the run has no folder yet.
		// Without permission to change the time, the file can still be used.
		now := time.Now()
		_ = os.Chtimes(store.Path(name), now, now)
		return digest, nil
	}
	if err := store.Make(); err != nil {
		return "", err
	}
	return digest, store.WriteFile(name, func(w io.Writer) error {
		z, err := zstd.NewWriter(w, zstd.WithEncoderLevel(zstd.SpeedFastest), zstd.WithEncoderConcurrency(1))
		if err != nil {
			return err
		}
		return errors.Join(safetensors.Write(z, f), z.Close())
	})
}

// readStored reads the file of the store under dir with that digest and decodes it.
func readStored[T any](dir, digest string, decode func(*safetensors.File) (T, error)) (out T, err error) {
	if !isHex(digest, 64) {
		return out, fmt.Errorf("table %q is not a SHA-256", digest)
	}
	f, err := unpackStored(storeIn(dir), digest)
	if err != nil {
		return out, err
	}
	out, err = decode(f)
	return out, asDamage(storeIn(dir).Path(digest+tableSuffix), err)
}

// unpackStored reads a file of a store and checks its digest.
func unpackStored(store fsx.Dir, digest string) (*safetensors.File, error) {
	path := store.Path(digest + tableSuffix)
	packed, err := store.Open(digest + tableSuffix)
	if err != nil {
		return nil, err
	}
	defer packed.Close()
	z, err := zstd.NewReader(packed, zstd.WithDecoderConcurrency(1), zstd.WithDecoderMaxWindow(maxWindow))
	if err != nil {
		return nil, &DamagedError{path, err}
	}
	defer z.Close()
	b, err := safetensors.ReadAll(z, maxStored)
	if err != nil {
		return nil, &DamagedError{path, err}
	}
	if sum := sha256.Sum256(b); hex.EncodeToString(sum[:]) != digest {
		return nil, &DamagedError{path, errors.New("its content has another digest")}
	}
	f, err := safetensors.Parse(b)
	return f, asDamage(path, err)
}

// storeDir returns the folder of runs whose store holds the run's words.
func (r *Run) storeDir() string { return filepath.Dir(filepath.Dir(r.Path)) }

// CheckWords reads the run's words, vocabularies or n-grams from the store and checks their
// digest. A run may have none.
func (r *Run) CheckWords() (err error) {
	if r.Config.Table != "" {
		_, err = unpackStored(storeIn(r.storeDir()), r.Config.Table)
	}
	return err
}

// Table is the vocabulary of a model with its frozen vectors.
type Table struct {
	Words []string  // of the first rows, in order
	Rows  []float32 // [R, Dim], row-major; R may exceed the words (an OOV row)
	Dim   int
	OOV   int32 // row of words without a vector; -1 if those words are skipped
}

// PutTable stores a table under dir, once for all runs that use it, and returns its digest
// for Config.Table: the SHA-256 of the table as a safetensors file.
func PutTable(dir string, t *Table) (digest string, err error) {
	if err := t.check(); err != nil {
		return "", err
	}
	rows := Tensor{Name: "rows", Shape: []int{len(t.Rows) / t.Dim, t.Dim}, Data: t.Rows}
	return putStored(dir, "oov", strconv.Itoa(int(t.OOV)), append(wordTensors("", t.Words), rows)...)
}

// Table returns the words and vectors of a run on reviews or texts.
func (r *Run) Table() (*Table, error) {
	return stored(r, "word vectors", decodeTable, Reviews.Kind, Texts.Kind)
}

func decodeTable(f *safetensors.File) (*Table, error) {
	words, err1 := wordsOf(f, "")
	rows, shape, err2 := safetensors.Get[float32](f, "rows")
	oov, err3 := strconv.ParseInt(f.Metadata["oov"], 10, 32)
	if err := errors.Join(err1, err2, err3); err != nil {
		return nil, err
	}
	if len(shape) != 2 {
		return nil, fmt.Errorf("rows have the shape %v", shape)
	}
	t := &Table{Words: words, Rows: rows, Dim: shape[1], OOV: int32(oov)}
	return t, t.check()
}

func (t *Table) check() error {
	if t.Dim < 1 || len(t.Rows)%t.Dim != 0 {
		return fmt.Errorf("runs: %d numbers in rows of %d", len(t.Rows), t.Dim)
	}
	if rows := len(t.Rows) / t.Dim; len(t.Words) > rows || int(t.OOV) < -1 || int(t.OOV) >= rows {
		return fmt.Errorf("runs: %d words and OOV row %d in a table of %d rows", len(t.Words), t.OOV, rows)
	}
	return nil
}

// Vocabularies are the words of the two languages of a translation run, in the order of
// their IDs.
type Vocabularies struct{ Source, Target []string }

// PutVocabularies stores vocabularies as PutTable stores a table. Translation runs train
// their own vectors and have no Table.
func PutVocabularies(dir string, v *Vocabularies) (digest string, err error) {
	if err := v.check(); err != nil {
		return "", err
	}
	return putStored(dir, "kind", "vocabularies", append(wordTensors("source.", v.Source), wordTensors("target.", v.Target)...)...)
}

// Vocabularies returns the words of a translation run.
func (r *Run) Vocabularies() (*Vocabularies, error) {
	return stored(r, "vocabularies of two languages", func(f *safetensors.File) (*Vocabularies, error) {
		source, err1 := wordsOf(f, "source.")
		target, err2 := wordsOf(f, "target.")
		v := &Vocabularies{source, target}
		return v, cmp.Or(err1, err2, v.check())
	}, Pairs.Kind)
}

func (v *Vocabularies) check() error {
	if len(v.Source) == 0 || len(v.Target) == 0 {
		return fmt.Errorf("runs: vocabularies of %d and %d words: want at least one word each", len(v.Source), len(v.Target))
	}
	return nil
}

// PutFeatures stores the encoded n-grams of a run that counts them, as PutTable stores a table.
func PutFeatures(dir string, features []byte) (digest string, err error) {
	return putStored(dir, "kind", "features", Tensor{Name: "features", Shape: []int{len(features)}, Data: features})
}

// Features returns the encoded n-grams of a run that counts them.
func (r *Run) Features() ([]byte, error) {
	return stored(r, "n-grams", func(f *safetensors.File) ([]byte, error) {
		b, _, err := safetensors.Get[byte](f, "features")
		return b, err
	}, NgramsKind)
}

// stored reads what a run on data of one of the kinds has in the store.
func stored[T any](r *Run, what string, decode func(*safetensors.File) (T, error), kinds ...string) (none T, err error) {
	if r.Config.Table == "" || !slices.Contains(kinds, r.Config.Data.Kind) {
		return none, fmt.Errorf("%s keeps no %s", r.Label(), what)
	}
	return readStored(r.storeDir(), r.Config.Table, decode)
}

// wordTensors encodes words as two tensors: their text, and the byte at which each word ends.
func wordTensors(prefix string, words []string) []Tensor {
	var text []byte
	ends := make([]int64, len(words))
	for i, w := range words {
		text = append(text, w...)
		ends[i] = int64(len(text))
	}
	return []Tensor{
		{Name: prefix + "words", Shape: []int{len(text)}, Data: text},
		{Name: prefix + "ends", Shape: []int{len(ends)}, Data: ends},
	}
}

// wordsOf decodes the tensors of wordTensors.
func wordsOf(f *safetensors.File, prefix string) ([]string, error) {
	text, _, err1 := safetensors.Get[byte](f, prefix+"words")
	ends, _, err2 := safetensors.Get[int64](f, prefix+"ends")
	if err := errors.Join(err1, err2); err != nil {
		return nil, err
	}
	words, begin := make([]string, len(ends)), int64(0)
	for i, end := range ends {
		if end < begin || end > int64(len(text)) {
			return nil, fmt.Errorf("word %d ends at byte %d of %d", i, end, len(text))
		}
		words[i] = string(text[begin:end])
		begin = end
	}
	return words, nil
}
