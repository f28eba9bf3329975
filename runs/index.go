package runs

import (
	"encoding/json"
	"errors"
	"io/fs"
	"maps"
	"path/filepath"
	"slices"
	"strconv"
	"time"

	"imdbexp/internal/fsx"
	"imdbexp/runs/index"
)

// IndexFile is the name, in a folder of runs, of the file that keeps what was read of them.
const IndexFile = ".index"

// indexVersion is raised when Open checks or keeps something else of the files of a run
// than before: what an older program has read is then read again.
const indexVersion = "2"

// indexed are the files of which the index keeps what was read. Of each other file a run
// has no more than the name.
var indexed = []string{configFile, CheckpointFile(Last), environmentFile, MetricsFile, TestedFile}

// worthKeeping is how many runs have to be read anew until the index is written: to read
// fewer takes less time than to write it.
const worthKeeping = 32

// settling is how long a file has to be unchanged until what was read of it is kept: within
// what the clock of a file system can tell apart, a second change would not show.
var settling = 2 * time.Second

// Index opens runs, those that have not changed since they were last read without reading
// them. It is a cache (see docs/reliability.md) and not safe for several goroutines.
type Index struct {
	dir     string
	known   *index.Table
	configs map[string]*Config // by their text
	row     []string           // that is being decoded
	still   []index.Row        // of runs that it knew, without their texts
	read    []readRun
}

// readRun is a run that had to be read.
type readRun struct {
	run        *Run
	key, stamp string
}

// OpenIndex returns the index of a folder of runs, which may be missing.
func OpenIndex(dir string) *Index {
	return &Index{dir: dir, known: index.Read(fsx.In(dir), IndexFile, indexVersion), configs: map[string]*Config{}}
}

// Open is the function Open for the run NAME/ID of the folder.
func (x *Index) Open(name, id string) (*Run, error) {
	files, err := fsx.In(x.dir, name, id).Look(ownFiles...)
	return x.open(name, id, files, err)
}

// OpenAll opens runs of one name, walking to their folder once.
func (x *Index) OpenAll(name string, ids []string, each func(path string, r *Run, err error)) {
	done := 0
	_ = fsx.In(x.dir, name).LookEach(ids, ownFiles, func(id string, files []fs.FileInfo, err error) {
		done++
		r, err := x.open(name, id, files, err)
		each(filepath.Join(x.dir, name, id), r, err)
	})
	for _, id := range ids[done:] { // the folder cannot be opened: each run tells
		r, err := x.Open(name, id)
		each(filepath.Join(x.dir, name, id), r, err)
	}
}

// open opens a run by what was seen of its files.
func (x *Index) open(name, id string, files []fs.FileInfo, err error) (*Run, error) {
	path := filepath.Join(x.dir, name, id)
	if err != nil {
		return Open(path) // which tells
	}
	key, stamp := name+"/"+id, stampOf(files)
	if texts, ok := x.known.Get(x.row[:0], key, stamp); ok {
		x.row = texts
		if r, ok := x.decode(path, texts); ok {
			x.still = append(x.still, index.Row{Key: key, Stamp: stamp})
			r.size = sizeOf(files)
			return r, nil
		}
	}
	r, err := Open(path)
	if err != nil {
		return nil, err
	}
	r.size = sizeOf(files)
	if settled := time.Now().Add(-settling); !slices.ContainsFunc(files, func(f fs.FileInfo) bool { return f != nil && fsx.Changed(f).After(settled) }) {
		x.read = append(x.read, readRun{r, key, stamp})
	}
	return r, nil
}

// Save keeps what was read by Open, if it is worth it, and forgets the runs that Open was not
// asked for. Where it cannot be written nothing is lost.
func (x *Index) Save() {
	if len(x.read) < worthKeeping {
		return
	}
	var rows []index.Row
	for _, r := range x.read {
		if texts, ok := encodeRun(r.run); ok {
			rows = append(rows, index.Row{Key: r.key, Stamp: r.stamp, Texts: texts})
		}
	}
	if len(rows) < worthKeeping {
		return
	}
	for _, r := range x.still {
		r.Texts, _ = x.known.Get(nil, r.Key, r.Stamp)
		rows = append(rows, r)
	}
	_ = index.Write(fsx.In(x.dir), IndexFile, indexVersion, rows)
}

// stampOf joins what tells whether a run's files have changed, of all of ownFiles.
func stampOf(files []fs.FileInfo) string {
	var b []byte
	for i, name := range ownFiles {
		if slices.Contains(indexed, name) {
			b = fsx.AppendStamp(b, files[i])
		}
	}
	return string(b)
}

// encodeRun returns what Open has read of a run, and its Ends, as texts. A run of which
// something is missing or damaged has none: it is read each time.
func encodeRun(r *Run) (texts []string, ok bool) {
	if r.Status.State == Created || r.Status.State == Damaged {
		return nil, false
	}
	ends, err := r.Ends()
	if err != nil {
		return nil, false
	}
	c := r.Config
	c.ID, c.Digest, c.Lineage, c.Settings = "", "", "", nil // so that it is the same of many
	text, err := json.Marshal(c)
	started := ""
	if len(r.sessions) > 0 {
		started = r.Time().Format(time.RFC3339Nano)
	}
	texts = []string{string(text), r.Config.Digest, r.Config.Lineage, started}
	for _, m := range []*Metrics{ends.Last, ends.Chosen, ends.Oracle} {
		line, e := json.Marshal(m)
		err = errors.Join(err, e)
		texts = append(texts, string(line))
	}
	meta := r.progress.metadata(&r.checkpoint)
	texts = append(texts, strconv.Itoa(len(meta)))
	for _, k := range slices.Sorted(maps.Keys(meta)) {
		texts = append(texts, k, meta[k])
	}
	for _, s := range r.Config.Settings {
		texts = append(texts, s.Key, s.Value)
	}
	return texts, err == nil
}

// decode makes the run again of what encodeRun returned. False is something that it did
// not: another program of the same version would have had to write it.
func (x *Index) decode(path string, texts []string) (*Run, bool) {
	const fixed = 8
	if len(texts) < fixed {
		return nil, false
	}
	c, known := x.configs[texts[0]]
	if !known {
		c = new(Config)
		if json.Unmarshal([]byte(texts[0]), c) != nil {
			return nil, false
		}
		x.configs[texts[0]] = c
	}
	r := &Run{Path: path, Config: *c, ends: slices.Clone(texts[4:7])}
	r.Config.From, r.Config.Digests = maps.Clone(c.From), maps.Clone(c.Digests)
	r.Config.Digest, r.Config.Lineage = texts[1], texts[2]
	if !isHex(r.Config.Digest, 64) {
		return nil, false
	}
	r.Config.ID = r.Config.Digest[:idDigits]
	if texts[3] != "" {
		started, err := time.Parse(time.RFC3339Nano, texts[3])
		if err != nil {
			return nil, false
		}
		r.sessions = []Environment{{Started: started}} // all that Time needs; others read the file
	}
	n, err := strconv.Atoi(texts[7])
	rest := texts[fixed:]
	if err != nil || n < 0 || 2*n > len(rest) || len(rest)%2 != 0 {
		return nil, false
	}
	meta := make(map[string]string, n)
	for i := range n {
		meta[rest[2*i]] = rest[2*i+1]
	}
	rest = rest[2*n:]
	r.Config.Settings = make(Values, len(rest)/2)
	for i := range r.Config.Settings {
		r.Config.Settings[i] = Value{rest[2*i], rest[2*i+1]}
	}
	if r.progress, err = parseProgress(meta, &r.checkpoint); err != nil {
		return nil, false
	}
	r.Status = Status{State: r.progress.state, Epoch: r.checkpoint.Epoch, Epochs: r.Config.Epochs(), Message: r.progress.message}
	return r, true
}

// parseEnds reads what encodeRun wrote of Ends.
func parseEnds(lines []string) (e Ends, err error) {
	to := []**Metrics{&e.Last, &e.Chosen, &e.Oracle}
	for i, line := range lines {
		if j := slices.Index(lines[:i], line); j >= 0 { // often they are the same
			*to[i] = *to[j]
			continue
		}
		err = errors.Join(err, json.Unmarshal([]byte(line), to[i]))
	}
	return e, err
}
