package explain

import (
	"encoding/csv"
	"encoding/json"
	"fmt"
	"io"
	"math"
	"slices"
	"strconv"
	"strings"

	"imdbexp/cmd/exp/internal/battery"
	"imdbexp/cmd/exp/internal/cli"
	"imdbexp/internal/format"
	"imdbexp/internal/term"
)

// show prints the results in the format of --format.
func show(a *cli.App, list []group, format string) error {
	switch format {
	case "json":
		return writeJSON(a.IO.Verbatim(), slices.Concat(list...))
	case "csv":
		return writeCSV(a.IO.Verbatim(), slices.Concat(list...))
	}
	for i, g := range list {
		if i > 0 {
			a.Printf("\n")
		}
		g.whole().text(a)
	}
	return nil
}

// drawnFrom describes the sampled reviews.
func (e *Explained) drawnFrom() string {
	if e.Reviews == e.Of {
		return fmt.Sprintf("all %s of %s", format.Counted(e.Of, "review"), e.Data)
	}
	return fmt.Sprintf("%s of the %s of %s, drawn by seed %d", format.Counted(e.Reviews, "review"), format.Thousands(e.Of), e.Data, e.Seed)
}

// facts describes the run and the sampled reviews.
func (e *Explained) facts() string {
	if e.seeds > 0 {
		return fmt.Sprintf("%s; means over %d seeds, 95 %% intervals over seeds and reviews; %s", e.About, e.seeds, e.drawnFrom())
	}
	return e.About + "; weights of epoch " + strconv.Itoa(e.Epoch) + "; " + e.drawnFrom()
}

func (e *Explained) text(a *cli.App) {
	a.Say(a.IO.Paint(term.Bold, e.Run)+": "+e.facts(), "", "  ")
	if e.Lacks != nil {
		a.Say("Scores left out: "+strings.Join(e.Lacks, "; ")+".", "", "  ")
	}
	if conclusion := battery.Conclusion(e.Results); conclusion != nil {
		a.Heading("In short")
		for _, line := range conclusion {
			a.Say(line, "", "  ")
		}
	}
	for _, r := range e.Results {
		test := battery.Named(r.Test)
		a.Printf("\n")
		a.Say(a.IO.Paint(term.Bold, test.Title)+" ("+test.Source+")", "", "  ")
		if r.Lacks != "" {
			a.Say("Not of this model: "+r.Lacks+".", "", "  ")
			continue
		}
		a.Say(test.Says, "", "")
		for _, t := range r.Tables() {
			if t.Caption == "" { // tables by parts are in the page and the CSV
				printTable(a.IO, t)
			}
		}
		for _, n := range r.Notes {
			a.Say(n, "", "  ")
		}
		a.Say("It cannot say: "+test.Cannot, "", "")
	}
}

// printTable prints a table. If it is too wide it continues below, with the row names again.
func printTable(io *term.IO, t *term.Table) {
	width := io.Width()
	if width == 0 {
		width = math.MaxInt
	}
	for _, part := range t.Parts(width) {
		io.Printf("\n")
		part.Text(io, "  ")
	}
}

func writeJSON(w io.Writer, list group) error {
	out := json.NewEncoder(w)
	out.SetEscapeHTML(false)
	return out.Encode(list)
}

// writeCSV writes a line a format.
func writeCSV(w io.Writer, list group) error {
	out := csv.NewWriter(w)
	if err := out.Write([]string{"run", "id", "test", "statistic", "score", "part", "reviews", "value", "low", "high"}); err != nil {
		return err
	}
	for _, e := range list {
		for _, r := range e.Results {
			for _, v := range r.Values {
				if err := out.Write([]string{e.Run, e.ID, r.Test, v.Statistic, v.Of, v.Part, strconv.Itoa(v.N), digits(v.Value), digits(v.Low), digits(v.High)}); err != nil {
					return err
				}
			}
		}
	}
	out.Flush()
	return out.Error()
}

// digits prints a number, NaN as an empty field.
func digits(n battery.Number) string {
	if n != n {
		return ""
	}
	return strconv.FormatFloat(float64(n), 'g', 10, 64)
}
