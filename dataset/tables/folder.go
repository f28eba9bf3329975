package tables

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"slices"
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
		if c.IsDir() && !strings.HasPrefix(c.Name(), ".") && !isLitter(c.Name()) {
			classes = append(classes, c.Name())
		}
	}
	if len(classes) == 0 {
		if !e.o.Unlabelled {
			return fmt.Errorf("%s: has no sub-folders: make one for each class, named as the class, with a file for each text", e.file)
		}
		e.how.Format, classes = Flat, []string{"."}
	}
	for _, c := range classes {
		litter, err := e.readClass(root, c)
		if skipped = append(skipped, litter...); len(skipped) > 0 {
			e.how.Guess = fmt.Sprintf("skipped files that programs leave in folders: %d (%s)", len(skipped), stream.Listed(slices.Clone(skipped)))
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// readClass reads the texts of a class. It returns the names of the files that programs leave behind.
func (e *emitter) readClass(root *os.Root, class string) (litter []string, err error) {
	entries, err := fs.ReadDir(root.FS(), class)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", e.file, err)
	}
	empty := true
	for _, f := range entries {
		name := path.Join(class, f.Name())
		switch {
		case isLitter(f.Name()):
			litter = append(litter, f.Name())
			continue
		case strings.HasPrefix(f.Name(), "."):
			continue
		case !f.Type().IsRegular():
			return nil, e.fail("/"+name, "", errors.New("is not a regular file: the folder of a class holds a file for each text and nothing else"))
		}
		empty = false
		text, err := e.readOne(root, name)
		if err != nil {
			return nil, e.fail("/"+name, "", err)
		}
		if err := e.record("/"+name, fields{ID: name, Label: class, Text: text}); err != nil {
			return nil, err
		}
	}
	if empty {
		return nil, fmt.Errorf("%s: holds no texts: add some, or remove the folder", path.Join(e.file, class))
	}
	return litter, nil
}

// litter are names of files and folders that systems and programs leave behind.
var litter = []string{"desktop.ini", "thumbs.db", "ehthumbs.db", "ehthumbs_vista.db", "icon\r", ".ds_store", "__macosx",
	"$recycle.bin", "system volume information", "lost+found", "@eadir", "__pycache__", "folder.jpg", "albumartsmall.jpg"}

// isLitter also reports copies and locks of editors and office programs.
func isLitter(name string) bool {
	lower := strings.ToLower(name)
	return slices.Contains(litter, lower) || strings.HasPrefix(name, "~$") || strings.HasPrefix(name, ".~lock.") ||
		strings.HasPrefix(name, "._") || strings.HasSuffix(name, "~") || len(name) > 1 && strings.HasPrefix(name, "#") && strings.HasSuffix(name, "#") || strings.HasSuffix(lower, ".swp") || strings.HasSuffix(lower, ".crdownload")
}

// readOne reads a file with one text.
func (e *emitter) readOne(root *os.Root, name string) (string, error) {
	f, err := root.Open(filepath.FromSlash(name))
	if err != nil {
		return "", err
	}
	defer f.Close()
	in, err := decode(io.LimitReader(f, e.o.Limits.ReviewBytes+1), e.o.Encoding)
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
