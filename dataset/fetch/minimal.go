package fetch

import (
	"context"
	"os"
	"path/filepath"
	"strings"

	"imdbexp/dataset/folder"
	"imdbexp/dataset/probe"
	"imdbexp/internal/fsx"
)

// MinimalName is the name in the data folder of the minimal pairs of MinimalFiles.
const MinimalName = "minimal"

// The folders of the minimal pairs in their authors' repositories.
const (
	rewritings = "https://raw.githubusercontent.com/acmi-lab/counterfactually-augmented-data/HEAD/sentiment/combined/paired/"
	contrasts  = "https://raw.githubusercontent.com/allenai/contrast-sets/e44faab7e5f77c5529c93fbc341ef208cfdbd541/IMDb/data/"
)

// MinimalFiles are the minimal pairs of reviews of IMDB, 5.6 MB: rewritings of 2 440 (Kaushik, Hovy
// and Lipton 2020) and contrast sets of 588 (Gardner et al. 2020). The sets of a probe are called
// after files, so files of equal names have other ones here.
var MinimalFiles = []Archive{
	published(rewritings, "cad_dev_paired.tsv", "4c2d8a70cbce23eba27fb1f0bb5043cf044811912435cf8d10c3ea6fc7a51363"),
	published(rewritings, "cad_test_paired.tsv", "9534b20850205c59015b313983cae7afb31c54c04ffcbd19cea7f1bce5011275"),
	published(rewritings, "cad_train_paired.tsv", "7ac50ca3d70890f80e11ee59955cdbfc43f26b5078d0603717817ab224d2af18"),
	published(contrasts, "cs_dev_original.tsv", "349a8821bb8932d7ad236e4a6d3ed01fd9b99fdae1c7c6a1a9f3d442de4a4304"),
	published(contrasts, "cs_dev_contrast.tsv", "ec5c984b43c045613dc00c4fd044f362e78351eef82bf07e4429583decaa0e92"),
	published(contrasts, "cs_test_original.tsv", "9dc78ddeb5cb6ff6060d24df33a83b6d29f9828994f4b1a5e0086f7e774713bd"),
	published(contrasts, "cs_test_contrast.tsv", "3bcb3bd41218b6a5d7bef7fe020a243919f3df0f12f55291b25ef8bbdbe04173"),
}

func published(in, file, sum string) Archive {
	_, name, _ := strings.Cut(file, "_")
	return Archive{file, in + name, Checksum{"sha256", sum}}
}

// Minimal fetches files of minimal pairs and installs them as one probe. r.URL is the address of a
// folder that has them under their names here; "" is their authors' addresses.
func Minimal(ctx context.Context, dir string, files []Archive, r Request) (added folder.ProbeAdded, err error) {
	var paths []string
	err = download(dir, MinimalName, func(downloads string) error {
		for _, f := range files {
			if r.URL != "" {
				f.URL = strings.TrimRight(r.URL, "/") + "/" + f.File
			}
			path := filepath.Join(downloads, f.File)
			if err := File(ctx, f.URL, path, f.Sum, r.Options); err != nil {
				return err
			}
			paths = append(paths, path)
		}
		return nil
	})
	if err != nil {
		return added, err
	}
	if added, err = folder.AddProbe(ctx, dir, probe.Files{Name: MinimalName, Files: paths}, r.Open); err != nil {
		return added, err
	}
	for _, path := range paths {
		if err := fsx.RemoveFile(path); err != nil {
			return added, err
		}
	}
	_ = os.Remove(filepath.Join(dir, folder.DownloadFolder)) // fails unless it is empty
	return added, nil
}
