package models

import (
	"errors"
	"math"

	"imdbexp/internal/ops"
)

// Self is the course's self-attention: L layers, with the same weights at all positions:
//
//	x̃ = Norm(x),  qᵢ, kᵢ, vᵢ = Q·x̃ᵢ, K·x̃ᵢ, V·x̃ᵢ
//	f(x̃)ᵢ = Σⱼ softmaxⱼ(qᵢ·kⱼ/√k) vⱼ
//	x⁽ˡ⁾ = Dropout(g(x⁽ˡ⁻¹⁾ + f(x̃⁽ˡ⁻¹⁾))),  g(x) = ReLU(W·x + b)
//
// The report's models omitted the residual, normalised the scores over the queries, divided them
// by √d and included the padding, also in the statistics of their batch norm. The published code
// normalised across the reviews of the batch instead. Each of these is a separate slip.
type Self struct {
	Head
	Positions
	Pooling
	Layers     int     `key:"layers" default:"3" min:"1" max:"24" help:"number of layers L"`
	Heads      int     `key:"heads" default:"1" min:"1" max:"64" help:"heads H of each layer; their results are concatenated"`
	Key        int     `key:"key.width" default:"40" min:"1" max:"1024" help:"width k of a head's queries and keys"`
	Scale      string  `key:"scale" default:"sqrt_k" choices:"sqrt_k|none" help:"divisor of the scores: √k, or none"`
	Norm       string  `key:"norm" default:"batch" choices:"batch|layer|none" needs:"slip.batch_slot_norm=false" help:"normalisation: over the words of the batch, over each word's vector, or none"`
	NormEval   string  `key:"norm.eval" default:"running" choices:"running|batch" needs:"norm=batch" help:"statistics of batch norm at test: the running ones, or those of each batch, as in training; a prediction then depends on the other reviews"`
	NormAt     string  `key:"norm.place" default:"before" choices:"before|after" needs:"norm!=none slip.batch_slot_norm=true" help:"before the attention, or after the layer"`
	Residual   bool    `key:"residual" default:"true" needs:"slip.no_residual=false" help:"add a layer's input to its attention"`
	Activation string  `key:"activation" default:"relu" choices:"relu|gelu|tanh|none" help:"non-linearity of g"`
	LayerDrop  float64 `key:"layer.dropout" default:"0.1" min:"0" max:"0.95" help:"share of each layer's output dropped"`
	AttendDrop float64 `key:"attention.dropout" min:"0" max:"0.95" help:"share of the attention weights dropped"`

	SigmoidLogits  bool `key:"slip.sigmoid_logits" help:"a sigmoid before the cross-entropy: its loss cannot go below 0.3133"`
	NoResidual     bool `key:"slip.no_residual" help:"no residual; values have the width of the keys, and g restores the width"`
	SoftmaxQueries bool `key:"slip.softmax_queries" help:"softmax over the queries instead of the keys"`
	ScaleD         bool `key:"slip.scale_d" help:"scores divided by √d instead of √k"`
	Pad            bool `key:"slip.pad" help:"padding is attended to: zero vectors up to the longest review of the batch"`
	PadStatistics  bool `key:"slip.pad_statistics" help:"padding counts in the statistics of batch norm, too"`
	BatchSlotNorm  bool `key:"slip.batch_slot_norm" help:"normalise across the reviews of the batch, with eps = 50 and a scale a slot: a prediction depends on the other reviews"`
}

func init() {
	Register(Info{
		Name: "self", Title: "layers of self-attention",
		Source: "TME 10, section 2; Vaswani et al. 2017",
		New:    func() Model { return &Self{} },
		Watch: "Watch how far the test accuracy jumps from epoch to epoch, the gap between train and test, and what [CLS] (pool=cls) and positions change. " +
			"The entropy of each head shows whether it chooses words or averages.",
	})
}

// HasResidual reports whether a layer's input is added to its attention.
func (m *Self) HasResidual() bool { return m.Residual && !m.NoResidual }

func (m *Self) Check() error {
	var err error
	if m.BatchSlotNorm && !m.Pad {
		err = errors.New("slip.batch_slot_norm needs slip.pad=true: it normalises each position across the reviews")
	}
	if m.PadStatistics && (!m.Pad || m.Norm != "batch") {
		err = errors.Join(err, errors.New("slip.pad_statistics needs slip.pad=true and norm=batch: it counts padding in the statistics of batch norm"))
	}
	if m.ScaleD && m.Scale == "none" {
		err = errors.Join(err, errors.New("slip.scale_d divides the scores by √d, scale=none does not divide them: choose one"))
	}
	return errors.Join(err, m.Positions.check())
}

func (m *Self) Build(b *Builder, x *ops.Node) Output {
	var out Output
	x = m.encode(b, m.Pooling.begin(b, x), &out)
	out = m.Pooling.end(b, x, m.Head, out)
	if m.SigmoidLogits {
		c := out.Objective.(*Classes)
		c.Logits = ops.Sigmoid(c.Logits).By("slip.sigmoid_logits")
	}
	return out
}

// encode returns x⁽ᴸ⁾ [N, d] and appends the entropies of each layer's heads to out.
func (m *Self) encode(b *Builder, x *ops.Node, out *Output) *ops.Node {
	if m.Pad {
		x = ops.Pad(x).By("slip.pad")
	}
	return b.Repeat("layer", m.Layers, m.Positions.add(b, x), func(l int, x *ops.Node) *ops.Node {
		y, h := m.layer(b, l, x)
		out.Layers = append(out.Layers, h)
		return y
	})
}

// layer returns x⁽ˡ⁾ [N, d] and the entropies of its heads [B, H].
func (m *Self) layer(b *Builder, l int, x *ops.Node) (y, entropy *ops.Node) {
	d, name := x.Cols(), LayerName(l)
	normed := x
	if m.NormAt == "before" {
		if normed = m.norm(b, name, x); normed != x {
			normed.Call("x̃")
		}
	}
	value := m.Heads * m.Key
	if m.HasResidual() {
		value = d
	}
	f, h := b.attention(name, normed, attention{
		Heads: m.Heads, Key: m.Key, Value: value, Scale: float32(m.ScoreScale(d)),
		OverQueries: m.SoftmaxQueries, Dropout: m.AttendDrop,
		// A norm after the layer would need all words.
		FirstOnly: m.Pool == "cls" && l == m.Layers-1 && m.NormAt == "before",
	})
	if m.HasResidual() {
		f = ops.Add(x, f)
	}
	y = activate(m.Activation, b.Linear(name+".g", f, d))
	if m.NormAt == "after" {
		y = m.norm(b, name, y)
	}
	return ops.Dropout(y, name, float32(m.LayerDrop)), h
}

func (m *Self) norm(b *Builder, name string, x *ops.Node) *ops.Node {
	if m.BatchSlotNorm {
		return b.slotNorm(name+".norm", x, slots, slotEpsilon).By("slip.batch_slot_norm")
	}
	if m.Norm != "batch" {
		return b.norm(m.Norm, name+".norm", x)
	}
	y := b.batchNorm(name+".norm", x, ops.BatchNorming{OfBatch: m.NormEval == "batch", WithoutPadding: !m.PadStatistics})
	switch {
	case m.NormEval == "batch":
		y.By("norm.eval=batch")
	case m.PadStatistics:
		y.By("slip.pad_statistics")
	}
	return y
}

// The published code normalised with LayerNorm(16, 50): over the 16 reviews of
// its batches, with the width of the word vectors as eps.
const (
	slots       = 16
	slotEpsilon = 50
)

// ScoreScale returns the factor of the scores; d is the width of the words.
func (m *Self) ScoreScale(d int) float64 {
	switch {
	case m.ScaleD:
		return 1 / math.Sqrt(float64(d))
	case m.Scale == "none":
		return 1
	}
	return 1 / math.Sqrt(float64(m.Key))
}
