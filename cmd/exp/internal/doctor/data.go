package doctor

import (
	"context"
	"fmt"
	"strings"

	"imdbexp/cmd/exp/internal/data"
	"imdbexp/cmd/exp/internal/progress"
	"imdbexp/dataset/folder"
	"imdbexp/internal/format"
)

func (d *doctor) dataFolder() {
	dir, err := d.Data()
	if err != nil {
		d.tell(wrong, "data folder", err.Error())
		return
	}
	d.folder("data folder", dir, doubtful, "Name another one with --data-dir or $EXP_DATA; without a cache each run reads everything again")
}

// forPublished is the data of the published runs: name, the argument of exp data fetch, and its
// size.
var forPublished = [][3]string{{"imdb", "imdb", "84 MB"}, {"glove50", "glove", "69 MB"}}

// installed reads everything that is installed, or only lists it with quick, and reports what the
// published runs lack. It returns an error only if the context ends.
func (d *doctor) installed(ctx context.Context) error {
	dir, err := d.Data()
	if err != nil {
		return nil // dataFolder reports it
	}
	items, err := folder.Installed(dir)
	if err != nil {
		d.tell(wrong, "data", err.Error())
		return nil
	}
	have := map[string]bool{}
	for _, i := range items {
		have[i.Name] = true
		if d.quick {
			d.tell(good, kindOf(i), fmt.Sprintf("%s, %s; not read (--quick)", i.Name, format.Bytes(i.Bytes)))
		}
	}
	if !d.quick {
		if err := d.intact(ctx, dir); err != nil {
			return err
		}
	}
	for _, w := range forPublished {
		if !have[w[0]] {
			d.tell(doubtful, "data", fmt.Sprintf("%s is not installed: runs use the sample, whose numbers are not comparable with the published ones. Run: %s (%s)",
				w[0], d.Command("data", "fetch", w[1]), w[2]))
		}
	}
	return nil
}

func (d *doctor) intact(ctx context.Context, dir string) error {
	reading, _, stop := progress.Watching(d.IO)
	defer stop()
	told := false
	o := folder.Options{Warn: func(error) {}, Progress: reading} // the checks below report it
	err := folder.Check(ctx, dir, o, func(c folder.Checked) {
		stop()
		told = true
		h := good
		switch {
		case c.Err != nil:
			h = wrong
		case c.Published != "" && c.Digest != c.Published:
			h = doubtful
		}
		d.tell(h, kindOf(c.Item), strings.TrimPrefix(data.Checked(d.App, c), kindOf(c.Item)+"="))
	})
	if ctx.Err() != nil {
		return ctx.Err()
	}
	if err != nil && !told {
		d.tell(wrong, "data", err.Error())
	}
	return nil
}

func kindOf(i folder.Item) string {
	if i.Kind == folder.VectorsKind {
		return "vectors"
	}
	return "data"
}
