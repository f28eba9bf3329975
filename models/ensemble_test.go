package models_test

import (
	"slices"
	"strings"
	"testing"

	"imdbexp/internal/optim"
	"imdbexp/models"

	"github.com/stretchr/testify/require"
)

// The first network of an ensemble has the bits of a network trained alone. The others differ, and
// the prediction comes from the mean logits.
func TestEnsemble(t *testing.T) {
	d := newData(lengths(24)...)
	train := func(put ...string) (*models.Weights, *models.Network) {
		w := models.NewWeights(1)
		spec := models.Spec{Model: newModel(t, "lstm", append(put, "input.dropout=0.2", "dropout=0.3", "lambda=0.01")...), Weights: w}
		eval := newNetwork(t, spec)
		spec.Training = true
		n := newNetwork(t, spec)
		o := optim.NewAdam(0.02, optim.AdamOptions{Beta1: 0.9, Beta2: 0.999, Epsilon: 1e-8})
		for step := range 3 {
			require.NoError(t, n.Run(&d.batch, d.Inputs, uint64(step)))
			require.NoError(t, o.Step(gradients(w, n)))
		}
		require.NoError(t, eval.Run(&d.batch, d.Inputs, 0))
		return w, eval
	}
	one, alone := train()
	three, all := train("members=3")
	require.Equal(t, 3*one.Count(), three.Count())
	require.Equal(t, []int{1, 3}, []int{alone.Members(), all.Members()})
	require.True(t, alone.Pools())
	require.False(t, all.Pools(), "there are three attentions")

	list := three.List()
	require.Equal(t, one.List(), list[:len(one.List())])
	for i, x := range one.List() {
		second, third := list[len(one.List())+i], list[2*len(one.List())+i]
		require.Equal(t, []string{"member2." + x.Name, "member3." + x.Name}, []string{second.Name, third.Name})
		require.NotEqual(t, x.Data, second.Data)
		require.NotEqual(t, second.Data, third.Data)
		require.Equal(t, []int{1, 2, 3}, []int{models.Member(x.Name), models.Member(second.Name), models.Member(third.Name)})
	}
	members := all.Classes().Members
	require.Equal(t, alone.Logits().Data, members[0].Mat().Data)
	for i, z := range all.Logits().Data {
		require.InDelta(t, (members[0].Mat().Data[i]+members[1].Mat().Data[i]+members[2].Mat().Data[i])/3, z, 1e-6)
	}
	_, err := all.Tail()
	require.ErrorContains(t, err, "no attention with one weight for each word")
}

// Settings that work for one network only are errors.
func TestEnsembleRefuses(t *testing.T) {
	for _, put := range [][]string{{"attention=imposed", "attention.base=x"}, {"attention=adversarial", "attention.base=x"}} {
		m := newModel(t, "lstm", slices.Concat(put, []string{"members=2"})...)
		err := m.(models.Checker).Check()
		require.ErrorContains(t, err, put[0])
		require.True(t, strings.HasSuffix(err.Error(), "members=1"))
	}
}
