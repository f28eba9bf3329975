package published

// IMDBResult is a published accuracy on the 25 000 test reviews of IMDB, with the facts that are
// needed to compare it with others.
type IMDBResult struct {
	Model    string
	Accuracy float64 // in percent
	Paper    string  // authors and year
	Place    string  // in it: table or section
	Weights  int     // of the model, in all; 0: not stated

	Labels     int    // reviews with their class
	Unlabelled int    // of IMDB's own, without it
	Outside    string // what else was learned from; "" for nothing
	TestTexts  bool   // the texts of the test reviews were learned from, without their classes
	Chosen     string // by what settings and epoch were: Validation, Test, or "" where it is not known

	Doubt   string // why the number cannot be ranked, in addition to the flags
	Remark  string // what else to know
	Checked string // where the number was read when this table was made: InPaper, InIndex, or another paper
}

// By what something was chosen.
const (
	Validation = "validation"
	Test       = "test"
)

// Where a number was read: in the paper itself, or only in indexes of results such as Papers with
// Code, which do not show the paper.
const (
	InPaper = "the paper"
	InIndex = "indexes of results"
)

const (
	labelled   = 25_000
	unlabelled = 50_000

	inMiyato = "Miyato et al. 2017, table 2"
	inDieng  = "Dieng et al. 2017, table 4"
	inZhang  = "Zhang and Arefyev 2022, abstract"
)

// IMDB lists the published results on IMDB's test reviews by year. The flags of a number that was
// read elsewhere than in its paper come from there; unknown ones are left open.
var IMDB = []IMDBResult{
	{Model: "vectors and counts", Accuracy: 88.89, Paper: "Maas et al. 2011", Place: "Full + Unlabeled + BoW",
		Labels: labelled, Unlabelled: unlabelled, Checked: inMiyato},
	{Model: "NBSVM, bigrams", Accuracy: 91.22, Paper: "Wang and Manning 2012", Place: "NBSVM-bi",
		Labels: labelled, Checked: "Mesnil et al. 2015, section 3"},
	{Model: "paragraph vectors", Accuracy: 92.58, Paper: "Le and Mikolov 2014", Place: "section 3.2",
		Labels: labelled, Unlabelled: unlabelled, Checked: inMiyato,
		Doubt: "Mesnil et al. 2015 get 92.6 only while train and test are not shuffled, call it invalid, and have 88.7"},
	{Model: "NB-SVM, trigrams", Accuracy: 91.87, Paper: "Mesnil et al. 2015", Place: "table 1",
		Labels: labelled, Checked: InPaper},
	{Model: "ensemble", Accuracy: 92.57, Paper: "Mesnil et al. 2015", Place: "table 3",
		Labels: labelled, Unlabelled: unlabelled, TestTexts: true, Chosen: Validation, Checked: InPaper,
		Remark: "its code trains the paragraph vectors on the test texts, too"},
	{Model: "CNN of n-grams", Accuracy: 92.33, Paper: "Johnson and Zhang 2015", Place: "NAACL, seq2-bown-CNN",
		Labels: labelled, Checked: InIndex},
	{Model: "CNN of regions", Accuracy: 93.49, Paper: "Johnson and Zhang 2015", Place: "NIPS",
		Labels: labelled, Unlabelled: unlabelled, Checked: InIndex},
	{Model: "pretrained LSTM", Accuracy: 92.76, Paper: "Dai and Le 2015", Place: "SA-LSTM",
		Labels: labelled, Unlabelled: unlabelled, Checked: inMiyato},
	{Model: "LSTM and CNN", Accuracy: 94.06, Paper: "Johnson and Zhang 2016", Place: "oh-2LSTMp",
		Labels: labelled, Unlabelled: unlabelled, Checked: inMiyato},
	{Model: "pretrained LSTM", Accuracy: 92.61, Paper: "Miyato et al. 2017", Place: "table 2, baseline",
		Labels: labelled, Unlabelled: unlabelled, Chosen: Validation, Checked: InPaper},
	{Model: "adversarial LSTM", Accuracy: 93.79, Paper: "Miyato et al. 2017", Place: "table 2",
		Labels: labelled, Unlabelled: unlabelled, Chosen: Validation, Checked: InPaper},
	{Model: "virtual adversarial LSTM", Accuracy: 94.09, Paper: "Miyato et al. 2017", Place: "table 2",
		Labels: labelled, Unlabelled: unlabelled, Chosen: Validation, Checked: InPaper},
	{Model: "TopicRNN", Accuracy: 93.72, Paper: "Dieng et al. 2017", Place: "table 4",
		Labels: labelled, Unlabelled: unlabelled, Chosen: Validation, Checked: InPaper},
	{Model: "CoVe", Accuracy: 91.8, Paper: "McCann et al. 2017", Place: "IMDb",
		Labels: labelled, Outside: "GloVe and a translator", Checked: "Howard and Ruder 2018, table 2"},
	{Model: "ULMFiT", Accuracy: 95.42, Paper: "Howard and Ruder 2018", Place: "section 5",
		Labels: labelled, Unlabelled: unlabelled, Outside: "Wikipedia", Chosen: Validation, Checked: InPaper,
		Remark: "code of its authors' course trains the language model on test texts, too; the paper does not say"},
	{Model: "mixed objective LSTM", Accuracy: 95.68, Paper: "Sachan et al. 2019", Place: "L_MIXED",
		Labels: labelled, Unlabelled: unlabelled, Chosen: Test, Checked: InIndex,
		Remark: "its code chooses the epoch on the test reviews, and builds the vocabulary from them, too"},
	{Model: "document vectors and counts", Accuracy: 97.42, Paper: "Thongtan and Phienthrakul 2019", Place: "DV-ngrams-cosine + NB-weighted BON",
		Labels: labelled, Unlabelled: unlabelled, TestTexts: true, Checked: inZhang,
		Doubt:  "Zhang and Arefyev 2022 call it invalid, as rows of different documents were joined, and correct it to 93.68",
		Remark: "its vectors of the test reviews are trained together with those of train"},
	{Model: "document vectors and counts", Accuracy: 93.68, Paper: "Zhang and Arefyev 2022", Place: "abstract, corrected",
		Labels: labelled, Unlabelled: unlabelled, TestTexts: true, Checked: inZhang,
		Remark: "its vectors of the test reviews are trained together with those of train"},
	{Model: "XLNet", Accuracy: 96.21, Paper: "Yang et al. 2019", Place: "IMDb",
		Labels: labelled, Outside: "books, Wikipedia and web pages", Checked: InIndex},
	{Model: "RoBERTa-base", Accuracy: 95.79, Paper: "Zhang and Arefyev 2022", Place: "IMDb",
		Labels: labelled, Outside: "books, news and web pages", Checked: InIndex},
	{Model: "BERT-base", Accuracy: 93.46, Paper: "Sanh et al. 2019", Place: "table 2", Weights: 110_000_000,
		Labels: labelled, Outside: "books and Wikipedia", Checked: InPaper},
	{Model: "DistilBERT", Accuracy: 92.82, Paper: "Sanh et al. 2019", Place: "table 2", Weights: 66_000_000,
		Labels: labelled, Outside: "books and Wikipedia", Checked: InPaper},
}
