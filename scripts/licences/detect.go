package main

import (
	"regexp"
	"slices"
	"strings"
)

// marks are the licences that have occurred so far, by their SPDX identifiers, each with a phrase of
// its text in the form of normal.
var marks = [][2]string{
	{"Apache-2.0", "apache license version 2 0"},
	{"BSD", "redistribution and use in source and binary forms"}, // 2 or 3 clauses, see thirdClause
	{"CC-BY-4.0", "creative commons attribution 4 0 international public license"},
	{"FTL", "the freetype project license"},
	{"GPL-2.0", "gnu general public license version 2 june 1991"},
	{"ISC", "permission to use copy modify and or distribute this software for any purpose with or without fee"},
	{"MIT", "permission is hereby granted free of charge to any person obtaining a copy of this software"},
	{"MPL-2.0", "mozilla public license version 2 0"},
	{"OFL-1.1", "sil open font license version 1 1"},
	{"Unlicense", "this is free and unencumbered software released into the public domain"},
}

// thirdClause keeps names out of advertising.
var thirdClause = regexp.MustCompile(`neither the name|may not be used to endorse`)

// detect returns the licences whose texts a file holds, in their order there.
func detect(text string) (out []string) {
	words := normal(text)
	at := map[string]int{}
	for _, m := range marks {
		id, i := m[0], strings.Index(words, m[1])
		if i < 0 {
			continue
		}
		if id == "BSD" {
			id = "BSD-2-Clause"
			if thirdClause.MatchString(words[i:]) {
				id = "BSD-3-Clause"
			}
		}
		out, at[id] = append(out, id), i
	}
	slices.SortFunc(out, func(a, b string) int { return at[a] - at[b] })
	return out
}

// normal returns the letters and digits of a text in words of lower case.
func normal(text string) string {
	return strings.Join(strings.FieldsFunc(strings.ToLower(text), func(r rune) bool {
		return (r < 'a' || r > 'z') && (r < '0' || r > '9')
	}), " ")
}
