// Package report reads the results of runs and decides which numbers can be compared. It
// groups runs that differ only in the seed, finds the reviews that they were tested on, and
// gives the reasons that published numbers do not compare with them. Remarks on a number are
// attached to it as Notes.
//
// The packages below present the results: tables, figures (drawn by canvas and chart),
// compare, claims and page; stats has the statistics. None of them trains or opens a data
// set.
package report
