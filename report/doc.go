// Package report turns run folders into what people look at: tables of results
// beside the published ones, and the figures of the published report. It never
// trains and never opens a data set.
//
// Build sorts runs into blocks (one a set of reviews: numbers on different
// reviews never stand together), rows (one a setting) and cells (the seeds of
// that setting). What a reader has to know about a number travels with it as a
// Note and is printed as a footnote. Text, Markdown, LaTeX, CSV and HTML are views
// of the same Report; a new format is a new view. A Pivot sorts the same runs by
// any of their settings and has the same views. Page puts tables and figures, and
// how to repeat each row, into one page of HTML.
package report
