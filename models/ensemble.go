package models

import (
	"fmt"

	"imdbexp/internal/ops"
)

// Ensemble is several networks that differ by what they are drawn with, side by side in one
// run: weights and dropout (Lakshminarayanan et al. 2017, Simple and Scalable Predictive
// Uncertainty Estimation using Deep Ensembles). They see the same batches; each learns by its
// own loss, and none by another's. The answer is that of their mean logits:
//
//	z = (1/K) Σₖ zₖ,  cost = Σₖ −log softmax(zₖ)_y
//
// Word vectors that are trained (vectors.train, oov=learned) are one table for all, which moves
// by the sum of their gradients. Else the first of them is the network that a run of that seed
// alone trains, to the bit, unless clip has their gradients cut together.
type Ensemble struct {
	Count int `key:"members" default:"1" min:"1" max:"64" help:"networks, each with weights and dropout of its own, whose mean logits are the answer; trained word vectors are common to all"`
}

// memberPart is what the names of a network's weights begin with, from the second on.
const memberPart = "member%d."

// Member returns to which network of an ensemble a weight of that name belongs, from 1.
func Member(weight string) int {
	k := 1
	if _, err := fmt.Sscanf(weight, memberPart, &k); err != nil {
		return 1
	}
	return k
}

func (e *Ensemble) check(w Weighing) error {
	if e.Count > 1 && (w.Imposes() || w.adversary() != nil) {
		return fmt.Errorf("attention=%s is of one network: it needs members=1", w.Weights)
	}
	return nil
}

// build builds each network by one.
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
