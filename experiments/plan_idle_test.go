package experiments_test

import (
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"imdbexp/experiments"
	"imdbexp/experiments/plan"
	"imdbexp/internal/settings"
	"imdbexp/internal/testkit/must"
	"imdbexp/models"
)

func TestIdleSettings(t *testing.T) {
	for words, want := range map[string][]string{
		"tme9-lstm schedule.factor=0.5": {"schedule.factor=0.5 has no effect under schedule=constant: it needs schedule=step"},
		"tme9-lstm schedule.factor=0.1": nil, // as it is anyway
		"tme9-lstm schedule=constant,step schedule.factor=0.5": {
			"schedule.factor=0.5 has no effect under schedule=constant: it needs schedule=step"},
		"tme9-lstm schedule=step schedule.factor=0.5":    nil,
		"tme10-self positions.max=600":                   {"positions.max=600 has no effect under positions=none: it needs positions=learned"},
		"tme10-self positions=learned positions.max=600": nil,
		"tme10-self slip.pad=true slip.batch_slot_norm=true norm=layer": {
			"norm=layer has no effect under slip.batch_slot_norm=true: it needs slip.batch_slot_norm=false"},
		"tme10-self slip.pad=true slip.batch_slot_norm=true norm=none norm.place=after": {
			"norm=none has no effect under slip.batch_slot_norm=true: it needs slip.batch_slot_norm=false"},
		"tme10-self norm=none norm.place=after": {
			"norm.place=after has no effect under norm=none and slip.batch_slot_norm=false: it needs norm other than none, or slip.batch_slot_norm=true"},
		"multihead heads=1 heads.penalty=0.1":             {"heads.penalty=0.1 has no effect under heads=1: it needs heads other than 1"},
		"multihead heads=1,2 heads.penalty=0.1":           {"heads.penalty=0.1 has no effect under heads=1: it needs heads other than 1"},
		"seq2seq-luong score=concat scale=sqrt_k":         {"scale=sqrt_k has no effect under score=concat: it needs score=dot or general"},
		"seq2seq-luong score=dot scale=sqrt_k":            nil,
		"seq2seq-luong beam=1 beam.alpha=0":               {"beam.alpha=0 has no effect under beam=1: it needs beam other than 1"},
		"seq2seq-luong beam.alpha=0":                      nil,
		"tme9-simple slip.choose_on_test=true":            {"slip.choose_on_test=true has no effect under select=last and patience=0: it needs select=best, or patience other than 0"},
		"tme9-simple slip.choose_on_test=true patience=2": nil,
		"tme9-lstm vectors=mine vectors.dim=50":           {"vectors.dim=50 has no effect under vectors=mine: it needs vectors=corpus or random or auto"},
		"tme9-lstm vectors=mine,corpus vectors.dim=50":    {"vectors.dim=50 has no effect under vectors=mine: it needs vectors=corpus or random or auto"},
		"tme9-lstm vectors=glove50 vectors.dim=50":        nil, // as it is anyway
		"tme9-lstm vectors=mine":                          nil,
	} {
		plans := must.Get(plan.Resolve(t.Context(), strings.Fields(words), "sample"))(t)
		require.Equal(t, want, plan.Idle(plans), words)
	}
	// Nobody is told of what the experiments say, each with its rows and slips.
	for _, e := range experiments.All() {
		plans := must.Get(plan.Resolve(t.Context(), []string{e.Name, "variant=" + strings.Join(append(e.Variants(), "default"), ",")}, "sample"))(t)
		require.Empty(t, plan.Idle(plans), e.Name)
	}
}

// What settings need is there, and can be had.
func TestNeedsAreSettings(t *testing.T) {
	for _, name := range models.Names() {
		info := must.Get(models.Lookup(name))(t)
		set := must.Get(settings.New(&settings.Run{}, info.New()))(t)
		for _, s := range set.All() {
			for one := range strings.FieldsSeq(s.Needs) {
				key, values, _ := strings.Cut(one, "=")
				other, known := set.Get(strings.TrimSuffix(key, "!"))
				require.True(t, known, "%s of %s needs %s", s.Key, info.Name, one)
				for value := range strings.SplitSeq(values, "|") {
					ok := other.Choices == nil || slices.Contains(other.Choices, value)
					require.True(t, ok, "%s of %s needs %s", s.Key, info.Name, one)
				}
			}
		}
	}
}

// ofChoice finds the words that begin a text as its only word, or follow "of".
var ofChoice = regexp.MustCompile(`(^\w+( and \w+)?$|\bof \w+( and \w+)?)`)

// A setting whose help begins with a choice of another setting, such as "of learned: …", has no effect
// with the other choices.
func TestSettingsOfAChoiceNeedIt(t *testing.T) {
	of := 0
	for _, e := range experiments.All() {
		p := must.Get(plan.New(plan.Base{Experiment: e}, "sample", nil))(t)
		all := p.Set.All()
		for _, s := range all {
			head, _, is := strings.Cut(s.Help, ":")
			if !is || strings.Contains(head, "(") {
				continue
			}
			for _, word := range strings.Fields(strings.Join(ofChoice.FindAllString(head, -1), " ")) {
				i := slices.IndexFunc(all, func(o settings.Setting) bool { return o.Key != s.Key && slices.Contains(o.Choices, word) })
				if i < 0 || slices.Contains(s.Choices, word) {
					continue
				}
				of++
				require.Regexp(t, `(^|[ =|])`+word+`($|[ |])`, s.Needs, "%s of %s is %q", s.Key, e.Name, head)
			}
		}
	}
	require.Greater(t, of, 10)
}
