// Package cache stores corpora and vectors under the digest of their content, so they are read
// from the source only once. A missing or damaged file is replaced from the source.
package cache

import (
	"bufio"
	"context"
	"crypto/sha256"
	"encoding/binary"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"hash/crc32"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"time"
	"unsafe"

	"imdbexp/dataset"
	"imdbexp/dataset/token"
	"imdbexp/dataset/vectors"
	"imdbexp/internal/fsx"
	"imdbexp/internal/mapped"
)

// at returns the folder of a cache. The folder may be a link, because people put large caches on
// other disks; the files in it may not.
func at(cache string) fsx.Dir { return fsx.In(cache) }

// Lock takes the lock of the cache folder, and waits while another process fills the cache. It is
// taken before the slow reading begins, so processes started together do that work once.
func Lock(ctx context.Context, cache string) (unlock func(), err error) {
	if err := at(cache).Make(); err != nil {
		return nil, err
	}
	for {
		lock, err := at(cache).Acquire("lock")
		if err == nil {
			return func() { _ = lock.Release() }, nil
		}
		if held := new(fsx.HeldError); !errors.As(err, &held) {
			return nil, err
		}
		select {
		case <-ctx.Done():
			return nil, context.Cause(ctx)
		case <-time.After(50 * time.Millisecond):
		}
	}
}

// stamp stores the content digest of a file or folder. While the file has not changed, it is
// not read again.
type stamp struct {
	Path   string `json:"path"`
	State  string `json:"state"` // sizes and times of change
	Digest string `json:"digest"`
}

// stampFile names the file of the stamp of a file, or of a member of a zip.
func stampFile(path, member string) string {
	sum := sha256.Sum256([]byte(path + "\x00" + member))
	return "stamp-" + hex.EncodeToString(sum[:8]) + ".json"
}

// ReadStamp returns the remembered digest, or "".
func ReadStamp(cache, path, member string) string {
	var s stamp
	state, err1 := StateOf(path)
	b, err2 := at(cache).ReadFile(stampFile(path, member), 1<<16)
	if err1 != nil || err2 != nil || json.Unmarshal(b, &s) != nil || s.Path != path || s.State != state {
		return ""
	}
	return s.Digest
}

// WriteStamp remembers the digest of path as it was when state was taken.
func WriteStamp(cache, path, member, state, digest string) error {
	b, err := json.Marshal(stamp{path, state, digest})
	if err != nil {
		return err
	}
	return at(cache).WriteBytes(stampFile(path, member), append(b, '\n'))
}

// RemoveStamp forgets the digest of a file, or of a member of a zip.
func RemoveStamp(cache, path, member string) error { return at(cache).Remove(stampFile(path, member)) }

// StateOf describes a file by size and time of change, and a folder by the sizes and times of all
// its files.
func StateOf(path string) (string, error) {
	h := sha256.New()
	err := filepath.WalkDir(path, func(p string, e fs.DirEntry, err error) error {
		if err != nil || e.IsDir() {
			return err
		}
		info, err := os.Stat(p) // which follows links
		if err == nil && !info.IsDir() {
			fmt.Fprintf(h, "%q %d %d\n", p, info.Size(), info.ModTime().UnixNano())
		}
		return err
	})
	return hex.EncodeToString(h.Sum(nil)), err
}

// Forget removes the cache files of a content.
func Forget(cache, digest string) (all error) {
	entries, _ := at(cache).Entries()
	for _, e := range entries {
		if len(digest) >= 16 && strings.Contains(e.Name(), "-"+digest[:16]+"-") && strings.HasSuffix(e.Name(), ".bin") {
			all = errors.Join(all, at(cache).Remove(e.Name()))
		}
	}
	return all
}

// Kinds of cache files; the digit is the version of their format. A file of another
// version is replaced.
const (
	corpusKind  = "corpus 3"
	extraKind   = "extra 3"
	vectorsKind = "vectors 3"
)

// Scratch makes scratch files on the disk of the cache, and removes old ones.
func Scratch(cache string) dataset.Scratch {
	if cache != "" {
		at(cache).RemoveScratch()
	}
	return func() (dataset.ScratchFile, error) {
		if err := at(cache).Make(); err != nil {
			return nil, err
		}
		f, err := at(cache).Scratch()
		if err != nil {
			return nil, err
		}
		return f, nil
	}
}

// WriteCorpus writes the cache of a corpus. Unlabelled reviews have a separate file, which training
// does not read. The caller holds the lock of the cache.
func WriteCorpus(cache string, s *dataset.Sorted) error {
	err := write(cache, "extra-"+s.Key+".bin", index{Kind: extraKind, Digest: s.Digest}, func(w *writer) error {
		return writeSplit(w, s, dataset.Extra)
	})
	if err != nil {
		return err
	}
	x := index{Kind: corpusKind, Digest: s.Digest, Tokenizer: s.Tokenizer, Classes: s.Classes}
	return write(cache, "corpus-"+s.Key+".bin", x, func(w *writer) error {
		return errors.Join(w.strings("words", s.Vocab.Words), numbers(w, "counts", s.Vocab.Counts),
			writeSplit(w, s, dataset.Train), writeSplit(w, s, dataset.Test))
	})
}

// writeSplit writes the arrays of a split. Only the words may take more than memory.
func writeSplit(w *writer, s *dataset.Sorted, p dataset.Part) error {
	offsets, labels, names, b := []int64{0}, []int32(nil), []string(nil), []byte(nil)
	err := w.section(p.String()+" words", func() error {
		return s.Each(p, func(r dataset.Placed) error {
			b, _ = binary.Append(b[:0], binary.LittleEndian, r.IDs) // numbers have a fixed size
			w.put(b)
			offsets = append(offsets, offsets[len(offsets)-1]+int64(len(r.IDs)))
			labels, names = append(labels, r.Label), append(names, r.Name)
			return nil
		})
	})
	return errors.Join(err, numbers(w, p.String()+" offsets", offsets), numbers(w, p.String()+" labels", labels), w.strings(p.String()+" names", names))
}

// ReadCorpus reads the cache of a corpus. If the file can be mapped, its words stay in the file.
func ReadCorpus(cache, digest string, tok token.Tokenizer, extra bool) (*dataset.Corpus, error) {
	c := &dataset.Corpus{Head: dataset.Head{Digest: digest, Key: dataset.KeyOf(digest, tok)}}
	f, err := read(cache, "corpus-"+c.Key+".bin", corpusKind)
	if err != nil {
		return nil, err
	}
	c.Tokenizer, c.Classes = f.Tokenizer, f.Classes
	c.Vocab = &dataset.Vocab{Words: f.strings("words"), Counts: array[int64](f, "counts")}
	fit := f.Digest == digest && f.Tokenizer == tok.Name && readSplit(f, c, dataset.Train) && readSplit(f, c, dataset.Test)
	if extra && fit {
		if f, err = read(cache, "extra-"+c.Key+".bin", extraKind); err != nil {
			return nil, err
		}
		fit = f.Digest == digest && readSplit(f, c, dataset.Extra)
	}
	if !fit {
		return nil, errDamaged
	}
	return c, nil
}

// readSplit reads a split and reports whether its parts fit together.
func readSplit(f *file, c *dataset.Corpus, p dataset.Part) bool {
	s, name := c.Part(p), p.String()
	s.IDs, s.Offsets = array[int32](f, name+" words"), array[int](f, name+" offsets")
	s.Labels, s.Names = array[int32](f, name+" labels"), f.strings(name+" names")
	n := len(s.Labels)
	return len(s.Names) == n && len(s.Offsets) == n+1 && s.Offsets[n] == len(s.IDs)
}

// vectorFile names the cache of the vectors with that digest, for the words of a corpus by its key,
// or for all words.
func vectorFile(digest string, c *dataset.Corpus) (file, corpus string) {
	key := "all"
	if c != nil {
		key, corpus = c.Key, c.Digest
	}
	return "vectors-" + digest[:min(16, len(digest))] + "-" + key + ".bin", corpus
}

// maxAllCache bounds the cache of vectors of all words, in bytes of values.
const maxAllCache = 1 << 30

// WriteVectors stores the vectors of a corpus's words; of all words, unless they are too many, for nil.
func WriteVectors(cache string, v *vectors.Set, c *dataset.Corpus) error {
	if c == nil && 4*len(v.Rows) > maxAllCache {
		return nil
	}
	file, corpus := vectorFile(v.Digest, c)
	x := index{Kind: vectorsKind, Digest: v.Digest, Corpus: corpus, Dim: v.Dim, Total: v.Total}
	return write(cache, file, x, func(w *writer) error {
		return errors.Join(w.strings("words", v.Words), numbers(w, "rows", v.Rows))
	})
}

// ReadVectors reads the vectors of a corpus's words, or of all words for nil.
func ReadVectors(cache, digest string, c *dataset.Corpus) (*vectors.Set, error) {
	name, corpus := vectorFile(digest, c)
	f, err := read(cache, name, vectorsKind)
	if err != nil {
		return nil, err
	}
	rows := array[float32](f, "rows")
	v := &vectors.Set{Digest: digest, Dim: f.Dim, Total: f.Total, Words: f.strings("words"), Rows: slices.Clone(rows)}
	mapped.Release(rows)
	if f.Digest != digest || f.Corpus != corpus || len(v.Rows) != len(v.Words)*v.Dim {
		return nil, errDamaged
	}
	return v, nil
}

// A cache file holds arrays as they are in memory, so that it is quick to load, and damage is noticed:
//
//	sections of bytes, each at a multiple of eight
//	their index as JSON, and its length as a uint64
//	CRC-32C of all that, uint32
//
// All numbers are little-endian.

// index is what a file says of itself.
type index struct {
	Kind      string   `json:"kind"` // with the version of its format
	Digest    string   `json:"digest"`
	Corpus    string   `json:"corpus,omitempty"` // digest of the corpus whose words the vectors are of
	Dim       int      `json:"dim,omitempty"`
	Total     int      `json:"total,omitempty"`
	Tokenizer string   `json:"tokenizer,omitempty"`
	Classes   []string `json:"classes,omitempty"`

	Sections map[string][2]int64 `json:"sections"` // from and length, in bytes
}

// errDamaged means that a file is not what write wrote.
var errDamaged = errors.New("cache file is damaged, or of another kind or version")

var castagnoli = crc32.MakeTable(crc32.Castagnoli)

// native reports whether numbers in memory have the format of the files.
var native = strconv.IntSize == 64 && binary.NativeEndian.Uint16([]byte{1, 0}) == 1

// writer writes the sections of a file. The first error of writing stays until the end.
type writer struct {
	*bufio.Writer
	index index
	at    int64
}

// write writes a file.
func write(cache, name string, x index, fill func(w *writer) error) error {
	x.Sections = map[string][2]int64{}
	return at(cache).WriteFile(name, func(out io.Writer) error {
		sum := crc32.New(castagnoli)
		w := &writer{Writer: bufio.NewWriterSize(io.MultiWriter(out, sum), 1<<16), index: x}
		if err := fill(w); err != nil {
			return err
		}
		tail, err := json.Marshal(w.index)
		if err != nil {
			return err
		}
		w.Write(binary.LittleEndian.AppendUint64(tail, uint64(len(tail))))
		if err := w.Flush(); err != nil {
			return err
		}
		_, err = out.Write(binary.LittleEndian.AppendUint32(nil, sum.Sum32()))
		return err
	})
}

func (w *writer) put(b []byte) {
	w.Write(b)
	w.at += int64(len(b))
}

// section writes a section: the bytes that fill puts.
func (w *writer) section(name string, fill func() error) error {
	w.put(make([]byte, -w.at&7))
	from := w.at
	err := fill()
	w.index.Sections[name] = [2]int64{from, w.at - from}
	return err
}

// numbers writes an array.
func numbers[T int32 | int64 | float32](w *writer, name string, a []T) error {
	return w.section(name, func() error {
		var b []byte
		for part := range slices.Chunk(a, 1<<13) {
			b, _ = binary.Append(b[:0], binary.LittleEndian, part) // numbers have a fixed size
			w.put(b)
		}
		return nil
	})
}

// strings writes strings without line ends.
func (w *writer) strings(name string, all []string) error {
	return w.section(name, func() error {
		for _, s := range all {
			w.put([]byte(s + "\n"))
		}
		return nil
	})
}

// leastMapped is the size of files from which on it is worth while to map them.
var leastMapped int64 = 1 << 20 // a variable for tests

// file is a whole file.
type file struct {
	index
	data []byte
}

// read reads a file and checks it. If the file is mapped, it is read all the same: mapped pages that
// only the checksum needs would count as memory of the process.
func read(cache, name, kind string) (*file, error) {
	in, err := at(cache).Open(name)
	if err != nil {
		return nil, err
	}
	defer in.Close()
	info, err := in.Stat()
	if err != nil {
		return nil, err
	}
	sum, size := crc32.New(castagnoli), info.Size()
	var end [12]byte // length of the index, and checksum
	if _, err := io.CopyN(sum, in, size-4); err != nil || size < 12 {
		return nil, errDamaged
	}
	if _, err := in.ReadAt(end[:], size-12); err != nil {
		return nil, err
	}
	f, n := new(file), binary.LittleEndian.Uint64(end[:])
	if !native || binary.LittleEndian.Uint32(end[8:]) != sum.Sum32() || n > uint64(size-12) {
		return nil, errDamaged
	}
	if size >= leastMapped {
		f.data = mapped.Open(in)
	}
	if f.data == nil {
		f.data = make([]byte, size)
		if _, err := in.ReadAt(f.data, 0); err != nil {
			return nil, err
		}
	}
	if err := json.Unmarshal(f.data[size-12-int64(n):size-12], &f.index); err != nil || f.Kind != kind {
		return nil, fmt.Errorf("%s: %w", name, errDamaged)
	}
	return f, nil
}

// array returns a section as an array, which is not to be changed.
func array[T int | int32 | int64 | float32](f *file, name string) []T {
	b := f.bytes(name)
	if len(b) == 0 {
		return []T{}
	}
	return unsafe.Slice((*T)(unsafe.Pointer(&b[0])), len(b)/int(unsafe.Sizeof(T(0))))
}

func (f *file) bytes(name string) []byte {
	s := f.Sections[name]
	return f.data[s[0] : s[0]+s[1]]
}

// strings returns what writer.strings wrote.
func (f *file) strings(name string) []string {
	all := strings.Split(string(f.bytes(name)), "\n")
	return all[:len(all)-1]
}
