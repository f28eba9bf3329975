package tables

import (
	"encoding/csv"
	"io"
	"slices"
	"strconv"
	"strings"

	"imdbexp/internal/format"
	"imdbexp/report/stats"
)

// CSV writes one line for each setting of each place, so that nothing is ever
// mixed: the data, the keys, mean and standard deviation over the seeds with all
// their digits, the number of seeds, the IDs of the runs, and the notes.
func (p *Pivot) CSV(w io.Writer) error {
	lines := [][]string{slices.Concat([]string{"data"}, p.rows, p.cols, []string{p.value.name, "sd", "seeds", "runs", "notes"})}
	for _, t := range p.tables {
		for _, r := range t.rows {
			for _, c := range t.cols {
				cell := t.cells[place(r, c)]
				if cell == nil {
					continue
				}
				for _, g := range cell.groups {
					values, damaged := p.value.values(g)
					m := stats.Summarise(values)
					var notes []string
					for _, n := range slices.Concat(cell.notes, damaged) {
						notes = append(notes, n.String())
					}
					lines = append(lines, slices.Concat([]string{g.Runs[0].Config.Data.Name}, r, c,
						[]string{format.Exact(m.Mean), format.Exact(m.SD), strconv.Itoa(m.N), g.ids(), strings.Join(notes, "; ")}))
				}
			}
		}
	}
	return csv.NewWriter(w).WriteAll(lines)
}
