package fsx

import (
	"os"
	"runtime"
)

// Scratch is a new file of the folder that its maker writes and reads again, and that goes
// when it is closed; where the system lets open files lose their names, also when the
// process is killed.
type Scratch struct {
	file
	remove func() error
}

const scratch = "scratch"

// RemoveScratch removes what processes left that were killed before their files had lost
// their names. One that is in use may lose its name, too, and is none the worse for it.
func (d Dir) RemoveScratch() { d.removeLeft(scratch) }

// Scratch makes such a file.
func (d Dir) Scratch() (s *Scratch, err error) {
	err = d.do("open", "", func(r *os.Root) error {
		for {
			name := asideName(scratch)
			f, err := d.openIn(r, name, os.O_RDWR|os.O_CREATE)
			if os.IsExist(err) {
				continue
			}
			if err != nil {
				return err
			}
			s = &Scratch{f, func() error {
				if err := d.Remove(name); !os.IsNotExist(err) { // RemoveScratch of another process
					return err
				}
				return nil
			}}
			if runtime.GOOS != "windows" && s.remove() == nil {
				s.remove = nil
			}
			return nil
		}
	})
	return s, err
}

// Close lets go of the file.
func (s *Scratch) Close() error {
	err := s.file.Close()
	if s.remove != nil {
		if gone := s.remove(); err == nil {
			err = gone
		}
	}
	return err
}
