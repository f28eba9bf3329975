##### mean []
  OLD  t̂ = (1/n) Σᵢ xᵢ
  OLD  z = W·t̂ + b
  NEW  t̂ = (1/n) Σᵢ xᵢ
  NEW  z = W·t̂ + b
##### mean [dropout=0.3]
  OLD  t̂ = (1/n) Σᵢ xᵢ
  OLD  z = W·dropout(t̂, 0.3) + b
  NEW  t̂ = (1/n) Σᵢ xᵢ
  NEW  z = W·dropout(t̂, 0.3) + b
##### simple []
  OLD  αᵢ = softmaxᵢ(q·xᵢ)
  OLD  t̂ = Σᵢ αᵢ xᵢ
  OLD  z = W·t̂ + b
  NEW  αᵢ = softmaxᵢ(q·xᵢ)
  NEW  t̂ = Σᵢ αᵢ xᵢ
  NEW  z = W·t̂ + b
##### simple [lambda=0.01]
  OLD  αᵢ = softmaxᵢ(q·xᵢ)
  OLD  loss + 0.01·H(α)
  OLD  t̂ = Σᵢ αᵢ xᵢ
  OLD  z = W·t̂ + b
  NEW  αᵢ = softmaxᵢ(q·xᵢ)
  NEW  loss + 0.01·H(α)
  NEW  t̂ = Σᵢ αᵢ xᵢ
  NEW  z = W·t̂ + b
##### simple [lambda=0.001 slip.sum_entropy=true]
  OLD  αᵢ = softmaxᵢ(q·xᵢ)
  OLD  loss + 0.001·Σ H(α),  over the batch, a slip
  OLD  t̂ = Σᵢ αᵢ xᵢ
  OLD  z = W·t̂ + b
  NEW  αᵢ = softmaxᵢ(q·xᵢ)
  NEW  loss + 0.001·Σ H(α),  over the batch, a slip
  NEW  t̂ = Σᵢ αᵢ xᵢ
  NEW  z = W·t̂ + b
##### query []
  OLD  mean = (1/n) Σᵢ xᵢ
  OLD  q(t) = Q·mean + b
  OLD  αᵢ = softmaxᵢ(q(t)·xᵢ)
  OLD  t̂ = Σᵢ αᵢ xᵢ
  OLD  z = W·t̂ + b
  NEW  mean = (1/n) Σᵢ xᵢ
  NEW  q(t) = Q·mean + b
  NEW  αᵢ = softmaxᵢ(q(t)·xᵢ)
  NEW  t̂ = Σᵢ αᵢ xᵢ
  NEW  z = W·t̂ + b
##### query [slip.relu_logits=true]
  OLD  mean = (1/n) Σᵢ xᵢ
  OLD  q(t) = Q·mean + b
  OLD  αᵢ = softmaxᵢ(q(t)·xᵢ)
  OLD  t̂ = Σᵢ αᵢ xᵢ
  OLD  z = W·t̂ + b
  OLD  z ← ReLU(z),  a slip (slip.relu_logits)
  NEW  mean = (1/n) Σᵢ xᵢ
  NEW  q(t) = Q·mean + b
  NEW  αᵢ = softmaxᵢ(q(t)·xᵢ)
  NEW  t̂ = Σᵢ αᵢ xᵢ
  NEW  z = W·t̂ + b
  NEW  z ← ReLU(z),  a slip (slip.relu_logits)
##### query [key.map=linear query.activation=relu]
  OLD  k(xᵢ) = K·xᵢ + c
  OLD  mean = (1/n) Σᵢ xᵢ
  OLD  q(t) = ReLU(Q·mean + b)
  OLD  αᵢ = softmaxᵢ(q(t)·k(xᵢ))
  OLD  t̂ = Σᵢ αᵢ xᵢ
  OLD  z = W·t̂ + b
  NEW  k(xᵢ) = K·xᵢ + c
  NEW  mean = (1/n) Σᵢ xᵢ
  NEW  q(t) = ReLU(Q·mean + b)
  NEW  αᵢ = softmaxᵢ(q(t)·k(xᵢ))
  NEW  t̂ = Σᵢ αᵢ xᵢ
  NEW  z = W·t̂ + b
##### values []
  OLD  mean = (1/n) Σᵢ xᵢ
  OLD  q(t) = Q·mean + b
  OLD  αᵢ = softmaxᵢ(q(t)·xᵢ)
  OLD  v(xᵢ) = V·xᵢ + c
  OLD  t̂ = Σᵢ αᵢ v(xᵢ)
  OLD  z = W·t̂ + b
  NEW  mean = (1/n) Σᵢ xᵢ
  NEW  q(t) = Q·mean + b
  NEW  αᵢ = softmaxᵢ(q(t)·xᵢ)
  NEW  v(xᵢ) = V·xᵢ + c
  NEW  t̂ = Σᵢ αᵢ v(xᵢ)
  NEW  z = W·t̂ + b
##### values [key.map=tanh query.activation=tanh]
  OLD  k(xᵢ) = tanh(K·xᵢ + c)
  OLD  mean = (1/n) Σᵢ xᵢ
  OLD  q(t) = tanh(Q·mean + b)
  OLD  αᵢ = softmaxᵢ(q(t)·k(xᵢ))
  OLD  v(xᵢ) = V·xᵢ + c
  OLD  t̂ = Σᵢ αᵢ v(xᵢ)
  OLD  z = W·t̂ + b
  NEW  k(xᵢ) = tanh(K·xᵢ + c)
  NEW  mean = (1/n) Σᵢ xᵢ
  NEW  q(t) = tanh(Q·mean + b)
  NEW  αᵢ = softmaxᵢ(q(t)·k(xᵢ))
  NEW  v(xᵢ) = V·xᵢ + c
  NEW  t̂ = Σᵢ αᵢ v(xᵢ)
  NEW  z = W·t̂ + b
##### values [value.activation=relu]
  OLD  mean = (1/n) Σᵢ xᵢ
  OLD  q(t) = Q·mean + b
  OLD  αᵢ = softmaxᵢ(q(t)·xᵢ)
  OLD  v(xᵢ) = ReLU(V·xᵢ + c)
  OLD  t̂ = Σᵢ αᵢ v(xᵢ)
  OLD  z = W·t̂ + b
  NEW  mean = (1/n) Σᵢ xᵢ
  NEW  q(t) = Q·mean + b
  NEW  αᵢ = softmaxᵢ(q(t)·xᵢ)
  NEW  v(xᵢ) = ReLU(V·xᵢ + c)
  NEW  t̂ = Σᵢ αᵢ v(xᵢ)
  NEW  z = W·t̂ + b
##### values [value.activation=tanh lambda=0.01 dropout=0.2]
  OLD  mean = (1/n) Σᵢ xᵢ
  OLD  q(t) = Q·mean + b
  OLD  αᵢ = softmaxᵢ(q(t)·xᵢ)
  OLD  loss + 0.01·H(α)
  OLD  v(xᵢ) = tanh(V·xᵢ + c)
  OLD  t̂ = Σᵢ αᵢ v(xᵢ)
  OLD  z = W·dropout(t̂, 0.2) + b
  NEW  mean = (1/n) Σᵢ xᵢ
  NEW  q(t) = Q·mean + b
  NEW  αᵢ = softmaxᵢ(q(t)·xᵢ)
  NEW  loss + 0.01·H(α)
  NEW  v(xᵢ) = tanh(V·xᵢ + c)
  NEW  t̂ = Σᵢ αᵢ v(xᵢ)
  NEW  z = W·dropout(t̂, 0.2) + b
##### lstm []
  OLD  hᵢ = LSTM(xᵢ, hᵢ₋₁)
  OLD  mean = (1/n) Σᵢ hᵢ
  OLD  q(t) = Q·mean + b
  OLD  αᵢ = softmaxᵢ(q(t)·hᵢ)
  OLD  v(hᵢ) = V·hᵢ + c
  OLD  t̂ = Σᵢ αᵢ v(hᵢ)
  OLD  z = W·t̂ + b
  NEW  hᵢ = LSTM(xᵢ, hᵢ₋₁)
  NEW  mean = (1/n) Σᵢ hᵢ
  NEW  q(t) = Q·mean + b
  NEW  αᵢ = softmaxᵢ(q(t)·hᵢ)
  NEW  v(hᵢ) = V·hᵢ + c
  NEW  t̂ = Σᵢ αᵢ v(hᵢ)
  NEW  z = W·t̂ + b
##### lstm [lstm.hidden=7 value.activation=tanh]
  OLD  hᵢ = LSTM(xᵢ, hᵢ₋₁)
  OLD  mean = (1/n) Σᵢ hᵢ
  OLD  q(t) = Q·mean + b
  OLD  αᵢ = softmaxᵢ(q(t)·hᵢ)
  OLD  v(hᵢ) = tanh(V·hᵢ + c)
  OLD  t̂ = Σᵢ αᵢ v(hᵢ)
  OLD  z = W·t̂ + b
  NEW  hᵢ = LSTM(xᵢ, hᵢ₋₁)
  NEW  mean = (1/n) Σᵢ hᵢ
  NEW  q(t) = Q·mean + b
  NEW  αᵢ = softmaxᵢ(q(t)·hᵢ)
  NEW  v(hᵢ) = tanh(V·hᵢ + c)
  NEW  t̂ = Σᵢ αᵢ v(hᵢ)
  NEW  z = W·t̂ + b
##### lstm [pool=last]
  OLD  hᵢ = LSTM(xᵢ, hᵢ₋₁)
  OLD  t̂ = the last state
  OLD  z = W·t̂ + b
  NEW  hᵢ = LSTM(xᵢ, hᵢ₋₁)
  NEW  t̂ = the last state
  NEW  z = W·t̂ + b
##### lstm [pool=mean dropout=0.2]
  OLD  hᵢ = LSTM(xᵢ, hᵢ₋₁)
  OLD  t̂ = (1/n) Σᵢ hᵢ
  OLD  z = W·dropout(t̂, 0.2) + b
  NEW  hᵢ = LSTM(xᵢ, hᵢ₋₁)
  NEW  t̂ = (1/n) Σᵢ hᵢ
  NEW  z = W·dropout(t̂, 0.2) + b
##### lstm [slip.lstm_values_only=true]
  OLD  mean = (1/n) Σᵢ xᵢ
  OLD  q(t) = Q·mean + b
  OLD  αᵢ = softmaxᵢ(q(t)·xᵢ)
  OLD  hᵢ = LSTM(xᵢ, hᵢ₋₁)
  OLD  v(hᵢ) = V·hᵢ + c
  OLD  t̂ = Σᵢ αᵢ v(hᵢ)
  OLD  z = W·t̂ + b
  NEW  mean = (1/n) Σᵢ xᵢ
  NEW  q(t) = Q·mean + b
  NEW  αᵢ = softmaxᵢ(q(t)·xᵢ)
  NEW  hᵢ = LSTM(xᵢ, hᵢ₋₁)
  NEW  v(hᵢ) = V·hᵢ + c
  NEW  t̂ = Σᵢ αᵢ v(hᵢ)
  NEW  z = W·t̂ + b
##### lstm [slip.lstm_values_only=true slip.state_values=true]
  OLD  mean = (1/n) Σᵢ xᵢ
  OLD  q(t) = Q·mean + b
  OLD  αᵢ = softmaxᵢ(q(t)·xᵢ)
  OLD  hᵢ = LSTM(xᵢ, hᵢ₋₁)
  OLD  t̂ = Σᵢ αᵢ hᵢ
  OLD  z = W·t̂ + b
  NEW  mean = (1/n) Σᵢ xᵢ
  NEW  q(t) = Q·mean + b
  NEW  αᵢ = softmaxᵢ(q(t)·xᵢ)
  NEW  hᵢ = LSTM(xᵢ, hᵢ₋₁)
  NEW  t̂ = Σᵢ αᵢ hᵢ
  NEW  z = W·t̂ + b
##### lstm [lstm.bidirectional=true lambda=0.01]
  OLD  hᵢ = LSTM(xᵢ, hᵢ₋₁)
  OLD  h'ᵢ = LSTM'(xᵢ, h'ᵢ₊₁)
  OLD  hᵢ ← [hᵢ; h'ᵢ]
  OLD  mean = (1/n) Σᵢ hᵢ
  OLD  q(t) = Q·mean + b
  OLD  αᵢ = softmaxᵢ(q(t)·hᵢ)
  OLD  loss + 0.01·H(α)
  OLD  v(hᵢ) = V·hᵢ + c
  OLD  t̂ = Σᵢ αᵢ v(hᵢ)
  OLD  z = W·t̂ + b
  NEW  hᵢ = LSTM(xᵢ, hᵢ₋₁)
  NEW  h'ᵢ = LSTM'(xᵢ, h'ᵢ₊₁)
  NEW  hᵢ ← [hᵢ; h'ᵢ]
  NEW  mean = (1/n) Σᵢ hᵢ
  NEW  q(t) = Q·mean + b
  NEW  αᵢ = softmaxᵢ(q(t)·hᵢ)
  NEW  loss + 0.01·H(α)
  NEW  v(hᵢ) = V·hᵢ + c
  NEW  t̂ = Σᵢ αᵢ v(hᵢ)
  NEW  z = W·t̂ + b
##### lstm [lstm.bidirectional=true pool=last]
  OLD  hᵢ = LSTM(xᵢ, hᵢ₋₁)
  OLD  h'ᵢ = LSTM'(xᵢ, h'ᵢ₊₁)
  OLD  t̂ = the last state,  of each direction
  OLD  z = W·t̂ + b
  NEW  hᵢ = LSTM(xᵢ, hᵢ₋₁)
  NEW  h'ᵢ = LSTM'(xᵢ, h'ᵢ₊₁)
  NEW  t̂ = the last state,  of each direction
  NEW  z = W·t̂ + b
##### lstm [lstm.bidirectional=true pool=mean]
  OLD  hᵢ = LSTM(xᵢ, hᵢ₋₁)
  OLD  h'ᵢ = LSTM'(xᵢ, h'ᵢ₊₁)
  OLD  hᵢ ← [hᵢ; h'ᵢ]
  OLD  t̂ = (1/n) Σᵢ hᵢ
  OLD  z = W·t̂ + b
  NEW  hᵢ = LSTM(xᵢ, hᵢ₋₁)
  NEW  h'ᵢ = LSTM'(xᵢ, h'ᵢ₊₁)
  NEW  hᵢ ← [hᵢ; h'ᵢ]
  NEW  t̂ = (1/n) Σᵢ hᵢ
  NEW  z = W·t̂ + b
##### self []
  OLD  3 layers:
  OLD  │ x̃ = BatchNorm(x)
  OLD  │ qᵢ = Q·x̃ᵢ,  kⱼ = K·x̃ⱼ,  vⱼ = V·x̃ⱼ
  OLD  │ αᵢⱼ = softmaxⱼ(qᵢ·kⱼ/√40)
  OLD  │ f(x̃) = Σⱼ αᵢⱼ vⱼ
  OLD  │ x ← x + f(x̃)
  OLD  │ x ← dropout(ReLU(W·x + b), 0.1)
  OLD  t̂ = (1/n) Σᵢ xᵢ
  OLD  z = W·t̂ + b
  NEW  3 layers:
  NEW  │ x̃ = BatchNorm(x)
  NEW  │ qᵢ = Q·x̃ᵢ,  kⱼ = K·x̃ⱼ,  vⱼ = V·x̃ⱼ
  NEW  │ αᵢⱼ = softmaxⱼ(qᵢ·kⱼ/√40)
  NEW  │ f(x̃) = Σⱼ αᵢⱼ vⱼ
  NEW  │ x ← x + f(x̃)
  NEW  │ x ← dropout(ReLU(W·x + b), 0.1)
  NEW  t̂ = (1/n) Σᵢ xᵢ
  NEW  z = W·t̂ + b
##### self [positions=sinusoid pool=cls norm=layer norm.place=after heads=2 key.width=5]
  OLD  x₁ … xₙ ← [CLS] x₁ … xₙ, [CLS] is learned
  OLD  xᵢ ← xᵢ + PE(i)
  OLD  PE(i)₂ⱼ, PE(i)₂ⱼ₊₁ = sin, cos(i / 10000^(2j/d))
  OLD  3 layers:
  OLD  │ 2 heads:
  OLD  │ │ qᵢ = Q·xᵢ,  kⱼ = K·xⱼ,  vⱼ = V·xⱼ
  OLD  │ │ αᵢⱼ = softmaxⱼ(qᵢ·kⱼ/√5)
  OLD  │ │ headₕ = Σⱼ αᵢⱼ vⱼ
  OLD  │ f(x) = [head₁; …; head₂]
  OLD  │ x ← x + f(x)
  OLD  │ x ← dropout(LayerNorm(ReLU(W·x + b)), 0.1)
  OLD  t̂ = x at [CLS]
  OLD  z = W·t̂ + b
  NEW  x₁ … xₙ ← [CLS] x₁ … xₙ, [CLS] is learned
  NEW  xᵢ ← xᵢ + PE(i)
  NEW  PE(i)₂ⱼ, PE(i)₂ⱼ₊₁ = sin, cos(i / 10000^(2j/d))
  NEW  3 layers:
  NEW  │ 2 heads:
  NEW  │ │ qᵢ = Q·xᵢ,  kⱼ = K·xⱼ,  vⱼ = V·xⱼ
  NEW  │ │ αᵢⱼ = softmaxⱼ(qᵢ·kⱼ/√5)
  NEW  │ │ headₕ = Σⱼ αᵢⱼ vⱼ
  NEW  │ f(x) = [head₁; …; head₂]
  NEW  │ x ← x + f(x)
  NEW  │ x ← dropout(LayerNorm(ReLU(W·x + b)), 0.1)
  NEW  t̂ = x at [CLS]
  NEW  z = W·t̂ + b
##### self [positions=halves positions.base=1000 pool=attention norm=none activation=gelu scale=none residual=false]
  OLD  xᵢ ← xᵢ + PE(i)
  OLD  PE(i)ⱼ, PE(i)ⱼ₊ₘ = sin, cos(i / 1000^(j/(m−1))), m = d/2
  OLD  3 layers:
  OLD  │ qᵢ = Q·xᵢ,  kⱼ = K·xⱼ,  vⱼ = V·xⱼ
  OLD  │ αᵢⱼ = softmaxⱼ(qᵢ·kⱼ)
  OLD  │ f(x) = Σⱼ αᵢⱼ vⱼ
  OLD  │ x ← dropout(GELU(W·f(x) + b), 0.1)
  OLD  αᵢ = softmaxᵢ(q·xᵢ)
  OLD  t̂ = Σᵢ αᵢ xᵢ
  OLD  z = W·t̂ + b
  NEW  xᵢ ← xᵢ + PE(i)
  NEW  PE(i)ⱼ, PE(i)ⱼ₊ₘ = sin, cos(i / 1000^(j/(m−1))), m = d/2
  NEW  3 layers:
  NEW  │ qᵢ = Q·xᵢ,  kⱼ = K·xⱼ,  vⱼ = V·xⱼ
  NEW  │ αᵢⱼ = softmaxⱼ(qᵢ·kⱼ)
  NEW  │ f(x) = Σⱼ αᵢⱼ vⱼ
  NEW  │ x ← dropout(GELU(W·f(x) + b), 0.1)
  NEW  αᵢ = softmaxᵢ(q·xᵢ)
  NEW  t̂ = Σᵢ αᵢ xᵢ
  NEW  z = W·t̂ + b
##### self [positions=learned attention.dropout=0.2 layer.dropout=0.3]
  OLD  xᵢ ← xᵢ + pᵢ
  OLD  3 layers:
  OLD  │ x̃ = BatchNorm(x)
  OLD  │ qᵢ = Q·x̃ᵢ,  kⱼ = K·x̃ⱼ,  vⱼ = V·x̃ⱼ
  OLD  │ αᵢⱼ = softmaxⱼ(qᵢ·kⱼ/√40),  dropout 0.2
  OLD  │ f(x̃) = Σⱼ αᵢⱼ vⱼ
  OLD  │ x ← x + f(x̃)
  OLD  │ x ← dropout(ReLU(W·x + b), 0.3)
  OLD  t̂ = (1/n) Σᵢ xᵢ
  OLD  z = W·t̂ + b
  NEW  xᵢ ← xᵢ + pᵢ
  NEW  3 layers:
  NEW  │ x̃ = BatchNorm(x)
  NEW  │ qᵢ = Q·x̃ᵢ,  kⱼ = K·x̃ⱼ,  vⱼ = V·x̃ⱼ
  NEW  │ αᵢⱼ = softmaxⱼ(qᵢ·kⱼ/√40),  dropout 0.2
  NEW  │ f(x̃) = Σⱼ αᵢⱼ vⱼ
  NEW  │ x ← x + f(x̃)
  NEW  │ x ← dropout(ReLU(W·x + b), 0.3)
  NEW  t̂ = (1/n) Σᵢ xᵢ
  NEW  z = W·t̂ + b
##### self [slip.pad=true slip.softmax_queries=true slip.scale_d=true slip.no_residual=true slip.sigmoid_logits=true]
  OLD  x₁ … xₙ ← the same, and zero vectors up to the longest review of the batch, a slip
  OLD  3 layers:
  OLD  │ x̃ = BatchNorm(x)
  OLD  │ qᵢ = Q·x̃ᵢ,  kⱼ = K·x̃ⱼ,  vⱼ = V·x̃ⱼ
  OLD  │ αᵢⱼ = softmaxᵢ(qᵢ·kⱼ/√d),  over the queries, a slip,  √d, not √k, a slip
  OLD  │ f(x̃) = Σⱼ αᵢⱼ vⱼ
  OLD  │ x ← dropout(ReLU(W·f(x̃) + b), 0.1)
  OLD  t̂ = (1/n) Σᵢ xᵢ
  OLD  z = W·t̂ + b
  OLD  z ← sigmoid(z),  a slip (slip.sigmoid_logits)
  NEW  x₁ … xₙ ← the same, and zero vectors up to the longest review of the batch, a slip
  NEW  3 layers:
  NEW  │ x̃ = BatchNorm(x)
  NEW  │ qᵢ = Q·x̃ᵢ,  kⱼ = K·x̃ⱼ,  vⱼ = V·x̃ⱼ
  NEW  │ αᵢⱼ = softmaxᵢ(qᵢ·kⱼ/√d),  over the queries, a slip,  √d, not √k, a slip
  NEW  │ f(x̃) = Σⱼ αᵢⱼ vⱼ
  NEW  │ x ← dropout(ReLU(W·f(x̃) + b), 0.1)
  NEW  t̂ = (1/n) Σᵢ xᵢ
  NEW  z = W·t̂ + b
  NEW  z ← sigmoid(z),  a slip (slip.sigmoid_logits)
##### self [slip.pad=true slip.pad_statistics=true norm.eval=batch layers=2 pool=cls positions=sinusoid]
  OLD  x₁ … xₙ ← [CLS] x₁ … xₙ, [CLS] is learned
  OLD  x₁ … xₙ ← the same, and zero vectors up to the longest review of the batch, a slip
  OLD  xᵢ ← xᵢ + PE(i)
  OLD  PE(i)₂ⱼ, PE(i)₂ⱼ₊₁ = sin, cos(i / 10000^(2j/d))
  OLD  2 layers:
  OLD  │ x̃ = BatchNorm(x),  by the batch at test, too
  OLD  │ qᵢ = Q·x̃ᵢ,  kⱼ = K·x̃ⱼ,  vⱼ = V·x̃ⱼ
  OLD  │ αᵢⱼ = softmaxⱼ(qᵢ·kⱼ/√40)
  OLD  │ f(x̃) = Σⱼ αᵢⱼ vⱼ
  OLD  │ x ← x + f(x̃)
  OLD  │ x ← dropout(ReLU(W·x + b), 0.1)
  OLD  t̂ = x at [CLS]
  OLD  z = W·t̂ + b
  NEW  x₁ … xₙ ← [CLS] x₁ … xₙ, [CLS] is learned
  NEW  x₁ … xₙ ← the same, and zero vectors up to the longest review of the batch, a slip
  NEW  xᵢ ← xᵢ + PE(i)
  NEW  PE(i)₂ⱼ, PE(i)₂ⱼ₊₁ = sin, cos(i / 10000^(2j/d))
  NEW  2 layers:
  NEW  │ x̃ = BatchNorm(x),  by the batch at test, too
  NEW  │ qᵢ = Q·x̃ᵢ,  kⱼ = K·x̃ⱼ,  vⱼ = V·x̃ⱼ
  NEW  │ αᵢⱼ = softmaxⱼ(qᵢ·kⱼ/√40)
  NEW  │ f(x̃) = Σⱼ αᵢⱼ vⱼ
  NEW  │ x ← x + f(x̃)
  NEW  │ x ← dropout(ReLU(W·x + b), 0.1)
  NEW  t̂ = x at [CLS]
  NEW  z = W·t̂ + b
##### self [slip.pad=true slip.batch_slot_norm=true pool=cls positions=sinusoid]
  OLD  x₁ … xₙ ← [CLS] x₁ … xₙ, [CLS] is learned
  OLD  x₁ … xₙ ← the same, and zero vectors up to the longest review of the batch, a slip
  OLD  xᵢ ← xᵢ + PE(i)
  OLD  PE(i)₂ⱼ, PE(i)₂ⱼ₊₁ = sin, cos(i / 10000^(2j/d))
  OLD  3 layers:
  OLD  │ x̃ = Norm across the reviews of the batch(x),  a slip (slip.batch_slot_norm)
  OLD  │ qᵢ = Q·x̃ᵢ,  kⱼ = K·x̃ⱼ,  vⱼ = V·x̃ⱼ
  OLD  │ αᵢⱼ = softmaxⱼ(qᵢ·kⱼ/√40)
  OLD  │ f(x̃) = Σⱼ αᵢⱼ vⱼ
  OLD  │ x ← x + f(x̃)
  OLD  │ x ← dropout(ReLU(W·x + b), 0.1)
  OLD  t̂ = x at [CLS]
  OLD  z = W·t̂ + b
  NEW  x₁ … xₙ ← [CLS] x₁ … xₙ, [CLS] is learned
  NEW  x₁ … xₙ ← the same, and zero vectors up to the longest review of the batch, a slip
  NEW  xᵢ ← xᵢ + PE(i)
  NEW  PE(i)₂ⱼ, PE(i)₂ⱼ₊₁ = sin, cos(i / 10000^(2j/d))
  NEW  3 layers:
  NEW  │ x̃ = Norm across the reviews of the batch(x),  a slip (slip.batch_slot_norm)
  NEW  │ qᵢ = Q·x̃ᵢ,  kⱼ = K·x̃ⱼ,  vⱼ = V·x̃ⱼ
  NEW  │ αᵢⱼ = softmaxⱼ(qᵢ·kⱼ/√40)
  NEW  │ f(x̃) = Σⱼ αᵢⱼ vⱼ
  NEW  │ x ← x + f(x̃)
  NEW  │ x ← dropout(ReLU(W·x + b), 0.1)
  NEW  t̂ = x at [CLS]
  NEW  z = W·t̂ + b
##### self [positions=sinusoid positions.join=concat positions.base=100]
  OLD  xᵢ ← [xᵢ; PE(i)]
  OLD  PE(i)₂ⱼ, PE(i)₂ⱼ₊₁ = sin, cos(i / 100^(2j/d))
  OLD  3 layers:
  OLD  │ x̃ = BatchNorm(x)
  OLD  │ qᵢ = Q·x̃ᵢ,  kⱼ = K·x̃ⱼ,  vⱼ = V·x̃ⱼ
  OLD  │ αᵢⱼ = softmaxⱼ(qᵢ·kⱼ/√40)
  OLD  │ f(x̃) = Σⱼ αᵢⱼ vⱼ
  OLD  │ x ← x + f(x̃)
  OLD  │ x ← dropout(ReLU(W·x + b), 0.1)
  OLD  t̂ = (1/n) Σᵢ xᵢ
  OLD  z = W·t̂ + b
  NEW  xᵢ ← [xᵢ; PE(i)]
  NEW  PE(i)₂ⱼ, PE(i)₂ⱼ₊₁ = sin, cos(i / 100^(2j/d))
  NEW  3 layers:
  NEW  │ x̃ = BatchNorm(x)
  NEW  │ qᵢ = Q·x̃ᵢ,  kⱼ = K·x̃ⱼ,  vⱼ = V·x̃ⱼ
  NEW  │ αᵢⱼ = softmaxⱼ(qᵢ·kⱼ/√40)
  NEW  │ f(x̃) = Σⱼ αᵢⱼ vⱼ
  NEW  │ x ← x + f(x̃)
  NEW  │ x ← dropout(ReLU(W·x + b), 0.1)
  NEW  t̂ = (1/n) Σᵢ xᵢ
  NEW  z = W·t̂ + b
##### multihead [heads=3]
  OLD  1 layer:
  OLD  │ x̃ = LayerNorm(x)
  OLD  │ 3 heads:
  OLD  │ │ qᵢ = Q·x̃ᵢ,  kⱼ = K·x̃ⱼ,  vⱼ = V·x̃ⱼ
  OLD  │ │ αᵢⱼ = softmaxⱼ(qᵢ·kⱼ/√k)
  OLD  │ │ headₕ = Σⱼ αᵢⱼ vⱼ
  OLD  │ x ← x + [head₁; …; head₃]·O + b
  OLD  t̂ = (1/n) Σᵢ xᵢ
  OLD  z = W·t̂ + b
  NEW  1 layer:
  NEW  │ x̃ = LayerNorm(x)
  NEW  │ 3 heads:
  NEW  │ │ qᵢ = Q·x̃ᵢ,  kⱼ = K·x̃ⱼ,  vⱼ = V·x̃ⱼ
  NEW  │ │ αᵢⱼ = softmaxⱼ(qᵢ·kⱼ/√k)
  NEW  │ │ headₕ = Σⱼ αᵢⱼ vⱼ
  NEW  │ x ← x + [head₁; …; head₃]·O + b
  NEW  t̂ = (1/n) Σᵢ xᵢ
  NEW  z = W·t̂ + b
##### multihead [heads=4 layers=2 heads.penalty=0.01 norm=batch]
  OLD  2 layers:
  OLD  │ x̃ = BatchNorm(x)
  OLD  │ 4 heads:
  OLD  │ │ qᵢ = Q·x̃ᵢ,  kⱼ = K·x̃ⱼ,  vⱼ = V·x̃ⱼ
  OLD  │ │ αᵢⱼ = softmaxⱼ(qᵢ·kⱼ/√k)
  OLD  │ │ headₕ = Σⱼ αᵢⱼ vⱼ
  OLD  │ x ← x + [head₁; …; head₄]·O + b
  OLD  │ loss + 0.01·Σ cos²(Wᵢ, Wⱼ)
  OLD  t̂ = (1/n) Σᵢ xᵢ
  OLD  z = W·t̂ + b
  NEW  2 layers:
  NEW  │ x̃ = BatchNorm(x)
  NEW  │ 4 heads:
  NEW  │ │ qᵢ = Q·x̃ᵢ,  kⱼ = K·x̃ⱼ,  vⱼ = V·x̃ⱼ
  NEW  │ │ αᵢⱼ = softmaxⱼ(qᵢ·kⱼ/√k)
  NEW  │ │ headₕ = Σⱼ αᵢⱼ vⱼ
  NEW  │ x ← x + [head₁; …; head₄]·O + b
  NEW  │ loss + 0.01·Σ cos²(Wᵢ, Wⱼ)
  NEW  t̂ = (1/n) Σᵢ xᵢ
  NEW  z = W·t̂ + b
##### transformer [heads=3]
  OLD  xᵢ ← dropout(xᵢ, 0.1)
  OLD  2 blocks:
  OLD  │ 3 heads:
  OLD  │ │ qᵢ = Q·xᵢ,  kⱼ = K·xⱼ,  vⱼ = V·xⱼ
  OLD  │ │ αᵢⱼ = softmaxⱼ(qᵢ·kⱼ/√k)
  OLD  │ │ headₕ = Σⱼ αᵢⱼ vⱼ
  OLD  │ a = LayerNorm(x + dropout([head₁; …; head₃]·O + b, 0.1))
  OLD  │ x ← LayerNorm(a + dropout(W₂·ReLU(W₁·a + b₁) + b₂, 0.1)),  W₁: 200 wide
  OLD  t̂ = (1/n) Σᵢ xᵢ
  OLD  z = W·t̂ + b
  NEW  xᵢ ← dropout(xᵢ, 0.1)
  NEW  2 blocks:
  NEW  │ 3 heads:
  NEW  │ │ qᵢ = Q·xᵢ,  kⱼ = K·xⱼ,  vⱼ = V·xⱼ
  NEW  │ │ αᵢⱼ = softmaxⱼ(qᵢ·kⱼ/√k)
  NEW  │ │ headₕ = Σⱼ αᵢⱼ vⱼ
  NEW  │ a = LayerNorm(x + dropout([head₁; …; head₃]·O + b, 0.1))
  NEW  │ x ← LayerNorm(a + dropout(W₂·ReLU(W₁·a + b₁) + b₂, 0.1)),  W₁: 200 wide
  NEW  t̂ = (1/n) Σᵢ xᵢ
  NEW  z = W·t̂ + b
##### transformer [heads=2 width=8 ffn.width=9 norm.place=before activation=gelu pool=cls label_smoothing=0]
  OLD  xᵢ ← W·xᵢ + b,  W: 8 wide
  OLD  x₁ … xₙ ← [CLS] x₁ … xₙ, [CLS] is learned
  OLD  xᵢ ← dropout(xᵢ, 0.1)
  OLD  2 blocks:
  OLD  │ x̃ = LayerNorm(x)
  OLD  │ 2 heads:
  OLD  │ │ qᵢ = Q·x̃ᵢ,  kⱼ = K·x̃ⱼ,  vⱼ = V·x̃ⱼ
  OLD  │ │ αᵢⱼ = softmaxⱼ(qᵢ·kⱼ/√k)
  OLD  │ │ headₕ = Σⱼ αᵢⱼ vⱼ
  OLD  │ a = x + dropout([head₁; …; head₂]·O + b, 0.1)
  OLD  │ x ← a + dropout(W₂·GELU(W₁·LayerNorm(a) + b₁) + b₂, 0.1),  W₁: 9 wide
  OLD  xᵢ ← LayerNorm(xᵢ)
  OLD  t̂ = x at [CLS]
  OLD  z = W·t̂ + b
  NEW  xᵢ ← W·xᵢ + b,  W: 8 wide
  NEW  x₁ … xₙ ← [CLS] x₁ … xₙ, [CLS] is learned
  NEW  xᵢ ← dropout(xᵢ, 0.1)
  NEW  2 blocks:
  NEW  │ x̃ = LayerNorm(x)
  NEW  │ 2 heads:
  NEW  │ │ qᵢ = Q·x̃ᵢ,  kⱼ = K·x̃ⱼ,  vⱼ = V·x̃ⱼ
  NEW  │ │ αᵢⱼ = softmaxⱼ(qᵢ·kⱼ/√k)
  NEW  │ │ headₕ = Σⱼ αᵢⱼ vⱼ
  NEW  │ a = x + dropout([head₁; …; head₂]·O + b, 0.1)
  NEW  │ x ← a + dropout(W₂·GELU(W₁·LayerNorm(a) + b₁) + b₂, 0.1),  W₁: 9 wide
  NEW  xᵢ ← LayerNorm(xᵢ)
  NEW  t̂ = x at [CLS]
  NEW  z = W·t̂ + b
##### transformer [heads=2 embedding.scale=sqrt_d positions=halves positions.join=concat]
  OLD  xᵢ = √d·xᵢ
  OLD  xᵢ ← [xᵢ; PE(i)]
  OLD  PE(i)ⱼ, PE(i)ⱼ₊ₘ = sin, cos(i / 10000^(j/(m−1))), m = d/2
  OLD  xᵢ ← dropout(xᵢ, 0.1)
  OLD  2 blocks:
  OLD  │ 2 heads:
  OLD  │ │ qᵢ = Q·xᵢ,  kⱼ = K·xⱼ,  vⱼ = V·xⱼ
  OLD  │ │ αᵢⱼ = softmaxⱼ(qᵢ·kⱼ/√k)
  OLD  │ │ headₕ = Σⱼ αᵢⱼ vⱼ
  OLD  │ a = LayerNorm(x + dropout([head₁; …; head₂]·O + b, 0.1))
  OLD  │ x ← LayerNorm(a + dropout(W₂·ReLU(W₁·a + b₁) + b₂, 0.1)),  W₁: 200 wide
  OLD  t̂ = (1/n) Σᵢ xᵢ
  OLD  z = W·t̂ + b
  NEW  xᵢ = √d·xᵢ
  NEW  xᵢ ← [xᵢ; PE(i)]
  NEW  PE(i)ⱼ, PE(i)ⱼ₊ₘ = sin, cos(i / 10000^(j/(m−1))), m = d/2
  NEW  xᵢ ← dropout(xᵢ, 0.1)
  NEW  2 blocks:
  NEW  │ 2 heads:
  NEW  │ │ qᵢ = Q·xᵢ,  kⱼ = K·xⱼ,  vⱼ = V·xⱼ
  NEW  │ │ αᵢⱼ = softmaxⱼ(qᵢ·kⱼ/√k)
  NEW  │ │ headₕ = Σⱼ αᵢⱼ vⱼ
  NEW  │ a = LayerNorm(x + dropout([head₁; …; head₂]·O + b, 0.1))
  NEW  │ x ← LayerNorm(a + dropout(W₂·ReLU(W₁·a + b₁) + b₂, 0.1)),  W₁: 200 wide
  NEW  t̂ = (1/n) Σᵢ xᵢ
  NEW  z = W·t̂ + b
##### additive []
  OLD  hᵢ = LSTM(xᵢ, hᵢ₋₁)
  OLD  h'ᵢ = LSTM'(xᵢ, h'ᵢ₊₁)
  OLD  hᵢ ← [hᵢ; h'ᵢ]
  OLD  s = the last state
  OLD  αᵢ = softmaxᵢ(v·tanh(W₁·hᵢ + W₂·s + b))
  OLD  t̂ = Σᵢ αᵢ hᵢ
  OLD  z = W·t̂ + b
  NEW  hᵢ = LSTM(xᵢ, hᵢ₋₁)
  NEW  h'ᵢ = LSTM'(xᵢ, h'ᵢ₊₁)
  NEW  hᵢ ← [hᵢ; h'ᵢ]
  NEW  s = the last state
  NEW  αᵢ = softmaxᵢ(v·tanh(W₁·hᵢ + W₂·s + b))
  NEW  t̂ = Σᵢ αᵢ hᵢ
  NEW  z = W·t̂ + b
##### additive [cell=gru form=concat query=mean lambda=0.01]
  OLD  hᵢ = GRU(xᵢ, hᵢ₋₁)
  OLD  h'ᵢ = GRU'(xᵢ, h'ᵢ₊₁)
  OLD  hᵢ ← [hᵢ; h'ᵢ]
  OLD  s = (1/n) Σᵢ hᵢ
  OLD  αᵢ = softmaxᵢ(v·tanh(W·[hᵢ; s] + b))
  OLD  loss + 0.01·H(α)
  OLD  t̂ = Σᵢ αᵢ hᵢ
  OLD  z = W·t̂ + b
  NEW  hᵢ = GRU(xᵢ, hᵢ₋₁)
  NEW  h'ᵢ = GRU'(xᵢ, h'ᵢ₊₁)
  NEW  hᵢ ← [hᵢ; h'ᵢ]
  NEW  s = (1/n) Σᵢ hᵢ
  NEW  αᵢ = softmaxᵢ(v·tanh(W·[hᵢ; s] + b))
  NEW  loss + 0.01·H(α)
  NEW  t̂ = Σᵢ αᵢ hᵢ
  NEW  z = W·t̂ + b
##### additive [bidirectional=false query=learned]
  OLD  hᵢ = LSTM(xᵢ, hᵢ₋₁)
  OLD  s = a learned vector
  OLD  αᵢ = softmaxᵢ(v·tanh(W₁·hᵢ + W₂·s + b))
  OLD  t̂ = Σᵢ αᵢ hᵢ
  OLD  z = W·t̂ + b
  NEW  hᵢ = LSTM(xᵢ, hᵢ₋₁)
  NEW  s = a learned vector
  NEW  αᵢ = softmaxᵢ(v·tanh(W₁·hᵢ + W₂·s + b))
  NEW  t̂ = Σᵢ αᵢ hᵢ
  NEW  z = W·t̂ + b
##### luong []
  OLD  hᵢ = LSTM(xᵢ, hᵢ₋₁)
  OLD  h'ᵢ = LSTM'(xᵢ, h'ᵢ₊₁)
  OLD  hᵢ ← [hᵢ; h'ᵢ]
  OLD  s = the last state
  OLD  αᵢ = softmaxᵢ(s·W·hᵢ)
  OLD  c = Σᵢ αᵢ hᵢ
  OLD  t̂ = tanh(W_c·[c; s] + b)
  OLD  z = W·t̂ + b
  NEW  hᵢ = LSTM(xᵢ, hᵢ₋₁)
  NEW  h'ᵢ = LSTM'(xᵢ, h'ᵢ₊₁)
  NEW  hᵢ ← [hᵢ; h'ᵢ]
  NEW  s = the last state
  NEW  αᵢ = softmaxᵢ(s·W·hᵢ)
  NEW  c = Σᵢ αᵢ hᵢ
  NEW  t̂ = tanh(W_c·[c; s] + b)
  NEW  z = W·t̂ + b
##### luong [score=dot cell=gru query=mean scale=sqrt_k]
  OLD  hᵢ = GRU(xᵢ, hᵢ₋₁)
  OLD  h'ᵢ = GRU'(xᵢ, h'ᵢ₊₁)
  OLD  hᵢ ← [hᵢ; h'ᵢ]
  OLD  s = (1/n) Σᵢ hᵢ
  OLD  αᵢ = softmaxᵢ(s·hᵢ / √16)
  OLD  c = Σᵢ αᵢ hᵢ
  OLD  t̂ = tanh(W_c·[c; s] + b)
  OLD  z = W·t̂ + b
  NEW  hᵢ = GRU(xᵢ, hᵢ₋₁)
  NEW  h'ᵢ = GRU'(xᵢ, h'ᵢ₊₁)
  NEW  hᵢ ← [hᵢ; h'ᵢ]
  NEW  s = (1/n) Σᵢ hᵢ
  NEW  αᵢ = softmaxᵢ(s·hᵢ / √16)
  NEW  c = Σᵢ αᵢ hᵢ
  NEW  t̂ = tanh(W_c·[c; s] + b)
  NEW  z = W·t̂ + b
##### luong [scale=sqrt_k]
  OLD  hᵢ = LSTM(xᵢ, hᵢ₋₁)
  OLD  h'ᵢ = LSTM'(xᵢ, h'ᵢ₊₁)
  OLD  hᵢ ← [hᵢ; h'ᵢ]
  OLD  s = the last state
  OLD  αᵢ = softmaxᵢ(s·W·hᵢ / √16)
  OLD  c = Σᵢ αᵢ hᵢ
  OLD  t̂ = tanh(W_c·[c; s] + b)
  OLD  z = W·t̂ + b
  NEW  hᵢ = LSTM(xᵢ, hᵢ₋₁)
  NEW  h'ᵢ = LSTM'(xᵢ, h'ᵢ₊₁)
  NEW  hᵢ ← [hᵢ; h'ᵢ]
  NEW  s = the last state
  NEW  αᵢ = softmaxᵢ(s·W·hᵢ / √16)
  NEW  c = Σᵢ αᵢ hᵢ
  NEW  t̂ = tanh(W_c·[c; s] + b)
  NEW  z = W·t̂ + b
##### luong [score=concat bidirectional=false]
  OLD  hᵢ = LSTM(xᵢ, hᵢ₋₁)
  OLD  s = the last state
  OLD  αᵢ = softmaxᵢ(v·tanh(W·[hᵢ; s] + b))
  OLD  c = Σᵢ αᵢ hᵢ
  OLD  t̂ = tanh(W_c·[c; s] + b)
  OLD  z = W·t̂ + b
  NEW  hᵢ = LSTM(xᵢ, hᵢ₋₁)
  NEW  s = the last state
  NEW  αᵢ = softmaxᵢ(v·tanh(W·[hᵢ; s] + b))
  NEW  c = Σᵢ αᵢ hᵢ
  NEW  t̂ = tanh(W_c·[c; s] + b)
  NEW  z = W·t̂ + b
##### simple [attention=uniform]
  OLD  αᵢ = 1/n
  OLD  t̂ = Σᵢ αᵢ xᵢ
  OLD  z = W·t̂ + b
  NEW  αᵢ = 1/n
  NEW  t̂ = Σᵢ αᵢ xᵢ
  NEW  z = W·t̂ + b
##### simple [attention=frozen]
  OLD  αᵢ = softmaxᵢ(q·xᵢ),  never trained
  OLD  t̂ = Σᵢ αᵢ xᵢ
  OLD  z = W·t̂ + b
  NEW  αᵢ = softmaxᵢ(q·xᵢ),  never trained
  NEW  t̂ = Σᵢ αᵢ xᵢ
  NEW  z = W·t̂ + b
##### query [attention=imposed attention.base=x]
  OLD  αᵢ = that of another run
  OLD  t̂ = Σᵢ αᵢ xᵢ
  OLD  z = W·t̂ + b
  NEW  αᵢ = that of another run
  NEW  t̂ = Σᵢ αᵢ xᵢ
  NEW  z = W·t̂ + b
##### values [attention=frozen value.activation=tanh]
  OLD  mean = (1/n) Σᵢ xᵢ
  OLD  q(t) = Q·mean + b
  OLD  αᵢ = softmaxᵢ(q(t)·xᵢ),  never trained
  OLD  v(xᵢ) = tanh(V·xᵢ + c)
  OLD  t̂ = Σᵢ αᵢ v(xᵢ)
  OLD  z = W·t̂ + b
  NEW  mean = (1/n) Σᵢ xᵢ
  NEW  q(t) = Q·mean + b
  NEW  αᵢ = softmaxᵢ(q(t)·xᵢ),  never trained
  NEW  v(xᵢ) = tanh(V·xᵢ + c)
  NEW  t̂ = Σᵢ αᵢ v(xᵢ)
  NEW  z = W·t̂ + b
##### values [attention=imposed attention.base=x value.activation=tanh]
  OLD  αᵢ = that of another run
  OLD  v(xᵢ) = tanh(V·xᵢ + c)
  OLD  t̂ = Σᵢ αᵢ v(xᵢ)
  OLD  z = W·t̂ + b
  NEW  αᵢ = that of another run
  NEW  v(xᵢ) = tanh(V·xᵢ + c)
  NEW  t̂ = Σᵢ αᵢ v(xᵢ)
  NEW  z = W·t̂ + b
##### lstm [attention=uniform]
  OLD  hᵢ = LSTM(xᵢ, hᵢ₋₁)
  OLD  αᵢ = 1/n
  OLD  v(hᵢ) = V·hᵢ + c
  OLD  t̂ = Σᵢ αᵢ v(hᵢ)
  OLD  z = W·t̂ + b
  NEW  hᵢ = LSTM(xᵢ, hᵢ₋₁)
  NEW  αᵢ = 1/n
  NEW  v(hᵢ) = V·hᵢ + c
  NEW  t̂ = Σᵢ αᵢ v(hᵢ)
  NEW  z = W·t̂ + b
##### lstm [members=3 lambda=0.01 input.dropout=0.1 dropout=0.2]
  OLD  xᵢ ← dropout(xᵢ, 0.1)
  OLD  hᵢ = LSTM(xᵢ, hᵢ₋₁)
  OLD  mean = (1/n) Σᵢ hᵢ
  OLD  q(t) = Q·mean + b
  OLD  αᵢ = softmaxᵢ(q(t)·hᵢ)
  OLD  loss + 0.01·H(α)
  OLD  v(hᵢ) = V·hᵢ + c
  OLD  t̂ = Σᵢ αᵢ v(hᵢ)
  OLD  z = W·dropout(t̂, 0.2) + b
  OLD  z̄ = mean of the z of 3 networks,  alike but for their weights
  NEW  xᵢ ← dropout(xᵢ, 0.1)
  NEW  hᵢ = LSTM(xᵢ, hᵢ₋₁)
  NEW  mean = (1/n) Σᵢ hᵢ
  NEW  q(t) = Q·mean + b
  NEW  αᵢ = softmaxᵢ(q(t)·hᵢ)
  NEW  loss + 0.01·H(α)
  NEW  v(hᵢ) = V·hᵢ + c
  NEW  t̂ = Σᵢ αᵢ v(hᵢ)
  NEW  z = W·dropout(t̂, 0.2) + b
  NEW  z̄ = mean of the z of 3 networks,  alike but for their weights
##### lstm [attention=frozen]
  OLD  hᵢ = LSTM(xᵢ, hᵢ₋₁)
  OLD  mean = (1/n) Σᵢ hᵢ
  OLD  q(t) = Q·mean + b
  OLD  αᵢ = softmaxᵢ(q(t)·hᵢ),  never trained
  OLD  v(hᵢ) = V·hᵢ + c
  OLD  t̂ = Σᵢ αᵢ v(hᵢ)
  OLD  z = W·t̂ + b
  NEW  hᵢ = LSTM(xᵢ, hᵢ₋₁)
  NEW  mean = (1/n) Σᵢ hᵢ
  NEW  q(t) = Q·mean + b
  NEW  αᵢ = softmaxᵢ(q(t)·hᵢ),  never trained
  NEW  v(hᵢ) = V·hᵢ + c
  NEW  t̂ = Σᵢ αᵢ v(hᵢ)
  NEW  z = W·t̂ + b
##### lstm [attention=imposed attention.base=x]
  OLD  αᵢ = that of another run
  OLD  hᵢ = LSTM(xᵢ, hᵢ₋₁)
  OLD  v(hᵢ) = V·hᵢ + c
  OLD  t̂ = Σᵢ αᵢ v(hᵢ)
  OLD  z = W·t̂ + b
  NEW  αᵢ = that of another run
  NEW  hᵢ = LSTM(xᵢ, hᵢ₋₁)
  NEW  v(hᵢ) = V·hᵢ + c
  NEW  t̂ = Σᵢ αᵢ v(hᵢ)
  NEW  z = W·t̂ + b
##### additive [attention=uniform]
  OLD  hᵢ = LSTM(xᵢ, hᵢ₋₁)
  OLD  h'ᵢ = LSTM'(xᵢ, h'ᵢ₊₁)
  OLD  hᵢ ← [hᵢ; h'ᵢ]
  OLD  αᵢ = 1/n
  OLD  t̂ = Σᵢ αᵢ hᵢ
  OLD  z = W·t̂ + b
  NEW  hᵢ = LSTM(xᵢ, hᵢ₋₁)
  NEW  h'ᵢ = LSTM'(xᵢ, h'ᵢ₊₁)
  NEW  hᵢ ← [hᵢ; h'ᵢ]
  NEW  αᵢ = 1/n
  NEW  t̂ = Σᵢ αᵢ hᵢ
  NEW  z = W·t̂ + b
##### additive [attention=frozen query=learned]
  OLD  hᵢ = LSTM(xᵢ, hᵢ₋₁)
  OLD  h'ᵢ = LSTM'(xᵢ, h'ᵢ₊₁)
  OLD  hᵢ ← [hᵢ; h'ᵢ]
  OLD  s = a learned vector
  OLD  αᵢ = softmaxᵢ(v·tanh(W₁·hᵢ + W₂·s + b)),  never trained
  OLD  t̂ = Σᵢ αᵢ hᵢ
  OLD  z = W·t̂ + b
  NEW  hᵢ = LSTM(xᵢ, hᵢ₋₁)
  NEW  h'ᵢ = LSTM'(xᵢ, h'ᵢ₊₁)
  NEW  hᵢ ← [hᵢ; h'ᵢ]
  NEW  s = a learned vector
  NEW  αᵢ = softmaxᵢ(v·tanh(W₁·hᵢ + W₂·s + b)),  never trained
  NEW  t̂ = Σᵢ αᵢ hᵢ
  NEW  z = W·t̂ + b
##### luong [attention=uniform]
  OLD  hᵢ = LSTM(xᵢ, hᵢ₋₁)
  OLD  h'ᵢ = LSTM'(xᵢ, h'ᵢ₊₁)
  OLD  hᵢ ← [hᵢ; h'ᵢ]
  OLD  αᵢ = 1/n
  OLD  c = Σᵢ αᵢ hᵢ
  OLD  s = the last state
  OLD  t̂ = tanh(W_c·[c; s] + b)
  OLD  z = W·t̂ + b
  NEW  hᵢ = LSTM(xᵢ, hᵢ₋₁)
  NEW  h'ᵢ = LSTM'(xᵢ, h'ᵢ₊₁)
  NEW  hᵢ ← [hᵢ; h'ᵢ]
  NEW  αᵢ = 1/n
  NEW  c = Σᵢ αᵢ hᵢ
  NEW  s = the last state
  NEW  t̂ = tanh(W_c·[c; s] + b)
  NEW  z = W·t̂ + b
##### luong [attention=frozen]
  OLD  hᵢ = LSTM(xᵢ, hᵢ₋₁)
  OLD  h'ᵢ = LSTM'(xᵢ, h'ᵢ₊₁)
  OLD  hᵢ ← [hᵢ; h'ᵢ]
  OLD  s = the last state
  OLD  αᵢ = softmaxᵢ(s·W·hᵢ),  never trained
  OLD  c = Σᵢ αᵢ hᵢ
  OLD  t̂ = tanh(W_c·[c; s] + b)
  OLD  z = W·t̂ + b
  NEW  hᵢ = LSTM(xᵢ, hᵢ₋₁)
  NEW  h'ᵢ = LSTM'(xᵢ, h'ᵢ₊₁)
  NEW  hᵢ ← [hᵢ; h'ᵢ]
  NEW  s = the last state
  NEW  αᵢ = softmaxᵢ(s·W·hᵢ),  never trained
  NEW  c = Σᵢ αᵢ hᵢ
  NEW  t̂ = tanh(W_c·[c; s] + b)
  NEW  z = W·t̂ + b
##### seq2seq-plain []
  OLD  hᵢ = LSTM(xᵢ, hᵢ₊₁)
  OLD  s₀ = the last h, c
  OLD  sₜ = LSTM'(E·yₜ₋₁, sₜ₋₁)
  OLD  zₜ = W·sₜ + b
  NEW  hᵢ = LSTM(xᵢ, hᵢ₊₁)
  NEW  s₀ = the last h, c
  NEW  sₜ = LSTM'(E·yₜ₋₁, sₜ₋₁)
  NEW  zₜ = W·sₜ + b
##### seq2seq-plain [reverse=false layers=2 tied=true label_smoothing=0.1 dropout=0.1]
##### seq2seq-bahdanau []
  OLD  hᵢ = GRU(xᵢ, hᵢ₋₁)
  OLD  h'ᵢ = GRU'(xᵢ, h'ᵢ₊₁)
  OLD  hᵢ ← [hᵢ; h'ᵢ]
  OLD  s₀ = tanh(W_s·h'₁ + b)
  OLD  eₜⱼ = v·tanh(W₁·hⱼ + W₂·sₜ₋₁)
  OLD  αₜ = softmaxⱼ(eₜⱼ)
  OLD  cₜ = Σⱼ αₜⱼ hⱼ
  OLD  sₜ = GRU([E·yₜ₋₁; cₜ], sₜ₋₁)
  OLD  tₜ = tanh(U·[sₜ; cₜ; E·yₜ₋₁] + b),  U: 64 wide
  OLD  zₜ = W·tₜ + b
  NEW  hᵢ = GRU(xᵢ, hᵢ₋₁)
  NEW  h'ᵢ = GRU'(xᵢ, h'ᵢ₊₁)
  NEW  hᵢ ← [hᵢ; h'ᵢ]
  NEW  s₀ = tanh(W_s·h'₁ + b)
  NEW  eₜⱼ = v·tanh(W₁·hⱼ + W₂·sₜ₋₁)
  NEW  αₜ = softmaxⱼ(eₜⱼ)
  NEW  cₜ = Σⱼ αₜⱼ hⱼ
  NEW  sₜ = GRU([E·yₜ₋₁; cₜ], sₜ₋₁)
  NEW  tₜ = tanh(U·[sₜ; cₜ; E·yₜ₋₁] + b),  U: 64 wide
  NEW  zₜ = W·tₜ + b
##### seq2seq-bahdanau [form=concat tied=true dropout=0.1]
  OLD  xᵢ ← dropout(xᵢ, 0.1)
  OLD  hᵢ = GRU(xᵢ, hᵢ₋₁)
  OLD  h'ᵢ = GRU'(xᵢ, h'ᵢ₊₁)
  OLD  hᵢ ← [hᵢ; h'ᵢ]
  OLD  E·yₜ₋₁ ← dropout(E·yₜ₋₁, 0.1)
  OLD  s₀ = tanh(W_s·h'₁ + b)
  OLD  eₜⱼ = v·tanh(W·[hⱼ; sₜ₋₁])
  OLD  αₜ = softmaxⱼ(eₜⱼ)
  OLD  cₜ = Σⱼ αₜⱼ hⱼ
  OLD  sₜ = GRU([E·yₜ₋₁; cₜ], sₜ₋₁)
  OLD  tₜ = tanh(U·[sₜ; cₜ; E·yₜ₋₁] + b),  U: 64 wide
  OLD  tₜ ← dropout(tₜ, 0.1)
  OLD  zₜ = E·tₜ + b,  E: the embeddings of y
  NEW  xᵢ ← dropout(xᵢ, 0.1)
  NEW  hᵢ = GRU(xᵢ, hᵢ₋₁)
  NEW  h'ᵢ = GRU'(xᵢ, h'ᵢ₊₁)
  NEW  hᵢ ← [hᵢ; h'ᵢ]
  NEW  E·yₜ₋₁ ← dropout(E·yₜ₋₁, 0.1)
  NEW  s₀ = tanh(W_s·h'₁ + b)
  NEW  eₜⱼ = v·tanh(W·[hⱼ; sₜ₋₁])
  NEW  αₜ = softmaxⱼ(eₜⱼ)
  NEW  cₜ = Σⱼ αₜⱼ hⱼ
  NEW  sₜ = GRU([E·yₜ₋₁; cₜ], sₜ₋₁)
  NEW  tₜ = tanh(U·[sₜ; cₜ; E·yₜ₋₁] + b),  U: 64 wide
  NEW  tₜ ← dropout(tₜ, 0.1)
  NEW  zₜ = E·tₜ + b,  E: the embeddings of y
##### seq2seq-luong []
  OLD  hᵢ = LSTM(xᵢ, hᵢ₋₁)
  OLD  s₀ = the last h, c
  OLD  sₜ = LSTM'(E·yₜ₋₁, sₜ₋₁)
  OLD  eₜⱼ = sₜ·W·hⱼ
  OLD  αₜ = softmaxⱼ(eₜⱼ)
  OLD  cₜ = Σⱼ αₜⱼ W_c·hⱼ
  OLD  s̃ₜ = tanh(cₜ + W_s·sₜ + b),  W_s: 64 wide
  OLD  zₜ = W·s̃ₜ + b
  NEW  hᵢ = LSTM(xᵢ, hᵢ₋₁)
  NEW  s₀ = the last h, c
  NEW  sₜ = LSTM'(E·yₜ₋₁, sₜ₋₁)
  NEW  eₜⱼ = sₜ·W·hⱼ
  NEW  αₜ = softmaxⱼ(eₜⱼ)
  NEW  cₜ = Σⱼ αₜⱼ W_c·hⱼ
  NEW  s̃ₜ = tanh(cₜ + W_s·sₜ + b),  W_s: 64 wide
  NEW  zₜ = W·s̃ₜ + b
##### seq2seq-luong [scale=sqrt_k]
  OLD  hᵢ = LSTM(xᵢ, hᵢ₋₁)
  OLD  s₀ = the last h, c
  OLD  sₜ = LSTM'(E·yₜ₋₁, sₜ₋₁)
  OLD  eₜⱼ = sₜ·W·hⱼ / √8
  OLD  αₜ = softmaxⱼ(eₜⱼ)
  OLD  cₜ = Σⱼ αₜⱼ W_c·hⱼ
  OLD  s̃ₜ = tanh(cₜ + W_s·sₜ + b),  W_s: 64 wide
  OLD  zₜ = W·s̃ₜ + b
  NEW  hᵢ = LSTM(xᵢ, hᵢ₋₁)
  NEW  s₀ = the last h, c
  NEW  sₜ = LSTM'(E·yₜ₋₁, sₜ₋₁)
  NEW  eₜⱼ = sₜ·W·hⱼ / √8
  NEW  αₜ = softmaxⱼ(eₜⱼ)
  NEW  cₜ = Σⱼ αₜⱼ W_c·hⱼ
  NEW  s̃ₜ = tanh(cₜ + W_s·sₜ + b),  W_s: 64 wide
  NEW  zₜ = W·s̃ₜ + b
##### seq2seq-luong [score=dot cell=gru layers=2]
  OLD  hᵢ = GRU(xᵢ, hᵢ₋₁),  2 layers
  OLD  s₀ = the last h
  OLD  sₜ = GRU'(E·yₜ₋₁, sₜ₋₁),  2 layers
  OLD  eₜⱼ = sₜ·hⱼ
  OLD  αₜ = softmaxⱼ(eₜⱼ)
  OLD  cₜ = Σⱼ αₜⱼ W_c·hⱼ
  OLD  s̃ₜ = tanh(cₜ + W_s·sₜ + b),  W_s: 64 wide
  OLD  zₜ = W·s̃ₜ + b
  NEW  hᵢ = GRU(xᵢ, hᵢ₋₁),  2 layers
  NEW  s₀ = the last h
  NEW  sₜ = GRU'(E·yₜ₋₁, sₜ₋₁),  2 layers
  NEW  eₜⱼ = sₜ·hⱼ
  NEW  αₜ = softmaxⱼ(eₜⱼ)
  NEW  cₜ = Σⱼ αₜⱼ W_c·hⱼ
  NEW  s̃ₜ = tanh(cₜ + W_s·sₜ + b),  W_s: 64 wide
  NEW  zₜ = W·s̃ₜ + b
##### seq2seq-luong [score=concat tied=true]
  OLD  hᵢ = LSTM(xᵢ, hᵢ₋₁)
  OLD  s₀ = the last h, c
  OLD  sₜ = LSTM'(E·yₜ₋₁, sₜ₋₁)
  OLD  eₜⱼ = v·tanh(W₁·hⱼ + W₂·sₜ)
  OLD  αₜ = softmaxⱼ(eₜⱼ)
  OLD  cₜ = Σⱼ αₜⱼ W_c·hⱼ
  OLD  s̃ₜ = tanh(cₜ + W_s·sₜ + b),  W_s: 64 wide
  OLD  zₜ = E·s̃ₜ + b,  E: the embeddings of y
  NEW  hᵢ = LSTM(xᵢ, hᵢ₋₁)
  NEW  s₀ = the last h, c
  NEW  sₜ = LSTM'(E·yₜ₋₁, sₜ₋₁)
  NEW  eₜⱼ = v·tanh(W₁·hⱼ + W₂·sₜ)
  NEW  αₜ = softmaxⱼ(eₜⱼ)
  NEW  cₜ = Σⱼ αₜⱼ W_c·hⱼ
  NEW  s̃ₜ = tanh(cₜ + W_s·sₜ + b),  W_s: 64 wide
  NEW  zₜ = E·s̃ₜ + b,  E: the embeddings of y
##### seq2seq-transformer []
  OLD  yₜ = √128·E·yₜ₋₁ + PE(t)
  OLD  PE(t)₂ⱼ, PE(t)₂ⱼ₊₁ = sin, cos(t / 10000^(2j/d))
  OLD  xᵢ = √128·xᵢ + PE(i)
  OLD  PE(i)₂ⱼ, PE(i)₂ⱼ₊₁ = sin, cos(i / 10000^(2j/d))
  OLD  2 blocks of the encoder:
  OLD  │ 4 heads:
  OLD  │ │ qᵢ = Q·xᵢ,  kⱼ = K·xⱼ,  vⱼ = V·xⱼ
  OLD  │ │ αᵢⱼ = softmaxⱼ(qᵢ·kⱼ/√k)
  OLD  │ │ headₕ = Σⱼ αᵢⱼ vⱼ
  OLD  │ a = LayerNorm(x + [head₁; …; head₄]·O + b)
  OLD  │ x ← LayerNorm(a + W₂·ReLU(W₁·a + b₁) + b₂),  W₁: 256 wide
  OLD  2 blocks of the decoder:
  OLD  │ 4 heads:
  OLD  │ │ qₜ = Q·yₜ,  kⱼ = K·yⱼ,  vⱼ = V·yⱼ,  j ≤ t
  OLD  │ │ αₜⱼ = softmaxⱼ(qₜ·kⱼ/√k)
  OLD  │ │ headₕ = Σⱼ αₜⱼ vⱼ
  OLD  │ y ← LayerNorm(y + [head₁; …; head₄]·O + b)
  OLD  │ 4 heads:
  OLD  │ │ qₜ = Q·yₜ,  kⱼ = K·xⱼ,  vⱼ = V·xⱼ
  OLD  │ │ αₜⱼ = softmaxⱼ(qₜ·kⱼ/√k)
  OLD  │ │ headₕ = Σⱼ αₜⱼ vⱼ
  OLD  │ y ← LayerNorm(y + [head₁; …; head₄]·O + b)
  OLD  │ y ← LayerNorm(y + W₂·ReLU(W₁·y + b₁) + b₂),  W₁: 256 wide
  OLD  zₜ = W·yₜ + b
  NEW  yₜ = √128·E·yₜ₋₁ + PE(t)
  NEW  PE(t)₂ⱼ, PE(t)₂ⱼ₊₁ = sin, cos(t / 10000^(2j/d))
  NEW  xᵢ = √128·xᵢ + PE(i)
  NEW  PE(i)₂ⱼ, PE(i)₂ⱼ₊₁ = sin, cos(i / 10000^(2j/d))
  NEW  2 blocks of the encoder:
  NEW  │ 4 heads:
  NEW  │ │ qᵢ = Q·xᵢ,  kⱼ = K·xⱼ,  vⱼ = V·xⱼ
  NEW  │ │ αᵢⱼ = softmaxⱼ(qᵢ·kⱼ/√k)
  NEW  │ │ headₕ = Σⱼ αᵢⱼ vⱼ
  NEW  │ a = LayerNorm(x + [head₁; …; head₄]·O + b)
  NEW  │ x ← LayerNorm(a + W₂·ReLU(W₁·a + b₁) + b₂),  W₁: 256 wide
  NEW  2 blocks of the decoder:
  NEW  │ 4 heads:
  NEW  │ │ qₜ = Q·yₜ,  kⱼ = K·yⱼ,  vⱼ = V·yⱼ,  j ≤ t
  NEW  │ │ αₜⱼ = softmaxⱼ(qₜ·kⱼ/√k)
  NEW  │ │ headₕ = Σⱼ αₜⱼ vⱼ
  NEW  │ y ← LayerNorm(y + [head₁; …; head₄]·O + b)
  NEW  │ 4 heads:
  NEW  │ │ qₜ = Q·yₜ,  kⱼ = K·xⱼ,  vⱼ = V·xⱼ
  NEW  │ │ αₜⱼ = softmaxⱼ(qₜ·kⱼ/√k)
  NEW  │ │ headₕ = Σⱼ αₜⱼ vⱼ
  NEW  │ y ← LayerNorm(y + [head₁; …; head₄]·O + b)
  NEW  │ y ← LayerNorm(y + W₂·ReLU(W₁·y + b₁) + b₂),  W₁: 256 wide
  NEW  zₜ = W·yₜ + b
##### seq2seq-transformer [norm.place=before layers=1 tied=true label_smoothing=0.1 dropout=0.1]
  OLD  yₜ = √128·E·yₜ₋₁ + PE(t)
  OLD  PE(t)₂ⱼ, PE(t)₂ⱼ₊₁ = sin, cos(t / 10000^(2j/d))
  OLD  yₜ ← dropout(yₜ, 0.1)
  OLD  xᵢ = √128·xᵢ + PE(i)
  OLD  PE(i)₂ⱼ, PE(i)₂ⱼ₊₁ = sin, cos(i / 10000^(2j/d))
  OLD  xᵢ ← dropout(xᵢ, 0.1)
  OLD  1 block of the encoder:
  OLD  │ x̃ = LayerNorm(x)
  OLD  │ 4 heads:
  OLD  │ │ qᵢ = Q·x̃ᵢ,  kⱼ = K·x̃ⱼ,  vⱼ = V·x̃ⱼ
  OLD  │ │ αᵢⱼ = softmaxⱼ(qᵢ·kⱼ/√k)
  OLD  │ │ headₕ = Σⱼ αᵢⱼ vⱼ
  OLD  │ a = x + dropout([head₁; …; head₄]·O + b, 0.1)
  OLD  │ x ← a + dropout(W₂·ReLU(W₁·LayerNorm(a) + b₁) + b₂, 0.1),  W₁: 256 wide
  OLD  xᵢ ← LayerNorm(xᵢ)
  OLD  1 block of the decoder:
  OLD  │ ỹ = LayerNorm(y)
  OLD  │ 4 heads:
  OLD  │ │ qₜ = Q·ỹₜ,  kⱼ = K·ỹⱼ,  vⱼ = V·ỹⱼ,  j ≤ t
  OLD  │ │ αₜⱼ = softmaxⱼ(qₜ·kⱼ/√k)
  OLD  │ │ headₕ = Σⱼ αₜⱼ vⱼ
  OLD  │ y ← y + dropout([head₁; …; head₄]·O + b, 0.1)
  OLD  │ ỹ = LayerNorm(y)
  OLD  │ 4 heads:
  OLD  │ │ qₜ = Q·ỹₜ,  kⱼ = K·xⱼ,  vⱼ = V·xⱼ
  OLD  │ │ αₜⱼ = softmaxⱼ(qₜ·kⱼ/√k)
  OLD  │ │ headₕ = Σⱼ αₜⱼ vⱼ
  OLD  │ y ← y + dropout([head₁; …; head₄]·O + b, 0.1)
  OLD  │ y ← y + dropout(W₂·ReLU(W₁·LayerNorm(y) + b₁) + b₂, 0.1),  W₁: 256 wide
  OLD  yₜ ← LayerNorm(yₜ)
  OLD  zₜ = E·yₜ + b,  E: the embeddings of y
  NEW  yₜ = √128·E·yₜ₋₁ + PE(t)
  NEW  PE(t)₂ⱼ, PE(t)₂ⱼ₊₁ = sin, cos(t / 10000^(2j/d))
  NEW  yₜ ← dropout(yₜ, 0.1)
  NEW  xᵢ = √128·xᵢ + PE(i)
  NEW  PE(i)₂ⱼ, PE(i)₂ⱼ₊₁ = sin, cos(i / 10000^(2j/d))
  NEW  xᵢ ← dropout(xᵢ, 0.1)
  NEW  1 block of the encoder:
  NEW  │ x̃ = LayerNorm(x)
  NEW  │ 4 heads:
  NEW  │ │ qᵢ = Q·x̃ᵢ,  kⱼ = K·x̃ⱼ,  vⱼ = V·x̃ⱼ
  NEW  │ │ αᵢⱼ = softmaxⱼ(qᵢ·kⱼ/√k)
  NEW  │ │ headₕ = Σⱼ αᵢⱼ vⱼ
  NEW  │ a = x + dropout([head₁; …; head₄]·O + b, 0.1)
  NEW  │ x ← a + dropout(W₂·ReLU(W₁·LayerNorm(a) + b₁) + b₂, 0.1),  W₁: 256 wide
  NEW  xᵢ ← LayerNorm(xᵢ)
  NEW  1 block of the decoder:
  NEW  │ ỹ = LayerNorm(y)
  NEW  │ 4 heads:
  NEW  │ │ qₜ = Q·ỹₜ,  kⱼ = K·ỹⱼ,  vⱼ = V·ỹⱼ,  j ≤ t
  NEW  │ │ αₜⱼ = softmaxⱼ(qₜ·kⱼ/√k)
  NEW  │ │ headₕ = Σⱼ αₜⱼ vⱼ
  NEW  │ y ← y + dropout([head₁; …; head₄]·O + b, 0.1)
  NEW  │ ỹ = LayerNorm(y)
  NEW  │ 4 heads:
  NEW  │ │ qₜ = Q·ỹₜ,  kⱼ = K·xⱼ,  vⱼ = V·xⱼ
  NEW  │ │ αₜⱼ = softmaxⱼ(qₜ·kⱼ/√k)
  NEW  │ │ headₕ = Σⱼ αₜⱼ vⱼ
  NEW  │ y ← y + dropout([head₁; …; head₄]·O + b, 0.1)
  NEW  │ y ← y + dropout(W₂·ReLU(W₁·LayerNorm(y) + b₁) + b₂, 0.1),  W₁: 256 wide
  NEW  yₜ ← LayerNorm(yₜ)
  NEW  zₜ = E·yₜ + b,  E: the embeddings of y
