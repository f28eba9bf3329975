// Package fetch downloads published archives over HTTP into the data folder.
//
//	IMDB, GloVe  →  File, Member  →  partial           →  folder.Adopt
//	what, where     a whole file,    attempts, Range,     checks the content,
//	                a zip's member   the file so far      renames the file
//
// A download goes to NAME.part in the folder downloads of the data folder; NAME.part.json records the
// origin of the bytes. After a broken connection, Ctrl-C or a crash the next download asks the
// server for the missing bytes only (Range). A file has its name only after its checksum and content were
// checked.
//
// Of a zip only one member is fetched. Its deflated bytes are kept as they are, between
// the header and the trailer of a gzip file. The checksum of that file is the one that the
// zip's directory has for the member.
//
// Everything that is read from a server is limited in size and time. The package prints
// nothing: Options has callbacks.
package fetch

import (
	"cmp"
	"context"
	"os"
	"time"

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

// Options configures a download. The zero value selects the defaults.
type Options struct {
	Idle  time.Duration // longest silence of a server; 0 is 30 s
	Tries int           // attempts in a row without a new byte before the download fails; 0 is 5
	Wait  time.Duration // before the second attempt, doubled before each further one; 0 is 0.5 s
	Limit int64         // maximum size of a file in bytes; 0 is 4 GiB

	// Progress is called with the number of bytes so far, earlier attempts included, and the
	// total, −1 if it is unknown.
	Progress func(done, total int64)
	// Retry is called with the error of an attempt and the wait before the next one.
	Retry func(err error, wait time.Duration)
}

func (o Options) withDefaults() Options {
	o.Idle = cmp.Or(o.Idle, 30*time.Second)
	o.Tries = cmp.Or(o.Tries, 5)
	o.Wait = cmp.Or(o.Wait, 500*time.Millisecond)
	o.Limit = cmp.Or(o.Limit, 4<<30)
	if o.Progress == nil {
		o.Progress = func(int64, int64) {}
	}
	if o.Retry == nil {
		o.Retry = func(error, time.Duration) {}
	}
	return o
}
