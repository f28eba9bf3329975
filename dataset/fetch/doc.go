// Package fetch brings published archives over HTTP into the data folder.
//
//	IMDB, GloVe  →  File, Member  →  transfer          →  dataset.Adopt
//	what, where     a whole file,    attempts, Range,     content checked,
//	                a zip's member   partial file         given its name
//
// A transfer writes to NAME.part in the folder downloads of the data folder and
// describes it in NAME.part.json, so that after a broken connection, Ctrl-C or a
// crash the next one asks the server for the rest only (Range), on condition
// that the file there is still the same (If-Range). Nothing counts before its
// checksum and its content are right.
//
// Of a zip only the wanted member is fetched. Its deflated bytes are kept as they
// are, between the header and the trailer of a gzip file, whose checksum is the
// one that the zip's directory has for the member.
//
// Everything that is read from a server is bounded in size and in time, and
// nothing here prints: Options has callbacks.
package fetch
