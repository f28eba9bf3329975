package report

// figureKind is what a figure of the published report shows.
type figureKind int

const (
	curvesKind    figureKind = iota // loss and accuracy, train and test, over the epochs
	entropiesKind                   // histograms of the attention's entropies, one an epoch
)

// publishedFigure says which run a figure of the published report shows.
type publishedFigure struct {
	number     int
	kind       figureKind
	experiment string
	optimizer  string
}

// publishedFigures are those of the report's TME 9. Figure 13 names no
// optimizer; the text beside it speaks of SGD.
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
}
