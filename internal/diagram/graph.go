package diagram

import (
	"slices"
)

// Vertex is a box of a graph that Layout turns into a drawing.
type Vertex struct {
	Box
	In    []Edge
	Group *Group
	Name  string // of the box, for references to it after it was drawn
}

// Edge is an arrow into a vertex. Label, if not "", names its value. The label is drawn in a separate
// box unless another box is on the way.
type Edge struct {
	From  *Vertex
	Label string
}

// Group is a frame around vertices. Only one arrow leads into it from above, and one out.
type Group struct {
	Title string
	In    *Group // the frame around it; nil for none
}

// Layout draws the part of an acyclic graph that leads to the last vertex, from the root down.
// Arrows that separate join again in a fork. A vertex without arrows into it is drawn, with the
// vertices that depend on it alone, next to the branch that it joins. A vertex that several
// branches lead to is drawn once, and named in the others.
func Layout(root, last *Vertex) Node {
	l := &layouter{root: root, above: map[*Vertex]*Vertex{}, tree: map[*Vertex]*Vertex{}, depth: map[*Vertex]int{}, drawn: map[*Vertex]bool{}}
	l.order(last)
	return append(Stack{root.Box}, l.down(last, root, nil)...)
}

type layouter struct {
	root  *Vertex
	tree  map[*Vertex]*Vertex // the vertex where all paths to a vertex begin: the root, or another one
	above map[*Vertex]*Vertex // the immediate dominator: the nearest vertex on all paths from there
	depth map[*Vertex]int     // number of dominators
	drawn map[*Vertex]bool
}

// order finds the dominators of each vertex (Cooper, Harvey and Kennedy 2001: in topological order
// one pass is enough).
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
				return // its paths begin at several vertices, not at the root
			}
		}
	}
	if above := l.common(v.In, tree); above != nil {
		l.tree[v], l.above[v], l.depth[v] = tree, above, l.depth[above]+1
	}
}

// common returns the nearest vertex on all paths through the arrows that begin at tree; nil for
// none.
func (l *layouter) common(in []Edge, tree *Vertex) (above *Vertex) {
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

// meet returns the nearest common dominator of two vertices, which may be one of them.
func (l *layouter) meet(a, b *Vertex) *Vertex {
	for a != b {
		if l.depth[a] < l.depth[b] {
			a, b = b, a
		}
		a = l.above[a]
	}
	return a
}

// down draws the vertices between two vertices, and the lower one, inside a group.
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

// ways returns the distinct arrows into a vertex.
func (l *layouter) ways(v *Vertex) (out []Edge) {
	seen := map[Edge]bool{}
	for _, e := range v.In {
		if !seen[e] {
			seen[e] = true
			out = append(out, e)
		}
	}
	return out
}

// outermost returns the group around g that is directly inside another one; nil if g is that one.
func outermost(g, in *Group) *Group {
	for g != nil && g != in && g.In != in {
		g = g.In
	}
	if g == in {
		return nil
	}
	return g
}
