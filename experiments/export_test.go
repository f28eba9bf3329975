package experiments

// Families are the experiments that are ours: their goldens are required.
var Families = families
