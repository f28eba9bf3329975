package fetch

import (
	"context"
	"os"

	"imdbexp/internal/fsx"
)

// File fetches url to path and checks it; the zero checksum accepts any content. It
// continues what an earlier call left in path.part. It does not fetch a file that exists
// at path with the right checksum.
func File(ctx context.Context, url, path string, want Checksum, o Options) error {
	if _, err := os.Stat(path); err == nil {
		if verify(path, url, want) == nil {
			return nil
		}
		if err := fsx.RemoveFile(path); err != nil {
			return err
		}
	}
	p := &partial{path: path + partSuffix, from: origin{URL: url, Total: -1, Length: -1}, o: o.withDefaults()}
	p.resume()
	if err := p.retry(ctx, p.attempt); err != nil {
		return err
	}
	if err := verify(p.path, url, want); err != nil {
		_ = p.remove() // the error of the checksum says more
		return err
	}
	return p.rename(path)
}
