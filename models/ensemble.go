package models

import (
	"fmt"
	"strings"

	"imdbexp/internal/ops"
)

// Ensemble is several networks in one run, with different initial weights and dropout
// (Lakshminarayanan et al. 2017, Simple and Scalable Predictive Uncertainty Estimation using Deep
// Ensembles). They see the same batches, and each has its own loss. The prediction comes from
// their mean logits:
//
//	z = (1/K) Σₖ zₖ,  cost = Σₖ −log softmax(zₖ)_y
//
// Trained word vectors (vectors.train, oov=learned) are one table for all, updated by the sum of
// the gradients. Without them the first network is, to the bit, the one that a run with
// members=1 trains, unless clip clips the gradients of all together.
type Ensemble struct {
	Count int `key:"members" default:"1" min:"1" max:"64" help:"networks, each with its own weights and dropout; the prediction comes from their mean logits; trained word vectors are shared"`
}

// memberPart is the prefix of the names of a network's weights, from the second on.
const memberPart = "member%d."

// Member returns the network of an ensemble that a weight belongs to, counted from 1.
func Member(weight string) int {
	k := 1
	if _, err := fmt.Sscanf(weight, memberPart, &k); err != nil {
		return 1
	}
	return k
}

// MemberName returns the name of the same weight in the first network of an ensemble.
func MemberName(weight string) string {
	if k := Member(weight); k > 1 {
		return strings.TrimPrefix(weight, fmt.Sprintf(memberPart, k))
	}
	return weight
}

func (e *Ensemble) check(w Weighing) error {
	if e.Count > 1 && (w.Imposes() || w.adversary() != nil) {
		return fmt.Errorf("attention=%s works for one network only: use members=1", w.Weights)
	}
	return nil
}

// build builds the networks, each by a call of one.
func (e *Ensemble) build(b *Builder, one func() Output) Output {
	if e.Count < 2 {
		return one()
	}
	classes := &Classes{}
	all := Output{Objective: classes}
	var attention, entropy []*ops.Node
	for k := range e.Count {
		if k > 0 {
			b.part = fmt.Sprintf(memberPart, k+1)
			b.g.Part(b.part)
		}
		o := one()
		c := o.Objective.(*Classes)
		classes.Members, classes.Smoothing = append(classes.Members, c.Logits), c.Smoothing
		all.Penalties = append(all.Penalties, o.Penalties...)
		if o.Attention != nil {
			attention, entropy = append(attention, o.Attention), append(entropy, o.Entropy)
		}
	}
	b.part = ""
	b.g.Part("")
	classes.Logits = ops.Average(classes.Members...).Call("z̄")
	if attention != nil {
		all.Attention, all.Entropy = ops.Average(attention...), ops.Average(entropy...)
	}
	return all
}
