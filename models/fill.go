package models

// Fill copies numbers that a run has kept into weights. numbers returns those of a
// name, which must be a matrix [rows, cols].
func Fill(list []*Weight, numbers func(name string, rows, cols int) ([]float32, error)) error {
	for _, w := range list {
		data, err := numbers(w.Name, w.Rows, w.Cols)
		if err != nil {
			return err
		}
		copy(w.Data, data)
	}
	return nil
}
