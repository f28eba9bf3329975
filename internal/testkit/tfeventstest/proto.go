package tfeventstest

import (
	"fmt"

	"google.golang.org/protobuf/encoding/prototext"
	"google.golang.org/protobuf/reflect/protodesc"
	"google.golang.org/protobuf/reflect/protoreflect"
	"google.golang.org/protobuf/types/descriptorpb"
)

// eventProto is what is used here of TensorFlow's event.proto and summary.proto.
const eventProto = `
name: "event.proto" package: "tensorflow" syntax: "proto3"
message_type { name: "Event"
  field { name: "wall_time" number: 1 type: TYPE_DOUBLE label: LABEL_OPTIONAL }
  field { name: "step" number: 2 type: TYPE_INT64 label: LABEL_OPTIONAL }
  field { name: "file_version" number: 3 type: TYPE_STRING label: LABEL_OPTIONAL oneof_index: 0 }
  field { name: "summary" number: 5 type: TYPE_MESSAGE type_name: ".tensorflow.Summary" label: LABEL_OPTIONAL oneof_index: 0 }
  field { name: "session_log" number: 7 type: TYPE_MESSAGE type_name: ".tensorflow.SessionLog" label: LABEL_OPTIONAL oneof_index: 0 }
  oneof_decl { name: "what" } }
message_type { name: "SessionLog"
  field { name: "status" number: 1 type: TYPE_ENUM type_name: ".tensorflow.SessionLog.SessionStatus" label: LABEL_OPTIONAL }
  enum_type { name: "SessionStatus" value { name: "STATUS_UNSPECIFIED" number: 0 } value { name: "START" number: 1 } } }
message_type { name: "Summary"
  field { name: "value" number: 1 type: TYPE_MESSAGE type_name: ".tensorflow.Summary.Value" label: LABEL_REPEATED }
  nested_type { name: "Value"
    field { name: "tag" number: 1 type: TYPE_STRING label: LABEL_OPTIONAL }
    field { name: "simple_value" number: 2 type: TYPE_FLOAT label: LABEL_OPTIONAL oneof_index: 0 }
    field { name: "histo" number: 5 type: TYPE_MESSAGE type_name: ".tensorflow.HistogramProto" label: LABEL_OPTIONAL oneof_index: 0 }
    oneof_decl { name: "value" } } }
message_type { name: "HistogramProto"
  field { name: "min" number: 1 type: TYPE_DOUBLE label: LABEL_OPTIONAL }
  field { name: "max" number: 2 type: TYPE_DOUBLE label: LABEL_OPTIONAL }
  field { name: "num" number: 3 type: TYPE_DOUBLE label: LABEL_OPTIONAL }
  field { name: "sum" number: 4 type: TYPE_DOUBLE label: LABEL_OPTIONAL }
  field { name: "sum_squares" number: 5 type: TYPE_DOUBLE label: LABEL_OPTIONAL }
  field { name: "bucket_limit" number: 6 type: TYPE_DOUBLE label: LABEL_REPEATED options { packed: true } }
  field { name: "bucket" number: 7 type: TYPE_DOUBLE label: LABEL_REPEATED options { packed: true } } }
`

// eventType returns the descriptor of Event.
func eventType() (protoreflect.MessageDescriptor, error) {
	file := new(descriptorpb.FileDescriptorProto)
	if err := prototext.Unmarshal([]byte(eventProto), file); err != nil {
		return nil, err
	}
	d, err := protodesc.NewFile(file, nil)
	if err != nil {
		return nil, err
	}
	return d.Messages().ByName("Event"), nil
}

// known refuses fields that the descriptor does not have, at any depth.
func known(m protoreflect.Message) (err error) {
	if n := len(m.GetUnknown()); n > 0 {
		return fmt.Errorf("%d bytes of unknown fields in %s", n, m.Descriptor().Name())
	}
	m.Range(func(f protoreflect.FieldDescriptor, v protoreflect.Value) bool {
		switch {
		case f.Message() == nil:
		case f.IsList():
			for i := 0; i < v.List().Len() && err == nil; i++ {
				err = known(v.List().Get(i).Message())
			}
		default:
			err = known(v.Message())
		}
		return err == nil
	})
	return err
}

// field returns a field by its path; a message that is not there has zero fields.
func field(m protoreflect.Message, path ...protoreflect.Name) protoreflect.Value {
	last := len(path) - 1
	for _, name := range path[:last] {
		m = m.Get(m.Descriptor().Fields().ByName(name)).Message()
	}
	return m.Get(m.Descriptor().Fields().ByName(path[last]))
}

// holds returns which field of a oneof is set, "" for none.
func holds(m protoreflect.Message, oneof protoreflect.Name) protoreflect.Name {
	f := m.WhichOneof(m.Descriptor().Oneofs().ByName(oneof))
	if f == nil {
		return ""
	}
	return f.Name()
}
