package web_test

import (
	"context"
	"os"
	"testing"

	"imdbexp/internal/testkit/testbrowser"
)

// What the tests share: a folder, and a context that outlives each of them.
var (
	shared     string
	background = context.Background()
)

func TestMain(m *testing.M) { os.Exit(run(m)) }

func run(m *testing.M) int {
	var err error
	if shared, err = os.MkdirTemp("", "web"); err != nil {
		panic(err)
	}
	defer os.RemoveAll(shared)
	defer testbrowser.Close()
	return m.Run()
}
