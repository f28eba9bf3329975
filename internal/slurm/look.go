package slurm

import "context"

// Found is what Slurm says about a task: it is new, or waits or runs as Entry says,
// or has ended as End says.
type Found struct {
	Task  Task // Job is "" for a new one
	Entry *Entry
	End   *End
}

// New reports whether the task was never submitted.
func (f Found) New() bool { return f.Task.Job == "" }

// Look asks Slurm about tasks of the grid, by their indices. After an error nothing
// is known: a controller that does not answer has not ended a job.
func (g *Grid) Look(ctx context.Context, c *Client, indices []int) (map[int]Found, error) {
	entries, err := c.Queue(ctx, g.Name())
	if err != nil {
		return nil, err
	}
	found, gone := map[int]Found{}, []Task{}
	listed := g.newest(entries)
	for _, i := range indices {
		e, ok := listed[i]
		job := g.Last(i)
		if ok {
			job = e.Job
		}
		f := Found{Task: Task{job, i}}
		switch {
		case f.New():
		case ok && !e.State.Ended():
			f.Entry = &e
		default:
			if old, known := g.ends[i]; known && old.Job == job && (!ok || old.State == e.State) {
				f.End = &old
			} else {
				gone = append(gone, f.Task)
			}
		}
		found[i] = f
	}
	ends, fresh := c.Ends(ctx, gone), map[int]End{}
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	for _, t := range gone {
		end, known := ends[t]
		e, ok := listed[t.Index]
		switch {
		case known:
		case ok:
			end = End{Job: t.Job, State: e.State, Exit: -1, Reason: e.Reason}
		default:
			end = End{Job: t.Job, State: Unknown, Exit: -1}
		}
		f := found[t.Index]
		f.End = &end
		found[t.Index] = f
		if end.State != Unknown {
			fresh[t.Index] = end
		}
	}
	return found, g.remember(fresh)
}

// newest returns what squeue lists by task: of several entries the one that is live,
// else that of the task's last job. A job that nobody wrote down, because the process
// that submitted it died, counts as well.
func (g *Grid) newest(entries []Entry) map[int]Entry {
	out := map[int]Entry{}
	for _, e := range entries {
		old, have := out[e.Task]
		last := g.Last(e.Task)
		switch {
		case e.State.Ended() && later(last, e.Job):
			continue // an earlier submission
		case have && e.State.Ended() && !old.State.Ended():
			continue
		case have && e.State.Ended() == old.State.Ended() && later(old.Job, e.Job):
			continue
		}
		out[e.Task] = e
	}
	return out
}

// later reports whether job a was submitted after b: IDs grow. "" is before all.
func later(a, b string) bool {
	if len(a) != len(b) {
		return len(a) > len(b)
	}
	return a > b
}
