package simd

//go:generate go run -tags generate ./gen/vec -pkg simd -out vec_amd64.s
//go:generate go run -tags generate ./gen/vec -neon -pkg simd -out vec_arm64.s
