package models_test

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"imdbexp/internal/diagram"
	"imdbexp/internal/settings"
	"imdbexp/internal/term"
	"imdbexp/internal/testkit/must"
	"imdbexp/models"
)

// narrow is the maximum width of a drawing on 60 columns with an indent of two.
const narrow = 58

func drawn(t require.TestingT, name string, m models.Model) string {
	info := must.Get(models.Lookup(name))(t)
	node := info.Drawing(m)
	require.NotNil(t, node, name)
	text := diagram.Text(node)
	for line := range strings.Lines(text) {
		require.LessOrEqual(t, term.Width(strings.TrimSuffix(line, "\n")), narrow, "%s\n%s", name, text)
	}
	return text
}

func TestEveryModelIsDrawn(t *testing.T) {
	for _, name := range models.Names() {
		drawn(t, name, newModel(t, name))
		text := must.Get(models.Lookup(name))(t).Watch
		require.NotEmpty(t, text, "%s: what to look for", name)
		require.NotContains(t, text, "published", "%s: package experiments knows the published numbers", name)
	}
}

// Whatever the settings that a model takes, a drawing fits.
func TestDrawingsFit(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		name := rapid.SampledFrom(models.Names()).Draw(t, "model")
		info := must.Get(models.Lookup(name))(t)
		m := info.New()
		set := must.Get(settings.New(m))(t)
		for _, s := range set.All() {
			switch {
			case len(s.Choices) > 0:
				require.NoError(t, set.Put(s.Key, rapid.SampledFrom(s.Choices).Draw(t, s.Key), "test"))
			case s.Default == "true" || s.Default == "false":
				require.NoError(t, set.Put(s.Key, rapid.SampledFrom([]string{"true", "false"}).Draw(t, s.Key), "test"))
			case s.Key == "heads" || s.Key == "layers":
				require.NoError(t, set.Put(s.Key, rapid.SampledFrom([]string{"1", "12"}).Draw(t, s.Key), "test"))
			case strings.Contains(s.Key, "dropout") || s.Key == "lambda" || s.Key == "heads.penalty":
				require.NoError(t, set.Put(s.Key, rapid.SampledFrom([]string{"0", "0.125"}).Draw(t, s.Key), "test"))
			}
		}
		if c, ok := m.(models.Checker); ok && c.Check() != nil {
			return // there is no such model
		}
		drawn(t, name, m)
	})
}

// A drawing shows the settings that its model has.
func TestDrawingsFollowSettings(t *testing.T) {
	for _, c := range []struct {
		model     string
		put       []string
		has, lack []string
	}{
		{"mean", []string{"dropout=0.3"}, []string{"dropout 0.3"}, []string{"α"}},
		{"simple", nil, []string{"learned q", "αᵢ = softmaxᵢ(q·xᵢ)"}, []string{"loss", "dropout"}},
		{"simple", []string{"lambda=0.01"}, []string{"loss + 0.01·H(α)"}, []string{"Σ H"}},
		{"lstm", nil, []string{"LSTM", "q(t)·hᵢ", "mean of the states"}, []string{"keys xᵢ", "right to left"}},
		{"lstm", []string{"slip.lstm_values_only=true"}, []string{"q(t)·xᵢ", "mean of the words", "v(hᵢ)"}, []string{"keys hᵢ"}},
		{"lstm", []string{"pool=last", "lstm.bidirectional=true"}, []string{"last state", "right to left"}, []string{"α"}},
		{"lstm", []string{"pool.max=true", "state.dropout=0.3"}, []string{"maxᵢ hᵢ", "c = Σᵢ", "dropout 0.3"}, []string{"t̂ = Σ"}},
		{"lstm", []string{"members=3"}, []string{"mean of the z of 3 networks"}, []string{"member2"}},
		{"lstm", []string{"wide=nbsvm"}, []string{"t̂ = [c; n-grams]", "c = Σᵢ"}, []string{"; s]"}},
		{"self", nil, []string{"3 layers", "batch norm", "/√40", "x + f(x̃)", "ReLU(W·x + b)", "t̂ = (1/n)"}, []string{"heads", "CLS", "PE", "slip"}},
		{"self", []string{"layers=1", "heads=2", "norm=none", "residual=false", "scale=none", "pool=cls", "positions=sinusoid"},
			[]string{"1 layer ", "2 heads", "softmaxⱼ(qᵢ·kⱼ)", "learned [CLS]", "t̂ = x at [CLS]", "sine and cosine"}, []string{"norm", "x + f", "x̃"}},
		{"self", []string{"slip.pad=true", "slip.softmax_queries=true", "slip.scale_d=true", "slip.no_residual=true", "slip.sigmoid_logits=true", "slip.batch_slot_norm=true"},
			[]string{"zero vectors", "over the queries", "√d, not √k", "sigmoid on z", "across the reviews"}, []string{"x + f", "√40"}},
		{"self", []string{"slip.pad=true", "slip.pad_statistics=true"}, []string{"batch norm", "padding counts, a slip"}, []string{"at test"}},
		{"self", []string{"positions=learned", "pool=attention", "norm.place=after", "norm=layer"}, []string{"learned pᵢ", "learned q", "layer norm"}, []string{"x̃"}},
		{"multihead", []string{"heads.penalty=0.01"}, []string{"5 heads", "[head₁; …; head₅]·O", "loss + 0.01·Σ cos²"}, nil},
		{"transformer", nil, []string{"2 blocks", "5 heads", "ReLU(W₁·a + b₁)", "200 wide", "layer norm"}, []string{"W·x + b"}},
		{"transformer", []string{"heads=1", "width=128", "norm.place=before", "activation=gelu"}, []string{"W·xᵢ + b", "128 wide", "GELU", "head₁·O"}, []string{"heads", "…; head"}},
		{"additive", []string{"form=concat", "cell=gru"}, []string{"v·tanh(W·[hᵢ; s] + b)", "GRU", "right to left"}, []string{"LSTM", "W₂"}},
		{"seq2seq-plain", []string{"reverse=false", "layers=3", "tied=true", "embedding=128", "hidden=128", "dropout=0.2"}, []string{"left to right", "LSTM, 3 layers", "LSTM', 3 layers", "E·sₜ", "dropout 0.2", "embeddings of y"}, nil},
		{"seq2seq-bahdanau", nil, []string{"W₁·hⱼ + W₂·sₜ₋₁", "GRU", "cₜ = Σⱼ αₜⱼ hⱼ", "tanh(W_s·h'₁ + b)", "tanh(U·[sₜ; cₜ; E·yₜ₋₁] + b)"}, []string{"W·[hⱼ"}},
		{"seq2seq-luong", nil, []string{"sₜ·W·hⱼ", "tanh(cₜ + W_s·sₜ + b)", "cₜ = Σⱼ αₜⱼ W_c·hⱼ", "last h, c"}, []string{"GRU", "all that is kept"}},
		{"seq2seq-luong", []string{"scale=sqrt_k", "hidden=16", "layers=2"}, []string{"sₜ·W·hⱼ / √16", "LSTM, 2 layers"}, nil},
		{"seq2seq-transformer", nil, []string{"2 encoder blocks", "2 decoder blocks", "j ≤ t", "4 heads", "256 wide", "keys, values"}, []string{"dropout"}},
		{"seq2seq-transformer", []string{"norm.place=before", "heads=1", "layers=1"}, []string{"1 decoder block", "head₁·O", "1 head:"}, []string{"4 heads", "heads"}},
	} {
		text := drawn(t, c.model, newModel(t, c.model, c.put...))
		for _, s := range c.has {
			require.Contains(t, text, s, "%s %v", c.model, c.put)
		}
		for _, s := range c.lack {
			require.NotContains(t, text, s, "%s %v", c.model, c.put)
		}
	}
}

// The equations come from the graph, with all settings. Repeated parts follow a vertical line.
func TestEquations(t *testing.T) {
	for _, c := range []struct {
		model string
		put   []string
		want  string
	}{
		{"simple", []string{"lambda=0.01", "dropout=0.3"}, `
αᵢ = softmaxᵢ(q·xᵢ)
loss + 0.01·H(α)
t̂ = Σᵢ αᵢ xᵢ
z = W·dropout(t̂, 0.3) + b`},
		{"query", []string{"key.map=tanh", "attention=frozen", "slip.relu_logits=true"}, `
k(xᵢ) = tanh(K·xᵢ + c)
mean = (1/n) Σᵢ xᵢ
q(t) = Q·mean + b
αᵢ = softmaxᵢ(q(t)·k(xᵢ)),  never trained
t̂ = Σᵢ αᵢ xᵢ
z = W·t̂ + b
z ← ReLU(z),  a slip (slip.relu_logits)`},
		{"additive", []string{"bidirectional=false", "attention.gated=true", "attention.softmax=sparsemax"}, `
hᵢ = LSTM(xᵢ, hᵢ₋₁)
s = the last state
αᵢ = sparsemaxᵢ(v·(tanh(W₁·hᵢ + W₂·s + b) ⊙ sigmoid(U·hᵢ + c)))
t̂ = Σᵢ αᵢ hᵢ
z = W·t̂ + b`},
		{"lstm", []string{"lstm.bidirectional=true", "pool.max=true", "attention=adversarial", "attention.base=x"}, `
hᵢ = LSTM(xᵢ, hᵢ₋₁)
h'ᵢ = LSTM'(xᵢ, h'ᵢ₊₁)
hᵢ ← [hᵢ; h'ᵢ]
mean = (1/n) Σᵢ hᵢ
q(t) = Q·mean + b
αᵢ = softmaxᵢ(q(t)·hᵢ)
v(hᵢ) = V·hᵢ + c
c = Σᵢ αᵢ v(hᵢ)
t̂ = [c; maxᵢ hᵢ]
z = W·t̂ + b
cost = TVD(softmax(z), p_base) − 0.001·KL(α ‖ α_base)`},
		{"self", []string{"slip.pad=true", "heads=2", "positions=sinusoid", "slip.scale_d=true"}, `
x₁ … xₙ ← x₁ … xₙ and zero vectors up to the longest review of the batch, a slip
xᵢ ← xᵢ + PE(i)
PE(i)₂ⱼ, PE(i)₂ⱼ₊₁ = sin, cos(i / 10000^(2j/d))
3 layers:
│ x̃ = BatchNorm(x)
│ 2 heads:
│ │ qᵢ = Q·x̃ᵢ,  kⱼ = K·x̃ⱼ,  vⱼ = V·x̃ⱼ
│ │ αᵢⱼ = softmaxⱼ(qᵢ·kⱼ/√d),  √d, not √k, a slip
│ │ headₕ = Σⱼ αᵢⱼ vⱼ
│ f(x̃) = [head₁; …; head₂]
│ x ← x + f(x̃)
│ x ← dropout(ReLU(W·x + b), 0.1)
t̂ = (1/n) Σᵢ xᵢ
z = W·t̂ + b`},
		{"transformer", []string{"norm.place=before", "embedding.scale=sqrt_d"}, `
xᵢ = √d·xᵢ
xᵢ ← dropout(xᵢ, 0.1)
2 blocks:
│ x̃ = LayerNorm(x)
│ 5 heads:
│ │ qᵢ = Q·x̃ᵢ,  kⱼ = K·x̃ⱼ,  vⱼ = V·x̃ⱼ
│ │ αᵢⱼ = softmaxⱼ(qᵢ·kⱼ/√k)
│ │ headₕ = Σⱼ αᵢⱼ vⱼ
│ a = x + dropout([head₁; …; head₅]·O + b, 0.1)
│ x ← a + dropout(W₂·ReLU(W₁·LayerNorm(a) + b₁) + b₂, 0.1),  W₁: 200 wide
xᵢ ← LayerNorm(xᵢ)
t̂ = (1/n) Σᵢ xᵢ
z = W·t̂ + b`},
		{"seq2seq-bahdanau", nil, `
hᵢ = GRU(xᵢ, hᵢ₋₁)
h'ᵢ = GRU'(xᵢ, h'ᵢ₊₁)
hᵢ ← [hᵢ; h'ᵢ]
s₀ = tanh(W_s·h'₁ + b)
eₜⱼ = v·tanh(W₁·hⱼ + W₂·sₜ₋₁)
αₜ = softmaxⱼ(eₜⱼ)
cₜ = Σⱼ αₜⱼ hⱼ
sₜ = GRU([E·yₜ₋₁; cₜ], sₜ₋₁)
tₜ = tanh(U·[sₜ; cₜ; E·yₜ₋₁] + b),  U: 64 wide
zₜ = W·tₜ + b`},
	} {
		info := must.Get(models.Lookup(c.model))(t)
		require.Equal(t, c.want, "\n"+strings.Join(info.Equations(newModel(t, c.model, c.put...)), "\n"), "%s %v", c.model, c.put)
	}
}
