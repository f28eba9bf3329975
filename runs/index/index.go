// Package index keeps in one file what was read of many folders, so that those which have
// not changed since need not be read again. It is a cache: what is damaged, missing, or of
// another version of the program is as if it were not there.
package index

import (
	"bytes"
	"crypto/sha256"
	"encoding/binary"

	"imdbexp/internal/fsx"
)

// Row is what is kept of one folder.
type Row struct {
	Key   string   // its name
	Stamp string   // of its files when they were read; with another one, Texts are of the past
	Texts []string // whatever was read; many folders have most of them in common
}

// Table is rows read from a file, by key. The zero Table has none.
type Table struct {
	words []string
	rows  map[string]place
}

// place is a row as it lies in the file.
type place struct {
	stamp uint64 // index of the stamp in words
	texts []byte // numbers of words
}

// maxFile bounds the file. One of 10 000 runs has some 15 MB.
const maxFile = 1 << 28

// magic begins the file; the version is that of the layout.
const magic = "exp index 1\n"

// Read returns the table in a file of the folder, an empty one where there is none that can
// be used: of the version asked for, and as it was written.
func Read(d fsx.Dir, name, version string) *Table {
	b, err := d.ReadFile(name, maxFile)
	if err != nil {
		return &Table{}
	}
	t, ok := parse(b, version)
	if !ok {
		return &Table{}
	}
	return t
}

// Len returns the number of rows.
func (t *Table) Len() int { return len(t.rows) }

// Get appends the texts of a key to into, if they are of that stamp.
func (t *Table) Get(into []string, key, stamp string) (texts []string, ok bool) {
	at, ok := t.rows[key]
	if !ok || t.words[at.stamp] != stamp {
		return nil, false
	}
	in := reader{b: at.texts, ok: true}
	for range in.count() {
		into = append(into, in.word(t.words))
	}
	return into, in.ok
}

// Write makes a file of the folder hold the rows, whole or not at all. Of two processes
// that write at once the second's stay.
func Write(d fsx.Dir, name, version string, rows []Row) error {
	b := encode(version, rows)
	if len(b) > maxFile {
		return nil // it would not be read
	}
	return d.WriteBytes(name, b)
}

// encode writes the magic, the SHA-256 of what follows, the version, the different words,
// and for each row the numbers of its words.
func encode(version string, rows []Row) []byte {
	var words, body []byte
	numbers := map[string]uint64{}
	word := func(s string) {
		n, known := numbers[s]
		if !known {
			n = uint64(len(numbers))
			numbers[s] = n
			words = append(binary.AppendUvarint(words, uint64(len(s))), s...)
		}
		body = binary.AppendUvarint(body, n)
	}
	for _, r := range rows {
		word(r.Key)
		word(r.Stamp)
		from := len(body)
		body = binary.AppendUvarint(body, uint64(len(r.Texts)))
		for _, s := range r.Texts {
			word(s)
		}
		texts := bytes.Clone(body[from:])
		body = append(binary.AppendUvarint(body[:from], uint64(len(texts))), texts...)
	}
	out := append([]byte(magic), make([]byte, sha256.Size)...)
	out = append(binary.AppendUvarint(out, uint64(len(version))), version...)
	out = append(binary.AppendUvarint(out, uint64(len(numbers))), words...)
	out = append(binary.AppendUvarint(out, uint64(len(rows))), body...)
	sum := sha256.Sum256(out[len(magic)+sha256.Size:])
	copy(out[len(magic):], sum[:])
	return out
}

func parse(b []byte, version string) (*Table, bool) {
	sum, whole := bytes.CutPrefix(b, []byte(magic))
	if !whole || len(sum) < sha256.Size {
		return nil, false
	}
	sum, b = sum[:sha256.Size], sum[sha256.Size:]
	if own := sha256.Sum256(b); !bytes.Equal(sum, own[:]) {
		return nil, false
	}
	in := reader{b: b, ok: true}
	if string(in.bytes()) != version {
		return nil, false
	}
	t := &Table{words: make([]string, in.count())}
	for i := range t.words {
		t.words[i] = string(in.bytes())
	}
	n := in.count()
	t.rows = make(map[string]place, n)
	for range n {
		key := in.word(t.words)
		stamp := in.number()
		t.rows[key] = place{stamp, in.bytes()}
		in.ok = in.ok && stamp < uint64(len(t.words))
	}
	return t, in.ok && len(in.b) == 0
}

// reader reads what encode wrote. Once something is wrong ok is false, and nothing more is
// read.
type reader struct {
	b  []byte
	ok bool
}

func (r *reader) number() uint64 {
	n, size := binary.Uvarint(r.b)
	if size <= 0 {
		r.ok = false
	}
	if !r.ok {
		return 0
	}
	r.b = r.b[size:]
	return n
}

// count reads how many things follow, each of at least one byte.
func (r *reader) count() int {
	n := r.number()
	if n > uint64(len(r.b)) {
		r.ok = false
	}
	if !r.ok {
		return 0
	}
	return int(n)
}

func (r *reader) bytes() []byte {
	n := r.count()
	out := r.b[:n]
	r.b = r.b[n:]
	return out
}

func (r *reader) word(words []string) string {
	n := r.number()
	if !r.ok || n >= uint64(len(words)) {
		r.ok = false
		return ""
	}
	return words[n]
}
