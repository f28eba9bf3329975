package folder

import (
	"fmt"
	"strings"
)

// published are the digests of the content that the authors published, whatever
// it is packed in: of the reviews as Source yields them, and of the vectors' text.
var published = map[string]string{
	"imdb":    "26aab42dc98644e8e39004b5a7dcd85cdb2810c2d3e26d2b083a74c38452812f",
	"glove50": "d8f717f8dd4b545cb7f418ef9f3d0c3e6e68a6f48b97d32f8b7aae40cb31f96f",
}

// Published returns the digest of published data, "" where it is not known here.
func Published(name string) string { return published[name] }

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
