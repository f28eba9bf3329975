package handout

import (
	"fmt"
	"io/fs"
	"path"
	"regexp"
	"strings"

	"imdbexp/cmd/exp/internal/web/ask"
)

var (
	imports = regexp.MustCompile(`(?m)^import \{([^}]*)\} from "\./([^"]+)";$`)
	exports = regexp.MustCompile(`(?m)^export (?:async )?(?:const|function|class) ([\w$]+)`)
)

// bundle puts the modules into one script: a page that is opened from a disk may not load
// others. Each becomes a function that returns what it exports.
func bundle() (string, error) {
	var out strings.Builder
	out.WriteString("const modules = {};\n")
	for _, name := range modules {
		b, err := own.ReadFile(path.Join("assets", name))
		if err != nil {
			b, err = fs.ReadFile(ask.Assets, path.Join("assets", name))
		}
		if err != nil {
			return "", err
		}
		text := string(b)
		var names []string
		for _, m := range exports.FindAllStringSubmatch(text, -1) {
			names = append(names, m[1])
		}
		text = imports.ReplaceAllString(text, `const {$1} = modules["$2"];`)
		text = strings.ReplaceAll("\n"+text, "\nexport ", "\n")
		fmt.Fprintf(&out, "modules[%q] = (() => {%s\nreturn { %s };\n})();\n", name, text, strings.Join(names, ", "))
	}
	return out.String(), nil
}
