package main

import (
	"fmt"
	"time"
)

// waits is a program that is asked to stop and does not.
func waits() {
	ctx := untilSignal()
	fmt.Println("ready")
	<-ctx.Done()
	fmt.Println("asked")
	time.Sleep(time.Minute)
}
