package data

import (
	"cmp"
	"context"
	"errors"
	"fmt"
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
	url      string
	checksum string
	sum      fetch.Checksum // the flag, parsed
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
  exp data fetch imdb --url https://mirror.example/aclImdb_v1.tar.gz`,
		Args:              fetchArgs,
		ValidArgsFunction: cobra.FixedCompletions(fetched, cobra.ShellCompDirectiveNoFileComp),
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
	f.StringVar(&o.url, "url", "", "address of the archive (minimal: of the folder of its files), instead of its authors' or $EXP_MIRROR's")
	f.StringVar(&o.checksum, "checksum", "", "SHA-256 or MD5 of an archive other than the published one; for glove the SHA-256 of the vectors' text")
	return cmd
}

// fetched are the names of what can be fetched.
var fetched = []string{"imdb", "glove", fetch.MinimalName}

func fetchArgs(_ *cobra.Command, names []string) error {
	for i, n := range names {
		if !slices.Contains(fetched, n) {
			return fmt.Errorf("fetch %q%s: only imdb, glove and minimal can be fetched; exp data add takes files", n, settings.Nearest(n, fetched))
		}
		if slices.Contains(names[:i], n) {
			return fmt.Errorf("fetch %s: named twice", n)
		}
	}
	return nil
}

// check refuses flags that contradict each other, and parses the checksum.
func (o *fetchOptions) check(names []string, dimGiven bool) (err error) {
	switch {
	case !slices.Contains(folder.GloveDims, o.dim):
		return fmt.Errorf("--dim %d: GloVe has vectors of 50, 100, 200 or 300 dimensions", o.dim)
	case dimGiven && !slices.Contains(names, "glove"):
		return errors.New("--dim is for glove: exp data fetch glove --dim 100")
	case len(names) > 1 && o.url != "":
		return errors.New("--url is the address of one archive: name imdb or glove; $EXP_MIRROR is for both")
	case o.checksum == "":
		return nil
	case len(names) > 1 || names[0] == fetch.MinimalName:
		return errors.New("--checksum is that of one archive: name imdb or glove")
	}
	o.sum, err = fetch.ParseChecksum(o.checksum)
	return err
}

// fetchOne installs imdb, glove or minimal unless it is installed.
func fetchOne(ctx context.Context, a *cli.App, dir, name string, o fetchOptions) error {
	archive := map[string]fetch.Archive{"imdb": fetch.IMDBArchive, "glove": fetch.GloVeArchive, fetch.MinimalName: fetch.MinimalFiles[0]}[name]
	address, err := archive.Address(o.url, os.Getenv("EXP_MIRROR"))
	if err != nil {
		return cli.Usage(err)
	}
	var pairs folder.ProbeAdded
	bar := progress.NewBar(a.IO)
	defer bar.Stop()
	say := func(format string, args ...any) {
		bar.Println(a.IO.Out, a.Wrap(name+": "+fmt.Sprintf(format, args...), "", "  "))
	}
	r := fetch.Request{URL: address, Checksum: o.sum, Open: folder.Options{Warn: a.Warn, Progress: bar.Reading}}
	r.Options.Progress = func(done, total int64) {
		text := format.Bytes(done)
		if total >= 0 { // it is known
			text += " of " + format.Bytes(total)
		}
		bar.SetOrSay(done, max(done, total), name, text, murmur, name+": "+text)
	}
	r.Options.Retry = func(err error, wait time.Duration) {
		next := "fetching the whole file"
		if wait > 0 {
			next = fmt.Sprintf("trying again in %v", wait)
		}
		say("%v; %s", err, next)
	}
	say("fetching from %s", address)
	var added folder.Added
	switch name {
	case "imdb":
		added, err = fetch.IMDB(ctx, dir, r)
	case "glove":
		added, err = fetch.GloVe(ctx, dir, o.dim, r)
	default:
		r.URL = cmp.Or(o.url, os.Getenv("EXP_MIRROR")) // a folder
		pairs, err = fetch.Minimal(ctx, dir, fetch.MinimalFiles, r)
		added = pairs.Added
	}
	bar.Stop()
	if there, ok := errors.AsType[*fetch.InstalledError](err); ok {
		a.Say(fmt.Sprintf("%v; to fetch it again, first: %s", there, a.Command("data", "remove", there.Name)), "", "  ")
		return nil
	}
	if cli.Done(ctx, err) {
		fmt.Fprintf(a.IO.Err, "exp: interrupted; the download is kept. Continue: %s\n", cli.CommandLine(a.Args...))
		return cli.Reported(err)
	}
	if e, ok := errors.AsType[*fetch.Error](err); ok && e.Unreached() {
		return fmt.Errorf("%w. If the server cannot be reached, use a mirror (--url or $EXP_MIRROR), or copy %s here and give it to exp data add", err, archive.File)
	}
	if err != nil {
		return err
	}
	a.Say(addedLine(added), "", "  ")
	if pairs.Probe != nil {
		probeTable(pairs.Probe).Text(a.IO, "  ")
	}
	return nil
}

// murmur is the longest time without a line about a download in a pipe.
const murmur = 15 * time.Second
