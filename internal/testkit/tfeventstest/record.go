// Package tfeventstest reads event files in tests. It shares nothing with the
// writer: its checksum is computed bit by bit from the polynomial, its messages
// are decoded from a descriptor.
package tfeventstest

import (
	"encoding/binary"
	"errors"
	"fmt"
)

// CRC32C is the CRC of RFC 3720, section 12.1.
func CRC32C(data []byte) uint32 {
	crc := ^uint32(0)
	for _, b := range data {
		crc ^= uint32(b)
		for range 8 {
			odd := crc & 1
			crc >>= 1
			if odd == 1 {
				crc ^= 0x82f63b78
			}
		}
	}
	return ^crc
}

// unmasked undoes what TensorFlow does to a checksum.
func unmasked(b []byte) uint32 {
	rot := binary.LittleEndian.Uint32(b) - 0xa282ead8
	return rot>>17 | rot<<15
}

// Records takes a file of TFRecords apart and checks every checksum. The records
// before an error come with it.
func Records(b []byte) (records [][]byte, err error) {
	for at := 0; at < len(b); {
		rest := b[at:]
		if len(rest) < 12 {
			return records, fmt.Errorf("record at byte %d: %w", at, errCut)
		}
		if CRC32C(rest[:8]) != unmasked(rest[8:]) {
			return records, fmt.Errorf("record at byte %d: its length has another checksum", at)
		}
		n := binary.LittleEndian.Uint64(rest)
		if n > uint64(len(rest)) || int(n)+16 > len(rest) {
			return records, fmt.Errorf("record at byte %d: %w", at, errCut)
		}
		data := rest[12 : 12+n]
		if CRC32C(data) != unmasked(rest[12+n:]) {
			return records, fmt.Errorf("record at byte %d: its data have another checksum", at)
		}
		records = append(records, data)
		at += int(n) + 16
	}
	return records, nil
}

var errCut = errors.New("the file ends within it")
