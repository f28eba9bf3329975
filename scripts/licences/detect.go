package main

import (
	"cmp"
	"slices"
	"strings"
)

// mark is a phrase by which a licence is known, in the form of normal.
type mark struct{ id, phrase string }

// marks are the licences that have occurred so far, by their SPDX identifiers.
var marks = []mark{
	{"Apache-2.0", "apache license version 2 0"},
	{"BSD", "redistribution and use in source and binary forms"}, // see clauses
	{"CC-BY-4.0", "creative commons attribution 4 0 international public license"},
	{"FTL", "the freetype project license"},
	{"GPL-2.0", "gnu general public license version 2 june 1991"},
	{"ISC", "permission to use copy modify and or distribute this software for any purpose with or without fee"},
	{"MIT", "permission is hereby granted free of charge to any person obtaining a copy of this software"},
	{"MPL-2.0", "mozilla public license version 2 0"},
	{"OFL-1.1", "sil open font license version 1 1"},
	{"Unlicense", "this is free and unencumbered software released into the public domain"},
}

// detect returns the licences whose texts a file holds, in their order there.
func detect(text string) []string {
	type found struct {
		id string
		at int
	}
	words := normal(text)
	var all []found
	for _, m := range marks {
		if at := strings.Index(words, m.phrase); at >= 0 {
			all = append(all, found{clauses(m.id, words[at:]), at})
		}
	}
	slices.SortFunc(all, func(a, b found) int { return cmp.Compare(a.at, b.at) })
	var out []string
	for _, f := range all {
		out = append(out, f.id)
	}
	return out
}

// clauses tells the two licences of BSD apart: the third clause keeps names out of
// advertising.
func clauses(id, from string) string {
	switch {
	case id != "BSD":
		return id
	case strings.Contains(from, "neither the name") || strings.Contains(from, "may not be used to endorse"):
		return "BSD-3-Clause"
	}
	return "BSD-2-Clause"
}

// normal returns the letters and digits of a text in words of lower case.
func normal(text string) string {
	return strings.Join(strings.FieldsFunc(strings.ToLower(text), func(r rune) bool {
		return (r < 'a' || r > 'z') && (r < '0' || r > '9')
	}), " ")
}
