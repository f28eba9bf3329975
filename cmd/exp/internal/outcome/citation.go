package main

import "imdbexp/runs"

// cite prints how to cite a run that has finished, behind indent.
func (a *app) cite(run *runs.Run, indent string) {
	if c, err := run.Citation(); err == nil {
		a.printf("%scite as %s\n", indent, c)
	}
}
