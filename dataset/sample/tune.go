package sample

const (
	moodPercent        = 90
	negatedPercent     = 18
	intensifiedPercent = 30
	pairPct            = 20
	conPct             = 13
	ordPct             = 10
	weiPct             = 7
	minPlots           = 0
	morePlots          = 2
	distractors        = 1
	agreePercent       = 57
	fillerPct          = 50
)
