package simd

//go:generate go run ./gen/vec -pkg simd -out vec_amd64.s -stubs vec_amd64.go
