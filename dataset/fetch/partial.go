package fetch

import (
	"encoding/json"
	"errors"
	"path/filepath"

	"imdbexp/internal/fsx"
)

const partSuffix = ".part"

// origin names the file on the server, and its bytes that a partial file holds.
type origin struct {
	URL    string `json:"url"`
	Total  int64  `json:"total"`  // size of the file on the server, −1 unknown
	Start  int64  `json:"start"`  // of the bytes to fetch, [Start, Start+Length)
	Length int64  `json:"length"` // −1: to the end
	CRC    uint32 `json:"crc"`    // of a zip's member
}

// partial is a file that is being fetched. The bytes of the server follow a prefix.
type partial struct {
	path   string
	prefix []byte
	from   origin
	have   int64 // bytes from the server in the file
	inside bool  // the bytes are a member of a zip; its place is known once from.Length is
	o      Options

	best int64 // most bytes there were after any attempt
}

func (p *partial) sidecar() string { return p.path + ".json" }

// at returns the folder of a file that is being fetched, and the file's name in it.
func at(path string) (fsx.Dir, string) {
	dir, name := filepath.Dir(path), filepath.Base(path)
	return fsx.In(filepath.Dir(dir), filepath.Base(dir)), name
}

// want returns how many bytes there will be, −1 while that is unknown.
func (p *partial) want() int64 {
	if p.from.Length < 0 && p.from.Total >= 0 {
		return p.from.Total - p.from.Start
	}
	return p.from.Length
}

// resume continues what an earlier transfer of the same bytes left, if there is any.
func (p *partial) resume() {
	d, sidecar := at(p.sidecar())
	b, err := d.ReadFile(sidecar, 1<<16)
	if err != nil {
		return
	}
	var was origin
	info, err := d.Lstat(filepath.Base(p.path))
	if err != nil || json.Unmarshal(b, &was) != nil {
		return
	}
	size := info.Size() - int64(len(p.prefix))
	now := p.from
	if now.Length < 0 { // the server has not described the file yet
		now.Total = was.Total
	}
	if size < 0 || now != was {
		return
	}
	p.from = was
	if w := p.want(); w >= 0 { // the trailer of gzip follows
		size = min(size, w)
	}
	p.have = size
}

// begin makes the partial file empty and records the origin of its bytes.
func (p *partial) begin() error {
	p.have = 0
	if err := p.remove(); err != nil {
		return err
	}
	d, name := at(p.path)
	if err := d.WriteBytes(name, p.prefix); err != nil {
		return err
	}
	b, err := json.Marshal(p.from)
	if err != nil {
		return err
	}
	return d.WriteBytes(filepath.Base(p.sidecar()), append(b, '\n'))
}

func (p *partial) appender() (*fsx.Appender, error) {
	d, name := at(p.path)
	return d.Append(name, int64(len(p.prefix))+p.have)
}

// remove removes the file. The record of its origin goes first: a file without one is
// never continued.
func (p *partial) remove() error {
	d, name := at(p.path)
	return errors.Join(d.Remove(filepath.Base(p.sidecar())), d.Remove(name))
}

// rename gives a whole file its name.
func (p *partial) rename(path string) error {
	d, from := at(p.path)
	if err := d.Rename(from, filepath.Base(path)); err != nil {
		return err
	}
	return d.Remove(filepath.Base(p.sidecar()))
}
