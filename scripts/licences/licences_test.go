package main

import (
	"os"
	"regexp"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"imdbexp/internal/testkit/must"
)

var row = regexp.MustCompile(`(?m)^\| (\S+) \| (v\S+) \| (.+) \| (exp|tests) \|$`)

// What is built or tested with here stands in the list, in the version in use, and
// nothing stands there that go.mod does not know in that version.
func TestListIsComplete(t *testing.T) {
	text := must.Get(os.ReadFile("../../docs/licences.md"))(t)
	listed := map[string]string{}
	for _, m := range row.FindAllStringSubmatch(string(text), -1) {
		listed[m[1]] = m[2]
	}
	lines := must.Get(goList("", "-test", "imdbexp/..."))(t)
	require.NotEmpty(t, lines)
	for line := range strings.Lines(lines) {
		f := strings.Split(line, "\t")
		require.Equal(t, f[1], listed[f[0]], "%s: go run ./scripts/licences", f[0])
	}
	mod := must.Get(os.ReadFile("../../go.mod"))(t)
	for path, version := range listed {
		require.Contains(t, string(mod), "\t"+path+" "+version, "go run ./scripts/licences")
	}
}

func TestDetect(t *testing.T) {
	const (
		mit = "MIT License\n\nPermission is hereby granted, free of charge, to any person obtaining\na copy of this software and associated"
		bsd = "Redistribution and use in source and binary forms, with or\nwithout modification, are permitted provided that"
	)
	for _, c := range []struct{ text, want string }{
		{"", ""},
		{"All rights reserved. Ask us.", ""},
		{mit, "MIT"},
		{bsd, "BSD-2-Clause"},
		{bsd + " Neither the name of Google Inc. nor", "BSD-3-Clause"},
		{"    Apache License\n  Version 2.0, January 2004", "Apache-2.0"},
		{bsd + "\nparts:\n" + mit, "BSD-2-Clause MIT"},
		{mit + "\nparts:\n" + bsd, "MIT BSD-2-Clause"},
		{"Mozilla Public License Version 2.0 … the GNU General Public License, Version 2.0", "MPL-2.0"},
	} {
		require.Equal(t, c.want, strings.Join(detect(c.text), " "), c.text)
	}
}

// A module whose licence nobody has looked at is an error and not an empty cell.
func TestUnknownLicence(t *testing.T) {
	dir := t.TempDir()
	require.ErrorContains(t, (&module{path: "x.org/y", version: "v1.2.3", dir: dir}).read(), "x.org/y v1.2.3: no licence is recognised")
	require.NoError(t, os.MkdirAll(dir+"/sub/deep", 0o777))
	require.NoError(t, os.WriteFile(dir+"/sub/LICENSE", []byte("Apache License Version 2.0"), 0o666))
	require.NoError(t, os.WriteFile(dir+"/license.go", []byte("package y"), 0o666))
	m := &module{path: "x.org/y", dir: dir, packages: []string{dir + "/sub/deep"}}
	require.NoError(t, m.read())
	require.Equal(t, []string{"Apache-2.0"}, m.ids())
	require.Equal(t, "sub/LICENSE", m.files[0].name)
}
