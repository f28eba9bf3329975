package explain

import (
	"encoding/csv"
	"encoding/json"
	"fmt"
	"io"
	"slices"
	"strconv"
	"strings"

	"imdbexp/cmd/exp/internal/battery"
	"imdbexp/cmd/exp/internal/cli"
	"imdbexp/cmd/exp/internal/number"
	"imdbexp/internal/term"
)

// show prints what the tests have come to in the format of --format.
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
		if err := g.whole().text(a); err != nil {
			return err
		}
	}
	return nil
}

// drawnFrom says which reviews the numbers are of.
func (e *Explained) drawnFrom() string {
	if e.Reviews == e.Of {
		return fmt.Sprintf("all %s of %s", number.Reviews(e.Of), e.Data)
	}
	return fmt.Sprintf("%s of the %s of %s, drawn by seed %d", number.Reviews(e.Reviews), number.Thousands(e.Of), e.Data, e.Seed)
}

// facts says what the numbers are of.
func (e *Explained) facts() string {
	if e.seeds > 0 {
		return fmt.Sprintf("%s; means over %d seeds ± half the 95 %% interval over seeds and reviews; %s", e.About, e.seeds, e.drawnFrom())
	}
	return e.About + "; weights of epoch " + strconv.Itoa(e.Epoch) + "; " + e.drawnFrom()
}

func (e *Explained) text(a *cli.App) error {
	a.Say(a.IO.Paint(term.Bold, e.Run)+": "+e.facts(), "", "  ")
	if e.Lacks != nil {
		a.Say("Scores left out: "+strings.Join(e.Lacks, "; ")+".", "", "  ")
	}
	for _, r := range e.Results {
		test, err := battery.Lookup(r.Test)
		if err != nil {
			return err
		}
		a.Printf("\n")
		a.Say(a.IO.Paint(term.Bold, test.Title)+" ("+test.Source+")", "", "  ")
		if r.Lacks != "" {
			a.Say("Not of this model: "+r.Lacks+".", "", "  ")
			continue
		}
		a.Say(test.Says, "", "")
		for _, t := range r.Tables() {
			if t.Title != "" { // by parts: in the page and the CSV
				continue
			}
			a.Printf("\n")
			columns := []term.Column{{Head: t.Head[0]}}
			for _, h := range t.Head[1:] {
				columns = append(columns, term.Column{Head: h, Right: true})
			}
			out := term.NewTable(columns...)
			for _, row := range t.Rows {
				out.Add(row...)
			}
			if err := out.Text(a.IO, "  "); err != nil {
				return err
			}
		}
		for _, n := range r.Notes {
			a.Say(n, "", "  ")
		}
		a.Say("It cannot say: "+test.Cannot, "", "")
	}
	return nil
}

func writeJSON(w io.Writer, list group) error {
	out := json.NewEncoder(w)
	out.SetEscapeHTML(false)
	return out.Encode(list)
}

// writeCSV writes a line a number.
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

// digits writes a number that is none as nothing.
func digits(n battery.Number) string {
	if n != n {
		return ""
	}
	return strconv.FormatFloat(float64(n), 'g', 10, 64)
}
