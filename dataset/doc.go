// Package dataset holds what experiments are trained on: it reads reviews,
// splits them into words, gives the words vectors and packs batches.
//
//	Source  →  Build, Open  →  Corpus  →  Encode  →  Encoded, Table  →  Batches
//	reviews    tokens          word IDs   vectors     rows              ragged.Batch
//
// A Source yields reviews from a folder, an archive or the embedded sample; a
// new format is a new Source. Open finds a corpus in the data folder and keeps
// what it split into words in a cache there, under the digest of the content.
// ReadVectors reads word vectors, of which only those of a corpus's words are
// kept; NewSpace finds neighbors among all of them, and WriteWord2Vec hands
// them to other programs. Encode joins both into a compact table and splits
// whose words are rows of it. Batches packs reviews without padding.
//
// Translation has another way: OpenPairs finds sentence pairs, embedded or own,
// and gives both sides vocabularies and splits; Batches packs those, too.
//
// The data folder (see Dir) holds the archives as they were published, what was
// found in them when they were added, what is on its way (see dataset/fetch), and
// a folder of caches, which may be removed at any time:
//
//	aclImdb.tar.gz, glove.6B.50d.txt.gz, …
//	NAME.reviews.jsonl.gz  own data, see AddOwn and package tables
//	NAME.pairs.jsonl.gz    own sentence pairs, see AddPairs
//	NAME.vectors.txt.gz    vectors under a user's name (.txt or .bin; .gz, .zst, .zip or plain)
//	installed.json         digests of their contents, for Check
//	downloads/             what has not come whole yet
//	cache/stamp-*.json     digests of those files, while they are unchanged
//	cache/corpus-*.bin     vocabulary, train and test reviews as word IDs
//	cache/extra-*.bin      unlabelled reviews
//	cache/vectors-*.bin    vectors of a corpus's words, or of all words of a set
//
// Everything is deterministic: nothing depends on the number of cores, on the
// order of the entries of an archive, or on the archive a content came in.
// Errors of readers name the file and the entry or line; sizes are bounded, and
// nothing is ever unpacked to disk.
package dataset
