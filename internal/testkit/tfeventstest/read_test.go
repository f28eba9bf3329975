package tfeventstest_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"imdbexp/internal/testkit/tfeventstest"
)

// The examples of RFC 3720, section B.4.
func TestCRC32C(t *testing.T) {
	rising, falling := make([]byte, 32), make([]byte, 32)
	for i := range rising {
		rising[i], falling[31-i] = byte(i), byte(i)
	}
	require.EqualValues(t, 0x8a9136aa, tfeventstest.CRC32C(make([]byte, 32)))
	require.EqualValues(t, 0x46dd794e, tfeventstest.CRC32C(rising))
	require.EqualValues(t, 0x113fdb5c, tfeventstest.CRC32C(falling))
	require.EqualValues(t, 0xe3069283, tfeventstest.CRC32C([]byte("123456789")))
}

// Records that other programs wrote: TensorFlow (its event_file_loader_test.py)
// and tensorboard_logger (its test_tensorboard_logger.py).
const (
	tensorflow = "\x18\x00\x00\x00\x00\x00\x00\x00\xa3\x7fK\"\t\x00\x00\xc0%\xddu\xd5A\x1a\rbrain.Event:1\xec\xf32\x8d"
	logger     = "\x19\x00\x00\x00\x00\x00\x00\x00\x8b\xf1\x08(\t\x00\x00\x00\x00\x00\x08p@\x10\x01*\x0c\n\n\n\x03v/1\x15\x00\x00\xc0?,\xec\xc0\x87"
)

func TestReadWhatOthersWrote(t *testing.T) {
	all, err := tfeventstest.Read([]byte(tensorflow + logger))
	require.NoError(t, err)
	require.Len(t, all, 2)
	require.Equal(t, "brain.Event:1", all[0].Version)
	require.Equal(t, map[string]float32{"v/1": 1.5}, all[1].Scalars)
	require.EqualValues(t, 1, all[1].Step)
	require.Equal(t, 256.5, all[1].Time)
}

func TestReadRefuses(t *testing.T) {
	change := func(at int) []byte {
		b := []byte(tensorflow)
		b[at] ^= 1
		return b
	}
	for _, c := range []struct {
		want string
		file []byte
	}{
		{"byte 0: the file ends", []byte(tensorflow[:8])},
		{"byte 0: the file ends", []byte(tensorflow[:len(tensorflow)-1])},
		{"byte 40: the file ends", []byte(tensorflow + "x")},
		{"its length has another checksum", change(0)},
		{"its length has another checksum", change(8)},
		{"its data have another checksum", change(12)},
		{"its data have another checksum", change(39)},
	} {
		_, err := tfeventstest.Read(c.file)
		require.ErrorContains(t, err, c.want)
	}
}

func FuzzRead(f *testing.F) {
	f.Add([]byte(tensorflow + logger))
	f.Add([]byte(logger[:20]))
	f.Fuzz(func(t *testing.T, b []byte) {
		events, err := tfeventstest.Read(b)
		if records, _ := tfeventstest.Records(b); err == nil && len(records) != len(events) {
			t.Errorf("%d events in %d records", len(events), len(records))
		}
	})
}
