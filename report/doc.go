// Package report answers: what did each run come to, and which numbers may stand beside
// each other? It reads run folders, says which differ by nothing but the seed, on which
// reviews they are, and why published numbers must not stand beside them. What a reader
// has to know about a number travels with it as a Note.
//
// What people look at is made from this by the packages below: tables, figures (drawn by
// canvas and chart), compare, claims and page; stats has the statistics. None of them
// trains or opens a data set.
package report
