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
func readFolder(e *emitter) (how How, err error) {
	how.Format = Folder
	defer func() {
		if n := len(e.litter); n > 0 {
			how.Guess = fmt.Sprintf("skipped files that programs leave in folders: %d (%s)", n, stream.Listed(e.litter))
		}
	}()
	root, err := os.OpenRoot(e.file)
	if err != nil {
		return how, err
	}
	defer root.Close()
	classes, err := fs.ReadDir(root.FS(), ".")
	if err != nil {
		return how, fmt.Errorf("%s: %w", e.file, err)
	}
	classes = slices.DeleteFunc(classes, func(c fs.DirEntry) bool {
		return !c.IsDir() || strings.HasPrefix(c.Name(), ".") || isLitter(c.Name())
	})
	switch {
	case len(classes) > 0:
	case e.o.Unlabelled:
		how.Format = Flat
		return how, e.readClass(root, ".")
	default:
		return how, fmt.Errorf("%s: has no sub-folders: make one for each class, named as the class, with a file for each text", e.file)
	}
	for _, c := range classes {
		if err := e.readClass(root, c.Name()); err != nil {
			return how, err
		}
	}
	return how, nil
}

func (e *emitter) readClass(root *os.Root, class string) error {
	entries, err := fs.ReadDir(root.FS(), class)
	if err != nil {
		return fmt.Errorf("%s: %w", e.file, err)
	}
	empty := true
	for _, f := range entries {
		if isLitter(f.Name()) {
			e.litter = append(e.litter, f.Name())
			continue
		}
		if strings.HasPrefix(f.Name(), ".") {
			continue
		}
		empty = false
		p := place{name: path.Join(class, f.Name())}
		if !f.Type().IsRegular() {
			return e.fail(p, "", errors.New("is not a regular file: the folder of a class holds a file for each text and nothing else"))
		}
		text, err := e.readOne(root, p.name)
		if err != nil {
			return e.fail(p, "", err)
		}
		if err := e.record(p, [Roles]string{}, fields{ID: p.name, Label: class, Text: text}); err != nil {
			return err
		}
	}
	if empty {
		return e.fail(place{name: strings.TrimPrefix(class, ".")}, "", errors.New("holds no texts: add some, or remove the folder"))
	}
	return nil
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
