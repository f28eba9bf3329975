package infer

import (
	"context"
	"time"
)

// Bounds of what a stream holds of its texts: bundles of this many texts or bytes,
// two for each worker and one more.
const (
	bundleTexts = 1024
	bundleBytes = 2 << 20
)

// patience is how long a stream waits for more texts before it answers those that
// it has.
const patience = 50 * time.Millisecond

// bundle is some texts of a stream on their way through it.
type bundle struct {
	texts []Input
	bytes int

	rows  []Encoded
	lacks []int         // words of each text without a vector
	ready chan struct{} // closed when rows are there
}

// bundle makes bundles of texts.
func (m *Model) bundle(ctx context.Context, texts <-chan Input, f func(*bundle) error) error {
	most, fixed := bundleTexts, m.BatchDependent()
	if n := m.settings.Batch; fixed { // whole batches
		most = (most + n - 1) / n * n
	}
	b := &bundle{}
	flush := func() error {
		if len(b.texts) == 0 {
			return nil
		}
		full := b
		full.ready = make(chan struct{})
		b = &bundle{texts: make([]Input, 0, len(full.texts))}
		return f(full)
	}
	idle := time.NewTimer(patience)
	defer idle.Stop()
	for {
		select {
		case <-ctx.Done():
			return context.Cause(ctx)
		case t, more := <-texts:
			if !more {
				return flush()
			}
			b.texts = append(b.texts, t)
			b.bytes += len(t.Text)
			if len(b.texts) == most || !fixed && b.bytes >= bundleBytes {
				if err := flush(); err != nil {
					return err
				}
			}
			idle.Reset(patience)
		case <-idle.C:
			if !fixed {
				if err := flush(); err != nil {
					return err
				}
			}
		}
	}
}

// splitAll finds the rows of a bundle's words.
func (m *Model) splitAll(b *bundle) {
	defer close(b.ready)
	room := make([]int32, 0, b.bytes/4) // English has a word every five to six bytes
	b.rows, b.lacks = make([]Encoded, len(b.texts)), make([]int, len(b.texts))
	for i, t := range b.texts {
		from := len(room)
		room, b.lacks[i] = m.counted(room, t.Text)
		b.rows[i].Rows = room[from:len(room):len(room)]
	}
}
