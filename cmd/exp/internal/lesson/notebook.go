package lesson

import (
	"encoding/json"
	"fmt"
	"io"
	"strings"
)

// writeNotebook writes the lesson as a Jupyter notebook, in format 4.5. Each command has a cell without output,
// because readers predict the output. Results of predictions, hints and answers are folded.
func (l *lesson) writeNotebook(w io.Writer) error {
	cells, text, exercise := []map[string]any{}, "", 0
	add := func(kind, source string) {
		cells = append(cells, map[string]any{"cell_type": kind, "id": fmt.Sprintf("cell-%d", len(cells)+1), "metadata": struct{}{}, "source": source})
		if kind == "code" {
			cells[len(cells)-1]["execution_count"], cells[len(cells)-1]["outputs"] = nil, []string{}
		}
	}
	flush := func() {
		if text != "" {
			add("markdown", strings.TrimSpace(withPictures(text)))
		}
		text = ""
	}
	folded := func(summary, text string) {
		add("markdown", "<details><summary>"+summary+"</summary>\n\n"+text+"\n\n</details>")
	}
	for _, b := range l.blocks {
		if strings.HasPrefix(b, "## ") || b[0] == '<' || strings.HasPrefix(b, "```") {
			flush()
		}
		if len(cells) == 1 {
			add("markdown", fmt.Sprintf(l.in("This is lesson %d of `exp` as a notebook. Put it into an empty folder, with `exp` on your path. The first cell chooses the built-in data and output without colours. Write your predictions down, then run each cell in its turn. A triangle opens what is hidden. To check an answer, write it in place of the question mark and run the cell."), l.number))
			add("code", "%env EXP_DATA=lessons-data\n%env TERM=dumb")
		}
		for _, m := range resulted.FindAllStringSubmatch(b, -1) {
			folded(fmt.Sprintf(l.in("Prediction %s"), m[1]), m[2])
		}
		switch {
		case strings.HasPrefix(b, "```"):
			for _, m := range typing.FindAllStringSubmatch(b, -1) {
				add("code", "!"+strings.ReplaceAll(m[1], "'", `"`)) // for Windows, too
			}
		case strings.HasPrefix(b, "<details>"):
			exercise++
			e := l.exercises[exercise-1]
			add("code", fmt.Sprintf(`!exp lesson %d --check %d "?"%s`, l.number, exercise, l.flag()))
			folded(l.in("Hint"), e.hint)
			folded(l.in("Answer"), "**"+e.answer+"**\n\n"+strings.Join(e.solution, "\n\n"))
		case b[0] != '<':
			text += b + "\n\n"
		}
	}
	flush()
	out := json.NewEncoder(w)
	out.SetEscapeHTML(false)
	out.SetIndent("", " ")
	return out.Encode(map[string]any{
		"nbformat": 4, "nbformat_minor": 5, "cells": cells,
		"metadata": map[string]any{
			"title":         strings.TrimPrefix(strings.SplitN(l.blocks[0], "\n", 2)[0], "# "),
			"kernelspec":    map[string]string{"name": "python3", "display_name": "Python 3", "language": "python"},
			"language_info": map[string]string{"name": "python"},
		},
	})
}
