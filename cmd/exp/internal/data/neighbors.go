package data

import (
	"context"
	"fmt"

	"github.com/spf13/cobra"

	"imdbexp/cmd/exp/internal/cli"
	"imdbexp/dataset/folder"
	"imdbexp/dataset/vectors"
	"imdbexp/internal/term"
)

func newNeighbors(a *cli.App) *cobra.Command {
	n, f, as := 10, vectorFlags{}, ""
	cmd := &cobra.Command{
		Use:   "neighbors VECTORS WORD…",
		Short: "Show the words with the nearest vectors",
		Long: `Show the words whose vectors are nearest to that of each word, by cosine. VECTORS is
an installed set, a file, or corpus for vectors trained on the corpus. Words joined by a separate + or - are summed, each scaled to length 1:
king - man + woman.`,
		Example:           "  exp data neighbors glove50 good awful\n  exp data neighbors glove50 king - man + woman -n 3\n  exp data neighbors corpus brilliant --data imdb",
		Args:              cli.Words(2, 0, "name the vectors and a word, such as: exp data neighbors glove50 good"),
		ValidArgsFunction: completeInstalled(a, []folder.Kind{folder.VectorsKind}, "corpus"),
		RunE: func(cmd *cobra.Command, args []string) error {
			if n < 1 {
				return cli.Usage(fmt.Errorf("-n %d: want 1 or more", n))
			}
			return neighbors(cmd.Context(), a, args[0], sums(args[1:]), n, f, as)
		},
	}
	cmd.Flags().IntVarP(&n, "number", "n", n, "number of neighbors")
	cli.FormatFlag(cmd, &as, cli.ListFormats)
	f.register(a, cmd)
	return cmd
}

// sums splits words into sums: a + or - between two words joins them.
func sums(words []string) (out [][]vectors.Term) {
	for i := 0; i < len(words); i++ {
		sum := []vectors.Term{{Word: words[i]}}
		for i+2 < len(words) && (words[i+1] == "+" || words[i+1] == "-") {
			sum = append(sum, vectors.Term{Word: words[i+2], Minus: words[i+1] == "-"})
			i += 2
		}
		out = append(out, sum)
	}
	return out
}

func spell(sum []vectors.Term) string {
	text := sum[0].Word
	for _, t := range sum[1:] {
		sign := " + "
		if t.Minus {
			sign = " - "
		}
		text += sign + t.Word
	}
	return text
}

func neighbors(ctx context.Context, a *cli.App, name string, sums [][]vectors.Term, n int, f vectorFlags, as string) error {
	v, err := openVectors(ctx, a, name, f)
	if err != nil {
		return err
	}
	space := vectors.NewSpace(v)
	found := make([][]vectors.Neighbor, len(sums))
	for i, sum := range sums { // all, before any is shown
		if found[i], err = space.Nearest(ctx, n, sum...); err != nil {
			return err
		}
	}
	t := term.NewTable(term.Column{Head: "of"}, term.Column{Head: "word"}, right("cosine", 0))
	for i, sum := range sums {
		for _, k := range found[i] {
			t.Add(spell(sum), k.Word, fmt.Sprintf("%.4f", k.Cosine))
		}
	}
	if as != "text" {
		return t.Records().Write(a.IO.Verbatim(), as)
	}
	t.Print(a.IO)
	return nil
}
