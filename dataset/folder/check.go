package folder

import (
	"context"
	"path/filepath"

	"imdbexp/dataset"
)

// Checked is the result of checking an item.
type Checked struct {
	Item
	Digest    string // of the content as it is now
	Recorded  string // when it was added; "" if unknown
	Published string // as published; "" if unknown
	Err       error  // set if it cannot be read, or has changed since it was added
}

// Check reads everything that is installed, without the cache, and compares the digests with
// the recorded ones. It calls hear for each item and returns the error of the first damaged one.
func Check(ctx context.Context, dir string, o Options, hear func(Checked)) error {
	items, err := Installed(dir)
	if err != nil {
		return err
	}
	noted, err := Records(dir)
	if err != nil {
		return err
	}
	var first error
	for _, i := range items {
		c := Checked{Item: i, Published: dataset.Published(i.Name), Recorded: noted[filepath.Base(i.Path)].Digests[i.Name]}
		c.Digest, c.Err = contentDigest(ctx, dir, i, o)
		if ctx.Err() != nil {
			return ctx.Err()
		}
		if c.Err == nil && c.Recorded != "" && c.Digest != c.Recorded {
			c.Err = &ContentError{i.Path, i.Name, c.Recorded, c.Digest}
		}
		hear(c)
		if first == nil {
			first = c.Err
		}
	}
	return first
}

// contentDigest reads an item and returns its digest.
func contentDigest(ctx context.Context, dir string, i Item, o Options) (string, error) {
	found := Found{Kind: i.Kind, Name: i.Name}
	if i.Kind == VectorsKind {
		path, member, err := findVectors(dir, i.Name)
		if err != nil {
			return "", err
		}
		i.Path, found.members = path, []string{member}
	}
	a, sorted, err := content(ctx, dir, found, i.Path, i.Path, o)
	if sorted != nil {
		err = sorted.Close()
	}
	return a.Digest, err
}
