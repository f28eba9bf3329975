package fetch

import (
	"encoding/json"
	"errors"
	"path/filepath"

	"imdbexp/internal/fsx"
)

// origin says which bytes of which file a partial file holds.
type origin struct {
	URL       string `json:"url"`
	Validator string `json:"validator"` // ETag or time of change, for If-Range; "" if the server gives neither
	Total     int64  `json:"total"`     // size of the file on the server, −1 unknown
	Start     int64  `json:"start"`     // the part wanted, [Start, Start+Length)
	Length    int64  `json:"length"`    // −1: to the end
	CRC       uint32 `json:"crc"`       // of a zip's member
}

// partial is a file that is being fetched: what lies at path, after a prefix
// that does not come from the server.
type partial struct {
	path   string
	prefix []byte
	from   origin
	have   int64 // bytes from the server that the file holds
}

func (p *partial) sidecar() string { return p.path + ".json" }

// at is the folder of a file that is being fetched, which is no link, and the file's name.
func at(path string) (fsx.Dir, string) {
	dir, name := filepath.Dir(path), filepath.Base(path)
	return fsx.In(filepath.Dir(dir), filepath.Base(dir)), name
}

// want returns how many bytes are wanted in all, −1 while that is unknown.
func (p *partial) want() int64 {
	if p.from.Length < 0 && p.from.Total >= 0 {
		return p.from.Total - p.from.Start
	}
	return p.from.Length
}

// resume takes over what an earlier transfer of the same bytes left, or else
// starts with nothing.
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
	if now.Length < 0 { // what the server says about the file is not known yet
		now.Validator, now.Total = was.Validator, was.Total
	}
	if size < 0 || now != was {
		return
	}
	p.from = was
	if w := p.want(); w >= 0 { // what follows is the trailer of gzip
		size = min(size, w)
	}
	p.have = size
}

// begin makes the partial file empty and notes where its bytes will come from.
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

// appender continues the partial file.
func (p *partial) appender() (*fsx.Appender, error) {
	d, name := at(p.path)
	return d.Append(name, int64(len(p.prefix))+p.have)
}

// remove throws away what there is. The description goes first: a partial file
// without one is never continued.
func (p *partial) remove() error {
	d, name := at(p.path)
	return errors.Join(d.Remove(filepath.Base(p.sidecar())), d.Remove(name))
}
