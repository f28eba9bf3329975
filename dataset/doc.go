// Package dataset holds what all data sets have in common: reviews and the splits they belong to,
// their words as IDs of a vocabulary, orders, and packed batches. It knows no particular data set.
//
//	imdb, own, sample  →  Source  →  Build  →  Corpus ┐
//	                      reviews    tokens    IDs    ├→ embedding.Encode → Encoded → Pack
//	files              →  vectors.Read     →  vectors ┘                     rows      ragged.Batch
//
// Sentence pairs go through package pairs and end as Encoded, too. Package folder keeps the data
// folder, opens data for a run and caches it; package fetch downloads.
//
// Everything is deterministic: nothing depends on the number of cores, on the
// order of the entries of an archive, or on the archive a content came in.
// Errors of readers name the file and the entry or line, and sizes are bounded.
package dataset
