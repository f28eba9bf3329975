package show

import (
	"encoding/json"
	"errors"

	"imdbexp/cmd/exp/internal/cli"
	"imdbexp/experiments/plan"
	"imdbexp/internal/infer"
	"imdbexp/internal/settings"
	"imdbexp/internal/term"
	"imdbexp/runs"
)

// facts is an experiment or a run in --format json.
type facts struct {
	Name      string          `json:"name"`
	Group     string          `json:"group,omitempty"`
	Shows     string          `json:"shows,omitempty"`
	Model     string          `json:"model"`
	Equations []string        `json:"equations"`
	Published *runs.Published `json:"published"`
	Settings  []setting       `json:"settings"`
	Run       *runFacts       `json:"run,omitempty"`
}

type setting struct {
	Key     string `json:"key"`
	Value   string `json:"value"`
	Default string `json:"default"`
	From    string `json:"from"` // who set it
	Meaning string `json:"meaning"`
	Reason  string `json:"reason,omitempty"` // of an experiment's own value
}

// runFacts is what a run has besides its experiment.
type runFacts struct {
	ID    string `json:"id"`
	Path  string `json:"path"`
	State string `json:"state"`
	Epoch int    `json:"epoch"`          // the one that counts; 0 before the end
	Cite  string `json:"cite,omitempty"` // of a finished run
	runs.Remarks
	Config   json.RawMessage    `json:"config"` // config.yaml
	Epochs   []runs.Metrics     `json:"epochs"` // metrics.jsonl, with test.json
	Sessions []runs.Environment `json:"sessions"`
}

// write writes an experiment or a run for programs: all of it as JSON, otherwise its settings.
func (s *subject) write(a *cli.App, format string) error {
	out := facts{Model: s.info.Name, Settings: []setting{}}
	if s.model != nil {
		out.Equations = s.info.Equations(s.model)
	}
	var list []settings.Setting
	why := func(string) string { return "" }
	var err error
	if p := s.plan; p != nil {
		out.Name, out.Group, out.Shows, out.Published = p.Experiment.Name, p.Experiment.Group, p.Experiment.Shows, p.Published
		list, why = p.Settings(), p.Why
	} else {
		out.Name, out.Published, list = s.run.Config.Name, s.run.Config.Published, plan.SettingsOf(&s.run.Config)
		out.Run, err = runData(s.run)
	}
	table := term.Records{{"key", "value", "default", "from", "meaning", "reason"}}
	for _, x := range list {
		v := setting{x.Key, x.Value, x.Default, x.From, x.Help, why(x.Key)}
		out.Settings = append(out.Settings, v)
		table = append(table, []string{v.Key, v.Value, v.Default, v.From, v.Meaning, v.Reason})
	}
	if format != "json" {
		return table.Write(a.IO.Verbatim(), format)
	}
	return errors.Join(cli.WriteJSON(a.IO.Verbatim(), out), err)
}

// runData reads what a run has besides its experiment. An error is about a part of it.
func runData(run *runs.Run) (*runFacts, error) {
	out := &runFacts{ID: run.Config.ID, Path: run.Path, State: run.Present().State.String(), Epoch: run.ChosenEpoch()}
	config, err := infer.ConfigJSON(&run.Config)
	if err != nil {
		return nil, err
	}
	out.Config = json.RawMessage(config)
	if c, err := run.Citation(); err == nil {
		out.Cite = c.String()
	}
	var errs [3]error
	out.Remarks, errs[0] = run.Remarks()
	out.Epochs, errs[1] = run.Metrics()
	out.Sessions, errs[2] = run.Environments()
	return out, errors.Join(errs[:]...)
}
