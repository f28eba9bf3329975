package imdb

import (
	"archive/tar"
	"context"
	"io"

	"github.com/klauspost/compress/gzip"

	"imdbexp/dataset"
)

// Pack writes the reviews of a folder as the archive that Open reads,
// the same bytes for the same reviews.
func Pack(ctx context.Context, src dataset.Source, out io.Writer) error {
	z, err := gzip.NewWriterLevel(out, gzip.BestSpeed)
	if err != nil {
		return err
	}
	t := tar.NewWriter(z)
	err = src.Reviews(ctx, func(_ dataset.Part, r dataset.Review) error {
		h := &tar.Header{Typeflag: tar.TypeReg, Name: "aclImdb/" + r.ID + ".txt", Mode: 0o644, Size: int64(len(r.Text))}
		if err := t.WriteHeader(h); err != nil {
			return err
		}
		_, err := io.WriteString(t, r.Text)
		return err
	})
	if err != nil {
		return err
	}
	if err := t.Close(); err != nil {
		return err
	}
	return z.Close()
}
