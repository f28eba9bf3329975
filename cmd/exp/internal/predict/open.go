package predict

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"os"
	"slices"
	"strings"

	"imdbexp/cmd/exp/internal/cli"
	"imdbexp/cmd/exp/internal/modelview"
	"imdbexp/internal/infer"
)

// readable checks the name of a file before the model is opened.
func readable(a *cli.App, ref, file string) error {
	_, err := os.Stat(file)
	switch {
	case !errors.Is(err, os.ErrNotExist):
		return err
	case file == "" || strings.Contains(file, " "):
		return cli.Usage(fmt.Errorf("%q is not a file. For a text: echo … | %s, or %s", modelview.Shorten(file), a.Command("predict", ref, "-"), a.Command("attend", ref, cmp.Or(file, "…"))))
	case slices.Contains(append(a.DataChoices("data"), "imdb"), file):
		return fmt.Errorf("there is no file %s; for the data set use data=%[1]s", file)
	}
	return err
}

// lookUp looks up unknown words unless --no-lookup is given, and records the vectors used.
func (p *predicting) lookUp(ctx context.Context) {
	if p.o.noLookup {
		return
	}
	switch found, absent := modelview.LookUp(ctx, p.App, &p.run.Config, p.model); {
	case found:
		p.looked = infer.Pretrained(&p.run.Config)
	case absent:
		p.absent = infer.Pretrained(&p.run.Config)
	}
}
