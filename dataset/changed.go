package dataset

// Changed reports which words differ between a text and its rewriting: the words of a and of b that
// are not in their longest common subsequence (Wagner and Fischer 1974). Time and memory grow with
// len(a)·len(b).
func Changed(a, b []string) (inA, inB []bool) {
	inA, inB = make([]bool, len(a)), make([]bool, len(b))
	common := make([][]int32, len(a)+1) // common[i][j] is the length of the subsequence of a[i:] and b[j:]
	for i := range common {
		common[i] = make([]int32, len(b)+1)
	}
	for i := len(a) - 1; i >= 0; i-- {
		for j := len(b) - 1; j >= 0; j-- {
			if common[i][j] = max(common[i+1][j], common[i][j+1]); a[i] == b[j] {
				common[i][j] = common[i+1][j+1] + 1
			}
		}
	}
	i, j := 0, 0
	for i < len(a) || j < len(b) {
		switch {
		case i < len(a) && j < len(b) && a[i] == b[j]:
			i, j = i+1, j+1
		case j == len(b) || i < len(a) && common[i+1][j] >= common[i][j+1]:
			inA[i] = true
			i++
		default:
			inB[j] = true
			j++
		}
	}
	return inA, inB
}
