package runs

import (
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strconv"
	"time"

	"github.com/klauspost/compress/zstd"

	"imdbexp/internal/fsx"
	"imdbexp/internal/safetensors"
)

// Table is the words that a model knows and their frozen vectors.
type Table struct {
	Words []string  // of the first rows, in order
	Rows  []float32 // [R, Dim], row-major; R may exceed the words (an OOV row)
	Dim   int
	OOV   int32 // row of words without a vector, -1 where they are left out
}

// maxWindow bounds what is kept of a table while it is unpacked; it is packed with 4 MB.
const maxWindow = 32 << 20

const tableSuffix = ".safetensors.zst"

// PutTable keeps a table under dir, once however many runs use it, and returns
// its digest for Config.Table: the SHA-256 of the table as a safetensors file.
func PutTable(dir string, t *Table) (digest string, err error) {
	if err := t.check(); err != nil {
		return "", err
	}
	return putStored(dir, t.encode())
}

// putStored keeps a file in the store under the digest of its content, which it returns.
func putStored(dir string, f *safetensors.File) (digest string, err error) {
	h := sha256.New()
	if err := safetensors.Write(h, f); err != nil {
		return "", err
	}
	digest = hex.EncodeToString(h.Sum(nil))
	store, name := storeIn(dir), digest+tableSuffix
	if info, err := store.Lstat(name); err == nil && info.Mode().IsRegular() {
		// Its run has no folder yet: Unused goes by this time.
		now := time.Now()
		_ = os.Chtimes(store.Path(name), now, now) // a folder that is not ours to write in
		if intact(store, name, digest) {
			return digest, nil
		}
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

// unpacking reads what is packed in a file of the store.
func unpacking(packed io.Reader) (*zstd.Decoder, error) {
	return zstd.NewReader(packed, zstd.WithDecoderConcurrency(1), zstd.WithDecoderMaxWindow(maxWindow))
}

// intact reports whether a file of the store has the content of its name. What a disk or a
// copy has damaged would otherwise stay so for all runs to come, whose words are these, too.
// It keeps nothing of the file in memory: a table is there already.
func intact(store fsx.Dir, name, digest string) bool {
	packed, err := store.Open(name)
	if err != nil {
		return false
	}
	defer packed.Close()
	z, err := unpacking(packed)
	if err != nil {
		return false
	}
	defer z.Close()
	sum := sha256.New()
	_, err = io.Copy(sum, z)
	return err == nil && hex.EncodeToString(sum.Sum(nil)) == digest
}

// ReadTable returns a table kept under dir, of at most limit bytes.
func ReadTable(dir, digest string, limit int64) (*Table, error) {
	return readStored(dir, digest, limit, decodeTable)
}

// readStored returns what decode makes of a file of the store.
func readStored[T any](dir, digest string, limit int64, decode func(*safetensors.File) (T, error)) (none T, err error) {
	if !isHex(digest, 64) {
		return none, fmt.Errorf("table %q is no SHA-256", digest)
	}
	store, name := storeIn(dir), digest+tableSuffix
	packed, err := store.Open(name)
	if err != nil {
		return none, err
	}
	defer packed.Close()
	f, err := unpackStored(packed, digest, limit)
	if err != nil {
		return none, &DamagedError{store.Path(name), err}
	}
	out, err := decode(f)
	if err != nil {
		return none, &DamagedError{store.Path(name), err}
	}
	return out, nil
}

// Table returns the words and vectors of the run.
func (r *Run) Table() (*Table, error) {
	if r.Config.Table == "" {
		return nil, fmt.Errorf("%s kept no table of words", r.Label())
	}
	if r.Config.Counts() {
		return nil, fmt.Errorf("%s has no word vectors: it counts n-grams", r.Label())
	}
	if r.Config.Task() != Reviews {
		return nil, fmt.Errorf("%s has no word vectors but its model's: it translates pairs of sentences", r.Label())
	}
	return ReadTable(r.storeDir(), r.Config.Table, r.Config.limit(storeFolder))
}

// storeDir returns the folder of runs in whose store the run's words lie.
func (r *Run) storeDir() string { return filepath.Dir(filepath.Dir(r.Path)) }

// unpackStored checks what is read from the store.
func unpackStored(packed io.Reader, digest string, limit int64) (*safetensors.File, error) {
	z, err := unpacking(packed)
	if err != nil {
		return nil, err
	}
	defer z.Close()
	b, err := safetensors.ReadAll(z, limit)
	if err != nil {
		return nil, err
	}
	if sum := sha256.Sum256(b); hex.EncodeToString(sum[:]) != digest {
		return nil, errors.New("its content has another digest")
	}
	return safetensors.Parse(b)
}

func (t *Table) encode() *safetensors.File {
	return &safetensors.File{
		Metadata: map[string]string{"format": strconv.Itoa(Format), "oov": strconv.Itoa(int(t.OOV))},
		Tensors:  append(wordTensors("", t.Words), Tensor{Name: "rows", Shape: []int{len(t.Rows) / t.Dim, t.Dim}, Data: t.Rows}),
	}
}

// wordTensors joins words into two tensors whose names begin with prefix, each word
// ended by where the next begins.
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

// wordsOf reads what wordTensors made.
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
	rows := len(t.Rows) / t.Dim
	if len(t.Words) > rows || int(t.OOV) < -1 || int(t.OOV) >= rows {
		return fmt.Errorf("runs: %d words and OOV row %d in a table of %d rows", len(t.Words), t.OOV, rows)
	}
	return nil
}

// Words reads what the run keeps in the store and checks its digest, whatever its task; a
// run without any is no error.
func (r *Run) Words() (err error) {
	switch {
	case r.Config.Table == "":
	case r.Config.Counts():
		_, err = r.Features()
	case r.Config.Task() == Pairs:
		_, err = r.Vocabularies()
	default:
		_, err = r.Table()
	}
	return err
}
