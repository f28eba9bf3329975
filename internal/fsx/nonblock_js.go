package fsx

const nonblock = 0
