package simd

// FMA is fma for the external tests.
var FMA = fma
