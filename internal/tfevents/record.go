// Package tfevents writes the event files that TensorBoard reads: records in
// TensorFlow's framing (TFRecord), each with an Event message of
// tensorflow/core/util/event.proto.
package tfevents

import (
	"encoding/binary"
	"hash/crc32"
)

var castagnoli = crc32.MakeTable(crc32.Castagnoli)

// maskDelta and the rotation in mask follow TensorFlow's core/lib/hash/crc32c.h.
const maskDelta = 0xa282ead8

// mask changes a checksum that is stored next to its data: a CRC of data that
// contains its own CRC is weak.
func mask(crc uint32) uint32 { return (crc>>15 | crc<<17) + maskDelta }

// AppendRecord appends data to b as a TFRecord: its length as a little-endian
// uint64, the masked CRC-32C of those eight bytes, the data, its masked CRC-32C.
func AppendRecord(b, data []byte) []byte {
	length := binary.LittleEndian.AppendUint64(nil, uint64(len(data)))
	b = append(b, length...)
	b = binary.LittleEndian.AppendUint32(b, mask(crc32.Checksum(length, castagnoli)))
	b = append(b, data...)
	return binary.LittleEndian.AppendUint32(b, mask(crc32.Checksum(data, castagnoli)))
}
