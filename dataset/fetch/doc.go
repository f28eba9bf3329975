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
