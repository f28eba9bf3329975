package models

import (
	"errors"
	"fmt"

	"imdbexp/internal/ops"
)

// LSTM reads the words in order and attends over its states:
//
//	hᵢ = LSTM(xᵢ, hᵢ₋₁),  q(t) = Q·h̄ + b,  αᵢ = softmaxᵢ(q(t)·hᵢ),  t̂ = Σᵢ αᵢ v(hᵢ)
//
// or over the states of another cell. Keys, query and values come from the states, as in the
// course's handout. The report's code took only the values from the states
// (slip.lstm_values_only), and without v (slip.state_values).
type LSTM struct {
	Head
	Penalty
	Value
	Cell
	Keys
	Regularised
	Wide
	Ensemble
	Hidden        int    `key:"lstm.hidden" default:"50" min:"1" max:"4096" help:"width of the state, of each direction"`
	Bidirectional bool   `key:"lstm.bidirectional" help:"a second LSTM reads from the end"`
	Pool          string `key:"pool" default:"attention" choices:"attention|last|mean" help:"how the states become one vector"`
	Max           bool   `key:"pool.max" help:"append the maximum of each element of the states to that vector"`
	StateValues   bool   `key:"slip.state_values" help:"the states themselves are the values, without v"`
	ValuesOnly    bool   `key:"slip.lstm_values_only" help:"keys and query stay on the word vectors"`
}

func init() {
	Register(Info{
		Name: "lstm", Title: "attention over the states of an LSTM",
		Source: "TME 9, section 1.4; Hochreiter and Schmidhuber 1997",
		New:    func() Model { return &LSTM{} },
		Watch: "Watch test accuracy and test loss by epoch: with Adam they are best early, and later only train improves; select=best stops there. " +
			"pool=last and pool=mean are the controls without attention.",
	})
}

func (m *LSTM) Check() error {
	if err := m.Penalty.Check(); err != nil {
		return err
	}
	if m.Pool != "attention" && (m.Weights != "learned" || m.Softmax != "softmax" || m.Lambda != 0 || m.SumEntropy || m.ValuesOnly || m.StateValues || m.Activation != "none" || m.Map != "none" || m.Query != "none") {
		return fmt.Errorf("pool=%s has no attention: attention, attention.softmax, lambda, slip.sum_entropy, slip.lstm_values_only, slip.state_values, value.activation, key.map and query.activation need pool=attention", m.Pool)
	}
	if m.StateValues && m.Activation != "none" {
		return fmt.Errorf("value.activation=%s belongs to v, which slip.state_values omits: choose one", m.Activation)
	}
	if err := m.Ensemble.check(m.Weighing); err != nil {
		return err
	}
	if m.Max && m.ValuesOnly {
		return errors.New("pool.max=true was not in the published code that slip.lstm_values_only repeats: choose one")
	}
	return nil
}

func (m *LSTM) Build(b *Builder, x *ops.Node) Output {
	return m.Ensemble.build(b, func() Output { return m.one(b, x) })
}

func (m *LSTM) one(b *Builder, x *ops.Node) Output {
	x = ops.Dropout(x, "input", float32(m.InputDrop))
	h, last := m.Cell.read(b, x, m.Hidden, m.Bidirectional) // [N, h], [B, h]
	h = ops.Dropout(h, "states", float32(m.StateDrop))
	attend := func(out Output) Output { return out }
	var t *ops.Node // [B, h]
	switch m.Pool {
	case "last":
		t = last
	case "mean":
		t = ops.Mean(h)
	default:
		keys := h
		if m.ValuesOnly {
			keys = x
		}
		a, e := m.Weigh(b, h, func() (a, e *ops.Node) {
			return ops.Attend(m.query(b, b.Mean(keys)), m.keys(b, keys), 1) // [N, 1], [B, 1]
		})
		if m.StateValues {
			t = ops.WeightedSum(a, h).By("slip.state_values")
		} else {
			t = m.sum(b, a, h)
		}
		attend = func(out Output) Output { return m.Attend(out, a, e) }
	}
	if m.Max || m.Counter != "none" {
		t.Call("c")
	}
	if m.Max {
		t = ops.Concat(t, ops.Max(h)) // [B, 2h]
	}
	out := attend(m.Classify(b, m.Wide.join(b, t)))
	out.Objective.(*Classes).Smoothing = m.Smoothing
	return out
}
