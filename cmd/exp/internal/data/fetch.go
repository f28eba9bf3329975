package data

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"os"
	"slices"

	"github.com/spf13/cobra"

	"imdbexp/cmd/exp/internal/cli"
	"imdbexp/dataset/fetch"
	"imdbexp/dataset/folder"
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
		Long: `Download the published data into the data folder: IMDB's reviews (84 MB) and GloVe's
vectors, both if you name none. Of GloVe's archive (862 MB) only the vectors of the
given dimension are fetched. minimal is the probe of minimal pairs of IMDB's reviews
for exp probe: 2 440 rewritings (Kaushik et al. 2020) and 588 contrast sets (Gardner
et al. 2020), from their authors' repositories. An interrupted download continues where
it stopped. Everything is checked before it is installed.

$EXP_MIRROR is the address of a folder with aclImdb_v1.tar.gz and glove.6B.zip:
EXP_MIRROR=https://mirror.example exp data fetch. For minimal it has cad_dev_paired.tsv,
cad_test_paired.tsv, cad_train_paired.tsv, cs_dev_original.tsv, cs_dev_contrast.tsv,
cs_test_original.tsv and cs_test_contrast.tsv, and so has the folder of --url.
$HTTP_PROXY, $HTTPS_PROXY and $NO_PROXY are used.`,
		Example: `  exp data fetch
  exp data fetch glove --dim 300
  exp data fetch minimal
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
	case o.checksum != "" && (len(names) > 1 || names[0] == fetch.MinimalName):
		return errors.New("--checksum is that of one archive: name imdb or glove")
	}
	if o.checksum == "" {
		return nil
	}
	o.sum, err = fetch.ParseChecksum(o.checksum)
	if err == nil && names[0] == "glove" && len(o.sum) != 64 {
		err = errors.New("--checksum: for glove give the SHA-256 of the text, 64 hexadecimal digits")
	}
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
	show := newArrival(a.IO, name)
	defer show.bar.Stop()
	r := fetch.Request{
		URL: address, Checksum: o.sum,
		Options: fetch.Options{Progress: show.progress, Retry: show.retry},
		Open:    folder.Options{Warn: a.Warn, Progress: show.reading},
	}
	show.println("%s: fetching from %s", name, address)
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
	show.bar.Stop()
	if there, ok := errors.AsType[*fetch.InstalledError](err); ok {
		a.Say(fmt.Sprintf("%v; to fetch it again, first: %s", there, a.Command("data", "remove", there.Name)), "", "  ")
		return nil
	}
	if cli.Done(ctx, err) {
		fmt.Fprintf(a.IO.Err, "exp: interrupted; the download is kept. Continue: %s\n", cli.CommandLine(a.Args...))
		return cli.Reported(err)
	}
	if e, ok := errors.AsType[*fetch.Error](err); ok && e.Unreached() {
		add := []string{"data", "add", archive.File}
		if name == fetch.MinimalName {
			add = []string{"data", "add", "--probe", "--name", name}
			for _, f := range fetch.MinimalFiles {
				add = append(add, f.File)
			}
		}
		return fmt.Errorf("%w. If the server cannot be reached, use a mirror (--url or $EXP_MIRROR), or add a copy: %s", err, a.Command(add...))
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
