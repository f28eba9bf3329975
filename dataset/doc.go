// Package dataset is what everything that can be trained on has in common, and knows no
// particular source of it: reviews and the splits they belong to, their words as IDs of a
// vocabulary, orders, and packed batches.
//
//	imdb, own, sample  →  Source  →  Build  →  Corpus ┐
//	                      reviews    tokens    IDs    ├→ embedding.Encode → Encoded → Pack
//	files              →  vectors.Read     →  vectors ┘                     rows      ragged.Batch
//
// Sentence pairs have another way, see package pairs; they end as Encoded, too. What is
// in the data folder tells package folder; install brings it there, by way of fetch from
// the net, and open finds it for a run and keeps what it has read in a cache.
//
// Everything is deterministic: nothing depends on the number of cores, on the
// order of the entries of an archive, or on the archive a content came in.
// Errors of readers name the file and the entry or line, and sizes are bounded. What
// is too large for memory is sorted on disk (Sort), as numbers of words.
package dataset
