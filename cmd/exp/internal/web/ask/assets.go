package ask

import "embed"

// Assets are the style sheet and the scripts that the pages share, below assets.
//
//go:embed assets
var Assets embed.FS
