package diagram

import "slices"

// Vertex is a box of a graph that Layout turns into a drawing.
type Vertex struct {
	Box
	In    []Edge
	Group *Group
	Name  string // what the box is called where it is drawn somewhere else already
}

// Edge is an arrow into a vertex. Where nothing happens on the way, Label names what
// comes, in a box of its own; "" for a mere line.
type Edge struct {
	From  *Vertex
	Label string
}

// Group is a frame around vertices. Only one arrow leads in from what is drawn above,
// and one out.
type Group struct {
	Title string
	In    *Group // the frame around it; nil for none
}

// Layout draws what leads to the last vertex of a graph without cycles, from the root
// down. Arrows that part come together again in a fork; a vertex that no arrow leads to
// stands, with what follows from it alone, beside what it meets. What several arrows lead
// to from different places is drawn once, and named in the others.
func Layout(root, last *Vertex) Node {
	l := &layouter{root: root, above: map[*Vertex]*Vertex{}, tree: map[*Vertex]*Vertex{}, depth: map[*Vertex]int{}, drawn: map[*Vertex]bool{}}
	l.order(last)
	return append(Stack{root.Box}, l.down(last, root, nil)...)
}

type layouter struct {
	root  *Vertex
	tree  map[*Vertex]*Vertex // where the ways to a vertex begin: at the root, or else at the one beginning that they have
	above map[*Vertex]*Vertex // the nearest vertex that every way from there leads through
	depth map[*Vertex]int     // how many of those there are
	drawn map[*Vertex]bool
}

// order finds what is above each vertex (Cooper, Harvey and Kennedy 2001: in the order of
// the arrows one pass is enough).
func (l *layouter) order(v *Vertex) {
	if l.tree[v] != nil {
		return
	}
	l.tree[v] = v
	if v == l.root {
		return
	}
	tree := l.root
	for _, e := range v.In {
		l.order(e.From)
	}
	if !slices.ContainsFunc(v.In, func(e Edge) bool { return l.tree[e.From] == tree }) {
		for i, e := range v.In {
			if t := l.tree[e.From]; i == 0 {
				tree = t
			} else if t != tree {
				return // from several places beside the root: something of its own
			}
		}
	}
	if above := l.common(v.In, tree); above != nil {
		l.tree[v], l.above[v], l.depth[v] = tree, above, l.depth[above]+1
	}
}

// common returns the nearest vertex that all ways through those arrows lead through, as
// far as they begin in one place; nil for none.
func (l *layouter) common(in []Edge, tree *Vertex) *Vertex {
	var above *Vertex
	for _, e := range in {
		switch {
		case l.tree[e.From] != tree:
		case above == nil:
			above = e.From
		default:
			above = l.meet(above, e.From)
		}
	}
	return above
}

// meet returns the nearest vertex that is above both, or one of them.
func (l *layouter) meet(a, b *Vertex) *Vertex {
	for a != b {
		if l.depth[a] < l.depth[b] {
			a, b = b, a
		}
		a = l.above[a]
	}
	return a
}

// down draws what lies between two vertices, and the lower one, inside a group.
func (l *layouter) down(v, from *Vertex, in *Group) Stack {
	if v == from {
		return nil
	}
	if l.drawn[v] {
		again := Val(v.Name + " again")
		if l.tree[v] != l.root {
			again.Kind = Learned
		}
		return Stack{again}
	}
	if g := outermost(v.Group, in); g != nil {
		entry := v
		for entry != nil && entry != from && outermost(entry.Group, in) == g {
			entry = l.above[entry]
		}
		var above Stack
		if entry != nil {
			above = l.down(entry, from, in)
		}
		return append(above, Frame{Title: g.Title, Body: l.down(v, entry, g)})
	}
	var above Stack
	switch ways := l.ways(v); {
	case len(ways) == 1 && v.In[0].Label == "":
		above = l.down(v.In[0].From, from, in)
	case len(ways) > 0:
		meet := l.common(ways, l.tree[v])
		if meet != nil {
			above = l.down(meet, from, in)
		}
		var fork Fork
		for _, e := range ways {
			top := meet
			if l.tree[e.From] != l.tree[v] {
				top = nil
			}
			part := l.down(e.From, top, in)
			if len(part) == 0 && e.Label != "" {
				part = Stack{Val(e.Label)}
			}
			fork = append(fork, part)
		}
		if len(fork) == 1 {
			above = append(above, fork[0])
		} else {
			above = append(above, fork)
		}
	}
	l.drawn[v] = true
	return append(above, v.Box)
}

// ways returns the arrows into a vertex, several from one place as one.
func (l *layouter) ways(v *Vertex) []Edge {
	var out []Edge
	seen := map[Edge]bool{}
	for _, e := range v.In {
		if !seen[e] {
			seen[e] = true
			out = append(out, e)
		}
	}
	return out
}

// outermost returns the group around g that lies directly in another one, nil where g is
// that one itself.
func outermost(g, in *Group) *Group {
	for g != nil && g != in && g.In != in {
		g = g.In
	}
	if g == in {
		return nil
	}
	return g
}
