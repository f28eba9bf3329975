package figures

// kind is what a figure of the published report shows.
type kind int

const (
	curvesKind    kind = iota // loss and accuracy, train and test, over the epochs
	entropiesKind             // histograms of the attention's entropies, one an epoch
)

// publishedFigure says which run a figure of the published report shows.
type publishedFigure struct {
	number     int
	kind       kind
	experiment string
	optimizer  string
}

// publishedFigures are those made from one run. Figure 13 names no optimizer;
// the text beside it speaks of SGD. Figure 22's caption says SGD, its curve's own
// tag does not.
var publishedFigures = []publishedFigure{
	{2, curvesKind, "tme9-mean", "adam"},
	{3, curvesKind, "tme9-simple", "adam"},
	{4, entropiesKind, "tme9-simple", "sgd"},
	{7, curvesKind, "tme9-query", "adam"},
	{8, curvesKind, "tme9-values", "adam"},
	{9, curvesKind, "tme9-values", "sgd"},
	{10, entropiesKind, "tme9-values", "sgd"},
	{11, curvesKind, "tme9-lstm", "adam"},
	{12, curvesKind, "tme9-lstm", "sgd"},
	{13, entropiesKind, "tme9-lstm", "sgd"},
	{14, curvesKind, "tme9-entropy", "sgd"},
	{15, entropiesKind, "tme9-entropy", "sgd"},
	{16, entropiesKind, "tme9-simple", "adam"},
	{17, curvesKind, "tme10-self", "adam"},
	{19, curvesKind, "tme10-pe", "adam"},
	{20, curvesKind, "tme10-pe", "sgd"},
	{21, curvesKind, "tme10-cls", "adam"},
	{22, curvesKind, "tme10-cls-pe", "adam"},
}
