package dataset_test

import (
	"context"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"

	"imdbexp/dataset"
	"imdbexp/dataset/own"
	"imdbexp/internal/testkit/fixture"
	"imdbexp/internal/testkit/must"
)

// eraser makes a folder as the benchmark has it, of reviews of our own.
func eraser(t *testing.T, test string) string {
	dir := t.TempDir()
	put := func(name, content string) {
		fixture.Put(t, dir, name, []byte(content))
	}
	put("docs/neg_1.txt", "the boat sinks early .\n  it bored me ,  twice . \n")
	put("docs/pos_1.txt", "a merry boat .\nsongs that last\n")
	put("docs/neg_2.txt", "dull\n")
	put("docs/pos_2.txt", "grand\n")
	put("train.jsonl", `{"annotation_id":"neg_1.txt","classification":"NEG","docids":null,"evidences":[[{"docid":"neg_1.txt","start_token":6,"end_token":8,"start_sentence":-1,"end_sentence":-1,"text":"bored me"}],[{"docid":"neg_1.txt","start_token":2,"end_token":3,"text":"sinks"}]],"query":"?","query_type":null}`+"\n"+
		`{"annotation_id":"pos_1.txt","classification":"POS","evidences":[]}`+"\n")
	put("val.jsonl", `{"annotation_id":"neg_2.txt","classification":"NEG","evidences":[[{"docid":"neg_2.txt","start_token":0,"end_token":1}]]}`+"\n"+
		`{"annotation_id":"pos_2.txt","classification":"POS","evidences":[]}`+"\n")
	put("test.jsonl", test)
	return dir
}

const eraserTest = `{"annotation_id":"pos_1.txt","classification":"POS","evidences":[[{"docid":"pos_1.txt","start_token":1,"end_token":5}]]}` + "\n" +
	`{"annotation_id":"neg_1.txt","classification":"NEG","evidences":[]}` + "\n"

// addFolder adds a folder and reads it back, by the name of each review.
func addFolder(t *testing.T, folder string) (map[string]dataset.Review, own.Reviews, error) {
	in := own.Data{Name: "mine", Files: []string{folder}}
	to := filepath.Join(t.TempDir(), "mine.reviews.jsonl.gz")
	added, err := in.WriteReviews(context.Background(), to, dataset.Limits{}, nil)
	if err != nil {
		return nil, added, err
	}
	src := must.Get(own.Open(to, "mine", nil))(t)
	out := map[string]dataset.Review{}
	return out, added, src.Reviews(context.Background(), func(_ dataset.Part, r dataset.Review) error {
		out[r.ID] = r
		return nil
	})
}

func TestEraser(t *testing.T) {
	got, added := must.Get2(addFolder(t, eraser(t, eraserTest)))(t)
	require.Equal(t, []string{"NEG", "POS"}, added.Classes)
	require.Equal(t, [2][]int{{2, 2}, {1, 1}}, added.Counts)
	require.Zero(t, added.HeldOut)
	require.Equal(t, 3, added.Marked)
	require.Equal(t, "ERASER's annotations, text from docs, labels from classification, rationales from evidences", added.Read[0].How.String())
	words := func(id string) (out []string) {
		for _, s := range got[id].Rationale {
			out = append(out, got[id].Text[s.Start:s.End])
		}
		return out
	}
	require.Equal(t, []string{"sinks", "bored me"}, words("train/00000001"))
	require.Empty(t, words("train/00000002"))
	require.Equal(t, []string{"dull"}, words("train/00000003"))
	require.Equal(t, []string{"merry boat .\nsongs"}, words("test/00000001"))
}

func TestEraserRefuses(t *testing.T) {
	for bad, want := range map[string]string{
		"{}\n": "is not an annotation of a document",
		"x\n":  "test.jsonl: line 1: is not an annotation",
		`{"annotation_id":"pos_1.txt","classification":"POS","evidences":[[{"docid":"pos_1.txt","start_token":5,"end_token":9}]]}`:                                     "pos_1.txt has 7",
		`{"annotation_id":"a","classification":"POS","evidences":[[{"docid":"pos_1.txt","start_token":0,"end_token":1},{"docid":"b","start_token":0,"end_token":1}]]}`: "reviews have one",
		`{"annotation_id":"../train.jsonl","classification":"POS","evidences":[]}`:                                                                                     "escapes",
	} {
		require.ErrorContains(t, must.Fail2(addFolder(t, eraser(t, bad))), want)
	}
}
