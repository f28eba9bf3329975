package slurm

import (
	"fmt"
	"io"
	"slices"
	"strings"
	"time"

	"imdbexp/cmd/exp/internal/progress"
	"imdbexp/cmd/exp/internal/run/grid"
	"imdbexp/experiments/training"
	"imdbexp/internal/format"
	"imdbexp/internal/fsx"
)

// tell prints what has changed of each task.
func (s *array) tell() {
	for _, t := range s.tasks {
		place := ""
		switch e := t.found.Entry; {
		case t.over:
			place = "over"
		case t.held != nil:
			place = fmt.Sprintf("%s as process %d, not of this grid", t.held.Host, t.held.PID)
		case e == nil:
		case e.Waits():
			place = "queue"
		default:
			place = e.Nodes
		}
		before := t.place
		if t.place = place; place == before || place == "" {
			continue
		}
		switch {
		case t.over && t.err != nil:
			s.complain("%s: %v", t.label, t.err)
		case t.over:
			line, err := grid.Line(&training.Outcome{Run: t.run})
			if err != nil {
				line = err.Error()
			}
			if t.before {
				line += ", finished before"
			}
			s.say("%s: %s", t.label, line)
		case place == "queue":
			if t.waited = t.after(); before != "" {
				s.say("%s: back in the queue%s", t.label, t.waited)
			}
		case t.waited != "":
			s.say("%s: goes on%s, on %s", t.label, t.waited, place)
		default:
			s.say("%s: runs on %s", t.label, place)
		}
	}
}

// progress shows how far all has come: on a terminal by a bar, in a pipe by a line
// now and then.
func (s *array) progress(began time.Time, from float64, spoke *time.Time) {
	running, waiting, why := s.counts()
	text := fmt.Sprintf("%d running, %d waiting", running, waiting)
	if why != "" {
		text += " (" + why + ")"
	}
	if share := s.share(); share > from {
		text += ", " + format.Clock(time.Since(began).Seconds()*(1-share)/(share-from)) + " left"
	}
	good, bad := 0, 0
	for _, t := range s.tasks {
		switch {
		case t.over && t.err == nil:
			good++
		case t.over:
			bad++
		}
	}
	if bad > 0 {
		text = fmt.Sprintf("%d failed, ", bad) + text
	}
	head := fmt.Sprintf("%d of %d", good, len(s.tasks))
	switch {
	case s.bar != nil:
		s.bar.Set(int64(1e6*s.share()), 1e6, head, text)
	case time.Since(*spoke) >= progress.Quiet:
		*spoke = time.Now()
		s.say("%s done, %s", head, text)
	}
}

// counts returns how many tasks run and wait, and why most of those wait.
func (s *array) counts() (running, waiting int, why string) {
	reasons := map[string]int{}
	for _, t := range s.tasks {
		switch e := t.found.Entry; {
		case t.over:
		case t.held != nil:
			running++
		case e == nil || e.Waits():
			waiting++
			if e != nil && e.Reason != "None" && e.Reason != "" {
				reasons[e.Reason]++
			}
		default:
			running++
		}
	}
	for r, n := range reasons {
		if n > reasons[why] || n == reasons[why] && r < why {
			why = r
		}
	}
	return running, waiting, why
}

// share returns how much of all epochs is done.
func (s *array) share() float64 {
	whole, all := 0, 0
	for _, t := range s.tasks {
		all += t.plan.Run.Epochs
		if t.over {
			whole += t.plan.Run.Epochs
		} else {
			whole += t.epoch()
		}
	}
	return float64(whole) / float64(max(1, all))
}

// stop takes the bar away.
func (s *array) stop() {
	if s.bar != nil {
		s.bar.Stop()
		s.bar = nil
	}
}

// say prints a line, above the bar where there is one.
func (s *array) say(format string, args ...any) { s.line(s.IO.Out, "", format, args...) }

// complain does so on standard error.
func (s *array) complain(format string, args ...any) { s.line(s.IO.Err, "exp: ", format, args...) }

func (s *array) line(out io.Writer, head, format string, args ...any) {
	if s.bar != nil { // the terminal is one
		out = s.bar
	}
	fmt.Fprintln(out, s.Wrap(fmt.Sprintf(format, args...), head, "  "))
}

// lastLine returns ": " and the last line of a task's log that says something, or "".
func lastLine(path string) string {
	f, err := fsx.Open(path)
	if err != nil {
		return ""
	}
	defer f.Close()
	const tail = 4 << 10
	if info, err := f.Stat(); err == nil && info.Size() > tail {
		_, _ = f.Seek(-tail, io.SeekEnd)
	}
	b, _ := io.ReadAll(io.LimitReader(f, tail))
	lines := strings.Split(strings.ToValidUTF8(string(b), ""), "\n")
	for _, l := range slices.Backward(lines) {
		if l = strings.TrimSpace(l); l != "" {
			return ": " + l
		}
	}
	return ""
}
