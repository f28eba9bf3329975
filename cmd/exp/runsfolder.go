package main

import "github.com/spf13/cobra"

func (a *app) runsCommand() *cobra.Command { return &cobra.Command{Use: "runs", Hidden: true} }
