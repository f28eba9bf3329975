package sparse

// Transpose returns mᵀ.
//
// Each shard of rows counts its elements of each column. The counts give the position of a shard's
// elements in the transpose, so the order of the shards does not matter.
func (m *Matrix) Transpose(pool Pool) (*Matrix, error) {
	// A table of counts a shard is memory: 4 bytes a column.
	const shards = 4
	t := &Matrix{Rows: m.Cols, Cols: m.Rows, Start: make([]int, m.Cols+1), Index: make([]int32, len(m.Index))}
	if m.Value != nil {
		t.Value = make([]float32, len(m.Value))
	}
	cut := func(s int) int { return m.Rows * s / shards }
	var places [shards][]int32
	err := pool.For(shards, func(s int) {
		count := make([]int32, m.Cols)
		for _, c := range m.Index[m.Start[cut(s)]:m.Start[cut(s+1)]] {
			count[c]++
		}
		places[s] = count
	})
	if err != nil {
		return nil, err
	}
	for c := range m.Cols {
		n := 0
		for s := range places {
			places[s][c], n = int32(n), n+int(places[s][c]) // from the column's start
		}
		t.Start[c+1] = t.Start[c] + n
	}
	err = pool.For(shards, func(s int) {
		place := places[s]
		for i := cut(s); i < cut(s+1); i++ {
			for e := m.Start[i]; e < m.Start[i+1]; e++ {
				c := m.Index[e]
				to := t.Start[c] + int(place[c])
				place[c]++
				t.Index[to] = int32(i)
				if m.Value != nil {
					t.Value[to] = m.Value[e]
				}
			}
		}
	})
	return t, err
}
