// Package web serves one page about the runs of a folder: a table of all of them,
// curves and entropies of those chosen, which grow while a run trains, the
// settings in which they differ, and what a finished run says about a text.
//
//	GET  /             the page; ?q= filters, ?sort= sorts, ?page= turns, ?run=NAME/ID chooses
//	GET  /assets/…     its style sheet and scripts
//	GET  /figure.svg   a static figure of one run, for readers without JavaScript
//	GET  /api/events   server-sent events: rows of the table as they change; of more than
//	                   a page has, those that the same queries show
//	GET  /api/run      metrics of one run after an epoch
//	GET  /api/entropy  histograms of its attention's entropies after an epoch
//	GET  /api/compare  results of the chosen runs and the settings that differ
//	POST /api/predict  a run's prediction of a text, with its attention
//	GET  /api/train    what can be trained on the sample, and what was
//	POST /api/train    trains it, and tells of it line by line
//
// Nothing is written: what is trained stays in memory. The page works as it comes from
// the server; the scripts make it live.
package web
