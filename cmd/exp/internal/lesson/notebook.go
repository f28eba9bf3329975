package lesson

import (
	"encoding/json"
	"fmt"
	"io"
	"regexp"
	"strings"
)

// part matches what begins a cell (a section) or is one: commands, the result of a prediction, an answer.
var part = regexp.MustCompile("(?ms)^## |^```console\n.*?^```$|^<!-- prediction .*? -->$|^<details>.*?^</details>$")

// writeNotebook writes the lesson as a Jupyter notebook, in format 4.5. Each command has a cell without output,
// because readers predict the output. Results of predictions, hints and answers are folded.
func (l *lesson) writeNotebook(w io.Writer) error {
	text, err := withPictures(l.plainLinks(l.linked))
	if err != nil {
		return err
	}
	var cells []map[string]any
	add := func(kind, source string) {
		if source = strings.TrimSpace(source); source != "" {
			cells = append(cells, map[string]any{"cell_type": kind, "metadata": struct{}{}, "source": source})
		}
	}
	folded := func(summary, text string) {
		add("markdown", "<details><summary>"+summary+"</summary>\n\n"+text+"\n\n</details>")
	}
	at, exercise := 0, 0
	for _, m := range part.FindAllStringIndex(text, -1) {
		add("markdown", text[at:m[0]])
		if len(cells) == 1 {
			add("markdown", fmt.Sprintf(l.in(notebookNote), l.number))
			add("code", "%env EXP_DATA=lessons-data\n%env TERM=dumb")
		}
		at = m[1]
		switch found := text[m[0]:m[1]]; found[0] {
		case '#':
			at = m[0]
		case '`':
			for _, m := range typing.FindAllStringSubmatch(found, -1) {
				add("code", "!"+strings.ReplaceAll(m[1], "'", `"`)) // for Windows, too
			}
		default:
			for _, m := range resulted.FindAllStringSubmatch(found, -1) {
				folded(fmt.Sprintf(l.in("Prediction %s"), m[1]), m[2])
			}
			if strings.HasPrefix(found, "<details>") {
				exercise++
				add("code", fmt.Sprintf(`!exp lesson %d --check %d "?"%s`, l.number, exercise, l.flag()))
				folded(l.in("Hint"), l.exercises[exercise-1].hint)
				add("markdown", shown(found))
			}
		}
	}
	add("markdown", text[at:])
	for i, c := range cells {
		c["id"] = fmt.Sprintf("cell-%d", i+1)
		if c["cell_type"] == "code" {
			c["execution_count"], c["outputs"] = nil, []string{}
		}
	}
	out := json.NewEncoder(w)
	out.SetEscapeHTML(false)
	out.SetIndent("", " ")
	return out.Encode(map[string]any{
		"nbformat": 4, "nbformat_minor": 5, "cells": cells,
		"metadata": map[string]any{"kernelspec": map[string]string{"name": "python3", "display_name": "Python 3", "language": "python"}},
	})
}

const notebookNote = "*This is lesson %d of `exp` as a notebook. Put it into an empty folder, with `exp` on your path. Run each cell in its turn; " +
	"write your predictions down first. A triangle opens what is hidden. To check an answer, write it in place of the question mark.*"
