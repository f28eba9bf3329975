package folder

import (
	"fmt"
	"strings"
)

// DownloadFolder is the folder of unfinished downloads in the data folder.
const DownloadFolder = "downloads"

// DownloadName returns the data that a file in DownloadFolder is for: imdb, glove50, glove
// for the whole archive of vectors, or "".
func DownloadName(file string) string {
	if strings.HasPrefix(file, "aclImdb") {
		return "imdb"
	}
	for _, dim := range GloveDims {
		if strings.HasPrefix(file, fmt.Sprintf("glove.6B.%dd.", dim)) {
			return GloveName(dim)
		}
	}
	if strings.HasPrefix(file, "glove.6B.") {
		return "glove"
	}
	return ""
}
