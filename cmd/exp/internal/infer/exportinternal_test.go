package infer

// RowsOf is how reviews of a corpus become rows.
func (m *Model) RowsOf(ids, row []int32) (words, rows []int32, lacks int) {
	return m.rowsOf(ids, m.table.Over(nil, row))
}
