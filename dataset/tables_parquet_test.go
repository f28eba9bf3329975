package dataset_test

import (
	"bytes"
	"encoding/binary"
	"fmt"
	"math"
	"math/rand/v2"
	"runtime"
	"strings"
	"testing"

	"github.com/parquet-go/parquet-go"
	"github.com/parquet-go/parquet-go/compress"
	"github.com/parquet-go/parquet-go/encoding/thrift"
	"github.com/parquet-go/parquet-go/format"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"imdbexp/dataset"
	"imdbexp/dataset/imdb"
	"imdbexp/dataset/tables"
	"imdbexp/internal/testkit/fixture"
	"imdbexp/internal/testkit/must"
)

// hugging is how Hugging Face's IMDB is kept.
type hugging struct {
	Text  string `parquet:"text,plain,optional"`
	Label *int64 `parquet:"label,optional,dict"` // a pointer: 0 is no null
}

func hug(text string, label int64) hugging { return hugging{text, &label} }

var classes = fixture.Classes(`"neg", "pos"`)

func TestHuggingFace(t *testing.T) {
	var rows []hugging
	var want []string
	for i := range 40 {
		rows = append(rows, hug(fmt.Sprintf("Review %d, long enough", i), int64(i%2)))
		want = append(want, []string{"neg|", "pos|"}[i%2]+rows[i].Text)
	}
	for _, codec := range codecs {
		for _, version := range []int{1, 2} {
			b := fixture.Parquet(t, 7, rows, classes, parquet.Compression(codec),
				parquet.DataPageVersion(version), parquet.PageBufferSize(64))
			how, got, err := read(put(t, "a", b), tables.Options{})
			require.NoError(t, err, "%s, version %d", codec, version)
			assert.Equal(t, want, got)
			assert.Equal(t, "Parquet, text from text, labels from label", how.String())
		}
	}
	b := fixture.Parquet(t, 7, rows)
	_, got := must.Get2(read(put(t, "a.parquet", b), tables.Options{}))(t)
	assert.Equal(t, "1|Review 1, long enough", got[1], "without names the numbers")
	b = fixture.Parquet(t, 7, []hugging{hug("Review", -1)}, classes)
	_, _, err := read(put(t, "a.parquet", b), tables.Options{})
	assert.ErrorContains(t, err, `row 1, column "label": has no label`)
	_, got = must.Get2(read(put(t, "a.parquet", b), tables.Options{Unlabelled: true}))(t)
	assert.Equal(t, []string{"|Review"}, got)
	b = fixture.Parquet(t, 7, []hugging{hug("Review", 2)}, classes)
	_, _, err = read(put(t, "a.parquet", b), tables.Options{})
	assert.ErrorContains(t, err, `row 1, column "label": the label "2" is not one of the 2 classes`)
}

// Every encoding and compression that package parquet writes is read, with nulls and without.
func TestParquetEncodings(t *testing.T) {
	type row struct {
		Text   string  `parquet:"text,delta"`
		Length string  `parquet:"length,delta,optional"` // "" is null
		Dict   string  `parquet:"dict,dict,optional"`
		Label  int64   `parquet:"label,delta,optional"`
		Small  int32   `parquet:"small,delta"`
		Flag   bool    `parquet:"flag"`
		Shared string  `parquet:"shared"` // DELTA_BYTE_ARRAY: polars and DuckDB
		Float  float64 `parquet:"float,split"`
		Stars  int32   `parquet:"stars,decimal(1:3)"` // DuckDB's 4.5
	}
	var rows []row
	for i := range 100 {
		text, label := fmt.Sprintf("Review %d", i/3), int64(i%5)
		r := row{Text: text, Label: label + 1, Small: int32(i), Flag: i%3 == 0, Shared: text, Float: float64(i) / 4, Stars: int32(i)}
		if i == 0 {
			r.Float = math.NaN()
		}
		if i%4 > 0 {
			r.Length, r.Dict = text, text
		}
		rows = append(rows, r)
	}
	for _, codec := range codecs {
		for _, version := range []int{1, 2} {
			file := put(t, "a", fixture.Parquet(t, 7, rows, parquet.Compression(codec), parquet.DataPageVersion(version), parquet.PageBufferSize(256),
				parquet.DefaultEncodingFor(parquet.ByteArray, &parquet.DeltaByteArray)))
			for _, text := range []string{"text", "length", "dict", "shared"} {
				_, got, err := read(file, tables.Options{Columns: [tables.Roles]string{text, "small"}})
				require.NoError(t, err, "%s, %s, version %d", text, codec, version)
				for i, r := range rows {
					want := r.Text
					if r.Dict == "" && (text == "length" || text == "dict") {
						want = ""
					}
					require.Equal(t, fmt.Sprintf("%d|%s", i, want), got[i])
				}
			}
			for label, want := range map[string]string{"label": "3", "flag": "false", "float": "0.5", "stars": "0.2"} {
				_, got := must.Get2(read(file, tables.Options{Columns: [tables.Roles]string{tables.Label: label}, Asked: true}))(t)
				require.Equal(t, want+"|Review 0", got[2])
				require.Equal(t, label == "float", strings.HasPrefix(got[0], "|"), "NaN is no label")
			}
		}
	}
}

var codecs = []compress.Codec{&parquet.Uncompressed, &parquet.Snappy, &parquet.Gzip, &parquet.Zstd, &parquet.Brotli, &parquet.Lz4Raw}

// kinds has a column of every kind that a label may have, and some beside.
type kinds struct {
	ID     [4]byte            `parquet:"id"`
	Nested struct{ A, B int } `parquet:"nested"`
	Tags   []string           `parquet:"tags"`
	Body   string             `parquet:"body,dict"`
	S      string             `parquet:"s,plain,optional"`
	I      int32              `parquet:"i,plain"`
	F      float32            `parquet:"f,plain"`
	D      float64            `parquet:"d,plain,optional"`
	B      bool               `parquet:"b"`
}

func TestParquetKinds(t *testing.T) {
	rows := []kinds{
		{Body: "x", S: "good", I: -3, F: 1.5, D: 0.1, B: true, Tags: []string{"a", "b"}},
		{Body: "y", S: "bad", I: 4, F: 2, D: 1e300},
	}
	file := put(t, "a.parquet", fixture.Parquet(t, 7, rows))
	for label, want := range map[string][]string{
		"s": {"good|x", "bad|y"}, "i": {"-3|x", "4|y"}, "f": {"1.5|x", "2|y"}, "d": {"0.1|x", "1e+300|y"}, "b": {"true|x", "false|y"},
	} {
		_, got := must.Get2(read(file, tables.Options{Columns: [tables.Roles]string{tables.Label: label}}))(t)
		assert.Equal(t, want, got)
	}
	for _, c := range []struct{ text, label, want string }{
		{"i", "s", `column "i": holds INT32, not text`},
		{"nested", "s", `there is no column "nested"`},
		{"tags", "s", `Nested columns cannot be read: "nested", "tags"`},
		{"body", "id", "neither text nor numbers"},
		{"body", "", "cannot find the label column: "},
	} {
		_, _, err := read(file, tables.Options{Columns: [tables.Roles]string{c.text, c.label}})
		assert.ErrorContains(t, err, c.want)
		assert.ErrorContains(t, err, file)
	}
}

func TestParquetTruncated(t *testing.T) {
	b := fixture.Parquet(t, 7, []hugging{hug("One", 1), hug("Two", 0)})
	dir := t.TempDir()
	for n := 4; n < len(b); n += fixture.Every(4) {
		file := fixture.Put(t, dir, "a.parquet", b[:n])
		_, _, err := read(file, tables.Options{})
		assert.ErrorContains(t, err, file)
		assert.ErrorContains(t, err, "get it again")
	}
}

// withoutChecksums returns a file whose pages have no checksums, as most programs write them: the field
// becomes a zero of the same length.
func withoutChecksums(t testing.TB, b []byte) []byte {
	b = bytes.Clone(b)
	f := must.Get(parquet.OpenFile(bytes.NewReader(b), int64(len(b))))(t)
	protocol := thrift.CompactProtocol{}
	for _, g := range f.Metadata().RowGroups {
		for _, c := range g.Columns {
			at, m := c.MetaData.DataPageOffset, c.MetaData
			if m.DictionaryPageOffset != 0 {
				at = m.DictionaryPageOffset
			}
			for end := at + m.TotalCompressedSize; at < end; {
				var h format.PageHeader
				in := bytes.NewReader(b[at:])
				require.NoError(t, thrift.NewDecoder(protocol.NewReader(in)).Decode(&h))
				head := b[at : len(b)-in.Len()]
				if crc := binary.AppendVarint(nil, int64(h.CRC)); h.CRC != 0 {
					i := bytes.Index(head, crc)
					copy(head[i:], append(bytes.Repeat([]byte{0x80}, len(crc)-1), 0))
				}
				at += int64(len(head)) + int64(h.CompressedPageSize)
			}
		}
	}
	return b
}

// seeds are files in every encoding and compression, without checksums.
func seeds(t testing.TB) (files [][]byte) {
	type row struct {
		Text   string  `parquet:"text,delta"`
		Dict   string  `parquet:"dict,dict,optional"`
		Shared string  `parquet:"shared,optional"`
		Label  int64   `parquet:"label,delta,optional"`
		Flag   bool    `parquet:"flag"`
		Split  float64 `parquet:"score,split"`
	}
	var rows []row
	for i := range 60 {
		text := strings.Repeat("word ", i/2)
		rows = append(rows, row{text, text, text, int64(i % 2), i%2 == 0, float64(i)})
	}
	for i, codec := range codecs {
		files = append(files, withoutChecksums(t, fixture.Parquet(t, 7, rows, parquet.Compression(codec), parquet.DataPageVersion(1+i%2),
			parquet.DefaultEncodingFor(parquet.ByteArray, &parquet.DeltaByteArray))))
	}
	return files
}

// A damaged bit takes neither much memory nor the program, also without checksums.
func TestParquetCorrupt(t *testing.T) {
	dir := t.TempDir()
	random := rand.New(rand.NewPCG(1, 2))
	for _, b := range seeds(t) {
		for range 150 / fixture.Every(5) {
			bad := bytes.Clone(b)
			bad[random.IntN(len(bad))] ^= byte(1 << random.IntN(8))
			file := fixture.Put(t, dir, "a.parquet", bad)
			for _, text := range []string{"text", "dict", "shared"} {
				readDamaged(t, file, tables.Options{Columns: [tables.Roles]string{text, []string{"label", "flag", "score"}[random.IntN(3)]}})
			}
		}
	}
}

// readDamaged reads a file that may be damaged.
func readDamaged(t testing.TB, file string, o tables.Options) {
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	_, _, err := read(file, o)
	runtime.ReadMemStats(&after)
	assert.Less(t, after.TotalAlloc-before.TotalAlloc, uint64(64<<20), "bytes are asked for")
	if err != nil {
		assert.ErrorContains(t, err, file)
	}
}

// A damaged bit in a page with a checksum is found.
func TestParquetChecksum(t *testing.T) {
	b := fixture.Parquet(t, 7, []hugging{hug("One", 1), hug("Two", 0)}, parquet.Compression(&parquet.Uncompressed), parquet.DataPageStatistics(false))
	b[bytes.Index(b, []byte("Two"))] ^= 1
	_, _, err := read(put(t, "a.parquet", b), tables.Options{})
	assert.ErrorContains(t, err, "damaged")
}

// A page that unpacks to more than it announces, and one that announces too much.
func TestParquetBomb(t *testing.T) {
	rows := []hugging{hug(strings.Repeat("x", 1<<20), 1)}
	file := put(t, "a.parquet", fixture.Parquet(t, 7, rows, parquet.Compression(&parquet.Gzip), parquet.DataPageStatistics(false)))
	_, _, err := read(file, tables.Options{Limits: dataset.Limits{ReviewBytes: 1 << 18}})
	assert.ErrorContains(t, err, `row 1, column "text": has a page of`)
	_, _, err = read(file, tables.Options{Limits: dataset.Limits{ReviewBytes: 600_000}})
	assert.ErrorContains(t, err, "longer than 600000 bytes")
}

// Other Parquet files are no IMDB: the error names them.
func TestOtherParquet(t *testing.T) {
	type row struct {
		Text  string `parquet:"text"`
		Label int64  `parquet:"label"`
	}
	dir := t.TempDir()
	for want, rows := range map[string][]row{
		"its 2 texts are not those of IMDB's train, test or unsupervised file": {{"good", 1}, {"bad", 0}},
		`the label "5" is none of IMDB's. Your own reviews need a name`:        {{"good", 5}},
	} {
		file := fixture.Put(t, dir, "train.parquet", fixture.Parquet(t, 2, rows))
		require.Equal(t, []string{file}, imdb.HubFiles(dir))
		_, err := imdb.OpenHub(ctx, imdb.HubFiles(file), nil)
		assert.ErrorContains(t, err, file)
		assert.ErrorContains(t, err, want)
	}
	_, err := imdb.OpenHub(ctx, nil, nil)
	assert.ErrorContains(t, err, "IMDB's Parquet file train is missing")
}
