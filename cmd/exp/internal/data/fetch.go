package data

import (
	"context"
	"errors"
	"fmt"
	"net/url"
	"os"
	"slices"
	"time"

	"github.com/spf13/cobra"

	"imdbexp/cmd/exp/internal/cli"
	"imdbexp/cmd/exp/internal/progress"
	"imdbexp/dataset/fetch"
	"imdbexp/dataset/folder"
	"imdbexp/internal/format"
	"imdbexp/internal/settings"
)

// fetchOptions are the flags of exp data fetch.
type fetchOptions struct {
	dim      int
	checksum string
}

func newFetch(a *cli.App) *cobra.Command {
	var o fetchOptions
	cmd := &cobra.Command{
		Use:   "fetch [imdb|glove|minimal]",
		Short: "Download IMDB (84 MB), GloVe vectors (69 MB for 50 dimensions), minimal pairs (6 MB)",
		Long: `Download the published data into the data folder: IMDB's reviews and GloVe's vectors,
both if you name none. Of GloVe's archive (862 MB) only the vectors of the given dimension
are fetched. minimal is the probe of minimal pairs of IMDB's reviews for exp probe (Kaushik
et al. 2020, Gardner et al. 2020). An interrupted download continues where it stopped.
Everything is checked before it is installed.

$EXP_MIRROR is the address of a folder with the files (aclImdb_v1.tar.gz, glove.6B.zip).
$HTTP_PROXY, $HTTPS_PROXY and $NO_PROXY are used.`,
		Example: `  exp data fetch
  exp data fetch glove --dim 300
  exp data fetch minimal`,
		Args: fetchArgs,
		RunE: func(cmd *cobra.Command, names []string) error {
			if len(names) == 0 {
				names = []string{"imdb", "glove"}
			}
			if err := o.check(names, cmd.Flags().Changed("dim")); err != nil {
				return cli.Usage(err)
			}
			dir, err := a.Data()
			if err != nil {
				return err
			}
			for _, name := range names {
				if err := fetchOne(cmd.Context(), a, dir, name, o); err != nil {
					return err
				}
			}
			return nil
		},
	}
	f := cmd.Flags()
	f.IntVar(&o.dim, "dim", 50, "dimensions of the vectors: 50, 100, 200 or 300")
	f.StringVar(&o.checksum, "checksum", "", "digest to expect instead of the published one, as printed by exp data check")
	return cmd
}

// fetched are the names of what can be fetched.
var fetched = []string{"imdb", "glove", fetch.MinimalName}

func fetchArgs(_ *cobra.Command, names []string) error {
	for _, n := range names {
		if !slices.Contains(fetched, n) {
			return fmt.Errorf("fetch %q%s: only imdb, glove and minimal can be fetched; exp data add takes files", n, settings.Nearest(n, fetched))
		}
	}
	return nil
}

// check refuses flags that contradict each other.
func (o *fetchOptions) check(names []string, dimGiven bool) error {
	switch {
	case !slices.Contains(folder.GloveDims, o.dim):
		return fmt.Errorf("--dim %d: GloVe has vectors of 50, 100, 200 or 300 dimensions", o.dim)
	case dimGiven && !slices.Contains(names, "glove"):
		return errors.New("--dim is for glove: exp data fetch glove --dim 100")
	case o.checksum != "" && len(names) > 1:
		return errors.New("--checksum is for one archive: name it")
	}
	return nil
}

// fetchOne installs imdb, glove or minimal unless it is installed.
func fetchOne(ctx context.Context, a *cli.App, dir, name string, o fetchOptions) error {
	archive := map[string]fetch.Archive{"imdb": fetch.IMDBArchive, "glove": fetch.GloVeArchive, fetch.MinimalName: fetch.MinimalFiles[0]}[name]
	mirror := os.Getenv("EXP_MIRROR")
	if u, err := url.Parse(mirror); mirror != "" && (err != nil || u.Scheme != "http" && u.Scheme != "https" || u.Host == "") {
		return cli.Usagef("$EXP_MIRROR %s: give an address such as https://mirror.example, of the folder that holds %s", mirror, archive.File)
	}
	var pairs folder.ProbeAdded
	bar := progress.NewBar(a.IO)
	defer bar.Stop()
	say := func(format string, args ...any) {
		bar.Println(a.Out, a.Wrap(name+": "+fmt.Sprintf(format, args...), "", "  "))
	}
	r := fetch.Request{Mirror: mirror, Digest: o.checksum, Open: folder.Options{Warn: a.Warn, Progress: bar.Reading}}
	r.Options.Progress = func(done, total int64) {
		text := format.Bytes(done)
		if total >= 0 { // it is known
			text += " of " + format.Bytes(total)
		}
		bar.SetOrSay(done, max(done, total), name, text, progress.Quiet, name+": "+text)
	}
	r.Options.Retry = func(err error, wait time.Duration) {
		say("%v; trying again in %v", err, wait)
	}
	say("fetching from %s", archive.At(mirror))
	var added folder.Added
	var err error
	switch name {
	case "imdb":
		added, err = fetch.IMDB(ctx, dir, r)
	case "glove":
		added, err = fetch.GloVe(ctx, dir, o.dim, r)
	default:
		pairs, err = fetch.Minimal(ctx, dir, fetch.MinimalFiles, r)
		added = pairs.Added
	}
	bar.Stop()
	if there, ok := errors.AsType[*fetch.InstalledError](err); ok {
		a.Say(fmt.Sprintf("%v; to fetch it again, first: %s", there, a.Command("data", "remove", there.Name)))
		return nil
	}
	if cli.Done(ctx, err) {
		fmt.Fprintf(a.Err, "exp: interrupted; the download is kept. Continue: %s\n", cli.CommandLine(a.Args...))
		return cli.Reported(err)
	}
	if _, ok := errors.AsType[*fetch.Error](err); ok {
		return fmt.Errorf("%w. Use a mirror ($EXP_MIRROR), or copy %s here and give it to exp data add", err, archive.File)
	}
	if err != nil {
		return err
	}
	a.Say(addedLine(added))
	if pairs.Probe != nil {
		probeTable(pairs.Probe).Text(a.IO, "  ")
	}
	return nil
}
