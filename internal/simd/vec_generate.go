package simd

//go:generate go run ./gen/vec -pkg simd -out vec_amd64.s -stubs vec_amd64.go
//go:generate go run ./gen/vec -neon -pkg simd -out vec_arm64.s -stubs vec_arm64.go
