package fetch

// Find is find, for fuzzing without a server.
var Find = find
