package dataset

// DownloadFolder is the folder in the data folder that holds what has not come
// whole yet.
const DownloadFolder = "downloads"

// published are the digests of the content that the authors published, whatever
// it is packed in: of the reviews as Source yields them, and of the vectors' text.
var published = map[string]string{
	"imdb":    "26aab42dc98644e8e39004b5a7dcd85cdb2810c2d3e26d2b083a74c38452812f",
	"glove50": "d8f717f8dd4b545cb7f418ef9f3d0c3e6e68a6f48b97d32f8b7aae40cb31f96f",
}

// Published returns the digest of published data, "" where it is not known here.
func Published(name string) string { return published[name] }
