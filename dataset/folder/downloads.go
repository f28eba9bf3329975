package folder

import (
	"fmt"
	"strings"
)

// DownloadFolder is the folder in the data folder that holds what has not come
// whole yet.
const DownloadFolder = "downloads"

// DownloadName returns what a file of the folder of downloads belongs to: imdb,
// glove50, glove for the whole archive of vectors, or "".
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
