package handout_test

import (
	"os"
	"testing"

	"imdbexp/cmd/exp/internal/testbrowser"
)

func TestMain(m *testing.M) { os.Exit(run(m)) }

func run(m *testing.M) int {
	defer testbrowser.Close()
	return m.Run()
}
