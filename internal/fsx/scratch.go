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

// Scratch makes such a file.
func (d Dir) Scratch() (s *Scratch, err error) {
	err = d.do("open", "", func(r *os.Root) error {
		for {
			name := asideName("scratch")
			f, err := d.openIn(r, name, os.O_RDWR|os.O_CREATE)
			if os.IsExist(err) {
				continue
			}
			if err != nil {
				return err
			}
			s = &Scratch{f, func() error { return d.Remove(name) }}
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
