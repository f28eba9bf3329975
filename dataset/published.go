package dataset

// published are the digests of the published content, independent of its packing: of the
// reviews as Source yields them, and of the text of the vectors.
var published = map[string]string{
	"imdb":    "26aab42dc98644e8e39004b5a7dcd85cdb2810c2d3e26d2b083a74c38452812f",
	"glove50": "d8f717f8dd4b545cb7f418ef9f3d0c3e6e68a6f48b97d32f8b7aae40cb31f96f",
}

// Published returns the digest of published data, "" if it is unknown.
func Published(name string) string { return published[name] }
