package imdb

import (
	"archive/tar"
	"bytes"
	"cmp"
	"context"
	"crypto/sha256"
	"encoding/binary"
	"flag"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"imdbexp/dataset"
	"imdbexp/internal/testkit/must"
)

// FuzzTar feeds bytes to the tar reader: whatever it yields is a review.
func FuzzTar(f *testing.F) {
	var out bytes.Buffer
	w := tar.NewWriter(&out)
	for name, text := range map[string]string{"a/train/pos/0_9.txt": "good", "a/README": "x", "a/train/unsup/1_0.txt": ""} {
		require.NoError(f, w.WriteHeader(&tar.Header{Name: name, Mode: 0o644, Size: int64(len(text))}))
		must.Get(w.Write([]byte(text)))(f)
	}
	require.NoError(f, w.Close())
	f.Add(out.Bytes())
	f.Add(out.Bytes()[:700])
	f.Fuzz(func(t *testing.T, b []byte) {
		s := source{shown: "fuzz", yield: func(p dataset.Part, r dataset.Review) error {
			assert.True(t, utf8.ValidString(r.Text))
			assert.LessOrEqual(t, len(r.Text), len(b))
			assert.True(t, strings.HasPrefix(r.ID, "train/") || strings.HasPrefix(r.ID, "test/"), r.ID)
			assert.Equal(t, p == dataset.Extra, r.Label == dataset.Unlabelled)
			return nil
		}}
		if err := s.readTar(context.Background(), bytes.NewReader(b)); err != nil {
			assert.ErrorContains(t, err, "fuzz")
		}
	})
}

var update = flag.Bool("update", false, "write hub.bin from the archive in EXP_TEST_DATA")

// The digests and names are those of the published archive.
func TestHubData(t *testing.T) {
	data := os.Getenv("EXP_TEST_DATA")
	if data == "" {
		t.Skip("needs the real reviews: EXP_TEST_DATA names a folder with aclImdb.tar.gz")
	}
	type review struct {
		hubText
		number int
	}
	lists := make([][]review, len(hubParts))
	src := must.Get(Open(filepath.Join(data, "aclImdb.tar.gz"), "aclImdb.tar.gz", nil))(t)
	require.NoError(t, src.Reviews(t.Context(), func(in dataset.Part, r dataset.Review) error {
		id, rating, _ := strings.Cut(r.ID[strings.LastIndexByte(r.ID, '/')+1:], "_")
		number := must.Get(strconv.Atoi(id))(t)
		if r.Label != dataset.Unlabelled {
			number = 4*number + must.Get(strconv.Atoi(rating))(t) - 1 - 6*r.Label
		}
		i := 0
		for hubParts[i].folders[0].part != in {
			i++
		}
		lists[i] = append(lists[i], review{hubText{r.Label, 0, sha256.Sum256([]byte(r.Text))}, number})
		return nil
	}))
	var digests, numbers []byte
	for _, list := range lists {
		slices.SortFunc(list, func(a, b review) int { return cmp.Or(compareTexts(a.hubText, b.hubText), a.number-b.number) })
		var texts []hubText
		for _, r := range list {
			texts, numbers = append(texts, r.hubText), binary.LittleEndian.AppendUint16(numbers, uint16(r.number))
		}
		digests = append(digests, textsDigest(texts)...)
	}
	got := append(digests, numbers...)
	if *update {
		require.NoError(t, os.WriteFile("hub.bin", got, 0o644))
	}
	require.True(t, bytes.Equal(hubNames, got), "go test ./dataset/imdb -run HubData -update writes hub.bin")
}

// Each part has the names that its reviews have in the archive, once each.
func TestHubNames(t *testing.T) {
	at := hubNames[len(hubParts)*sha256.Size:]
	for _, p := range hubParts {
		texts := make([]hubText, p.reviews)
		for i := range texts {
			texts[i].row = i
		}
		seen := map[string]bool{}
		for _, name := range hubNamesOf(p.folders, at, texts) {
			require.True(t, IsReview(name+".txt"), name)
			seen[name] = true
		}
		assert.Len(t, seen, p.reviews)
		at = at[2*p.reviews:]
	}
	assert.Empty(t, at)
}
