package tables

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"regexp"
	"strings"

	"imdbexp/dataset/internal/stream"
)

// readFolder reads a folder with a sub-folder for each class and a file for each text. Texts
// without labels may lie in the folder itself. Hidden files, litter, and files next to the
// sub-folders are ignored. An os.Root keeps links from leading elsewhere.
func readFolder(e *emitter) error {
	e.how.Format = Folder
	root, err := os.OpenRoot(e.file)
	if err != nil {
		return err
	}
	defer root.Close()
	entries, err := fs.ReadDir(root.FS(), ".")
	if err != nil {
		return fmt.Errorf("%s: %w", e.file, err)
	}
	var classes, skipped []string
	for _, c := range entries {
		if c.IsDir() && !strings.HasPrefix(c.Name(), ".") && !litter.MatchString(c.Name()) {
			classes = append(classes, c.Name())
		}
	}
	if len(classes) == 0 {
		if !e.o.Unlabelled {
			return fmt.Errorf("%s: has no sub-folders: make one for each class, named as the class, with a file for each text", e.file)
		}
		e.how.Format, classes = Flat, []string{"."}
	}
	for _, class := range classes {
		files, err := fs.ReadDir(root.FS(), class)
		if err != nil {
			return fmt.Errorf("%s: %w", e.file, err)
		}
		empty := true
		for _, f := range files {
			name := path.Join(class, f.Name())
			if litter.MatchString(f.Name()) {
				skipped = append(skipped, f.Name())
				continue
			}
			if strings.HasPrefix(f.Name(), ".") {
				continue
			}
			empty = false
			text, err := e.readOne(root, name, f)
			if err != nil {
				return e.fail("/"+name, "", err)
			}
			if err := e.record("/"+name, fields{ID: name, Label: class, Text: text}); err != nil {
				return err
			}
		}
		if empty {
			return fmt.Errorf("%s: holds no texts: add some, or remove the folder", path.Join(e.file, class))
		}
	}
	if len(skipped) > 0 {
		e.how.Guess = fmt.Sprintf("skipped files that programs leave in folders: %d (%s)", len(skipped), stream.Listed(skipped))
	}
	return nil
}

// litter matches names of files and folders that systems and programs leave behind, and of copies and
// locks of editors and office programs.
var litter = regexp.MustCompile(`(?i)^(desktop\.ini|(eh)?thumbs(_vista)?\.db|icon\r|\.ds_store|__macosx|\$recycle\.bin|lost\+found|@eadir|` +
	`system volume information|__pycache__|folder\.jpg|albumartsmall\.jpg)$|^(~\$|\.~lock\.|\._)|~$|^#.*#$|\.(swp|crdownload)$`)

// readOne reads a file with one text.
func (e *emitter) readOne(root *os.Root, name string, entry fs.DirEntry) (string, error) {
	if !entry.Type().IsRegular() {
		return "", errors.New("is not a regular file: the folder of a class holds a file for each text and nothing else")
	}
	f, err := root.Open(filepath.FromSlash(name))
	if err != nil {
		return "", err
	}
	defer f.Close()
	in, err := withoutBOM(io.LimitReader(f, e.o.Limits.ReviewBytes+1))
	if err != nil {
		return "", err
	}
	var text strings.Builder
	n, err := io.Copy(&text, in)
	if err == nil {
		err = stream.CheckPointer(strings.NewReader(text.String()))
	}
	if err == nil && n > e.o.Limits.ReviewBytes {
		err = stream.TooLong(e.o.Limits.ReviewBytes)
	}
	return text.String(), err
}
