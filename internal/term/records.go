package term

import (
	"bytes"
	"encoding/csv"
	"encoding/json"
	"io"
	"math"
	"regexp"
	"slices"
	"strconv"
	"strings"
)

// Records returns the heads and the texts of the cells.
func (t *Table) Records() Records {
	out := make(Records, 1+len(t.Rows))
	for _, c := range t.Columns {
		out[0] = append(out[0], c.Head)
	}
	for i, row := range t.Rows {
		for _, c := range row {
			out[i+1] = append(out[i+1], c.Text)
		}
	}
	return out
}

// Records is a table for programs: the names of the columns, then the rows. Numbers have all
// their digits; missing values are empty.
type Records [][]string

// Write writes the records as csv, tsv or json.
func (r Records) Write(w io.Writer, format string) error {
	switch format {
	case "csv":
		return csv.NewWriter(w).WriteAll(r)
	case "tsv":
		var out strings.Builder
		for _, row := range r {
			for j, value := range row {
				out.WriteString(map[bool]string{true: "\t"}[j > 0] + escapeTSV.Replace(value))
			}
			out.WriteString("\n")
		}
		_, err := io.WriteString(w, out.String())
		return err
	}
	return r.json(w)
}

// escapeTSV escapes what would end a cell or a row, as in predictions.tsv.
var escapeTSV = strings.NewReplacer(`\`, `\\`, "\t", `\t`, "\n", `\n`, "\r", `\r`)

var jsonNumber = regexp.MustCompile(`^-?(0|[1-9][0-9]*)(\.[0-9]+)?([eE][+-]?[0-9]+)?$`)

// json writes a list with an object for each row. A column whose values are all numbers, or all
// true or false, has such values, unless it has IDs of runs. Missing values are null.
func (r Records) json(w io.Writer) error {
	bare := make([]bool, len(r[0]))
	for j, name := range r[0] {
		all := func(is func(string) bool) bool {
			return !slices.ContainsFunc(r[1:], func(row []string) bool { return row[j] != "" && !is(row[j]) })
		}
		bare[j] = name != "id" && name != "runs" && (all(isNumber) || all(func(s string) bool { return s == "true" || s == "false" }))
	}
	var out bytes.Buffer
	out.WriteString("[")
	for i, row := range r[1:] {
		out.WriteString(map[bool]string{true: "\n  {", false: ",\n  {"}[i == 0])
		for j, value := range row {
			if j > 0 {
				out.WriteString(", ")
			}
			writeString(&out, r[0][j])
			out.WriteString(": ")
			switch {
			case value == "":
				out.WriteString("null")
			case bare[j]:
				out.WriteString(value)
			default:
				writeString(&out, value)
			}
		}
		out.WriteString("}")
	}
	out.WriteString("\n]\n")
	_, err := w.Write(out.Bytes())
	return err
}

func isNumber(text string) bool {
	x, err := strconv.ParseFloat(text, 64)
	return err == nil && !math.IsInf(x, 0) && jsonNumber.MatchString(text)
}

func writeString(out *bytes.Buffer, text string) {
	enc := json.NewEncoder(out)
	enc.SetEscapeHTML(false)
	enc.Encode(text) // a string has no error
	out.Truncate(out.Len() - 1)
}
