// Package fetch downloads published archives over HTTP into the data folder.
//
//	IMDB, GloVe  →  File, Member  →  transfer          →  install.Adopt
//	what, where     a whole file,    attempts, Range,     checks the content,
//	                a zip's member   partial file         renames the file
//
// A transfer writes to NAME.part in the folder downloads of the data folder and records
// the origin of the bytes in NAME.part.json. After a broken connection, Ctrl-C or a crash
// the next transfer asks the server for the missing bytes only (Range), if the file there
// is still the same (If-Range). A file has its name only after its checksum and content
// were checked.
//
// Of a zip only one member is fetched. Its deflated bytes are kept as they are, between
// the header and the trailer of a gzip file. The checksum of that file is the one that the
// zip's directory has for the member.
//
// Everything that is read from a server is limited in size and time. The package prints
// nothing: Options has callbacks.
package fetch
