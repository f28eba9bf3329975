package predict

import (
	"context"
	"errors"
	"fmt"
	"os"
	"slices"
	"strings"

	"imdbexp/cmd/exp/internal/cli"
	"imdbexp/cmd/exp/internal/infer"
	"imdbexp/cmd/exp/internal/modelview"
	"imdbexp/runs"
)

// readable checks the name of a file before the model is opened.
func readable(a *cli.App, ref, file string) error {
	_, err := os.Stat(file)
	switch {
	case file == "":
		return cli.Usage(fmt.Errorf("the name of the file is empty; standard input is -: %s", a.Command("predict", ref, "-")))
	case errors.Is(err, os.ErrNotExist) && strings.HasPrefix(file, "beam="): // as exp run takes it
		return cli.Usage(fmt.Errorf("%s is not a file; use --beam %s", file, strings.TrimPrefix(file, "beam=")))
	case errors.Is(err, os.ErrNotExist) && strings.ContainsAny(file, " \t\n"):
		predict := a.Command("predict", ref, "-")
		if run, err := a.RunOf(ref); err == nil && run.Config.Task() == runs.Pairs { // not all of these have attention
			return cli.Usage(fmt.Errorf("%q is not a file. To translate a sentence: echo %s | %s", modelview.Shorten(file), cli.Quoted(file), predict))
		}
		return cli.Usage(fmt.Errorf("%q is not a file. For one text: %s; for one text a line: echo … | %s", modelview.Shorten(file),
			a.Command("attend", ref, file), predict))
	case errors.Is(err, os.ErrNotExist) && slices.Contains(append(a.DataChoices("data"), "imdb"), file):
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
