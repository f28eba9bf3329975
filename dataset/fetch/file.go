package fetch

import (
	"context"
	"os"

	"imdbexp/internal/fsx"
)

// File fetches url to path and checks it; the zero checksum accepts any. What
// an earlier call left in path.part is continued. A file at path is not fetched
// again if its checksum is right.
func File(ctx context.Context, url, path string, want Checksum, o Options) error {
	o = o.withDefaults()
	if _, err := os.Stat(path); err == nil {
		err := verify(ctx, path, url, want)
		if err == nil || ctx.Err() != nil {
			return err
		}
		if err := fsx.RemoveFile(path); err != nil {
			return err
		}
	}
	p := &partial{path: path + ".part", from: origin{URL: url, Total: -1, Length: -1}}
	p.resume()
	t := &transfer{partial: p, o: o}
	if err := t.run(ctx); err != nil {
		return err
	}
	if err := verify(ctx, p.path, url, want); err != nil {
		if ctx.Err() == nil {
			_ = p.remove() // the checksum's error says more
		}
		return err
	}
	return p.rename(path)
}

// rename gives a whole file its name.
func (p *partial) rename(path string) error {
	d, from := at(p.path)
	_, to := at(path)
	if err := d.Rename(from, to); err != nil {
		return err
	}
	return fsx.RemoveFile(p.sidecar())
}
