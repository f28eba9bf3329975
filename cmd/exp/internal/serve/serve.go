// Package serve is exp serve: runs on a live page.
package serve

import (
	"context"
	"errors"
	"fmt"
	"net"
	"net/netip"
	"os"
	"strings"

	"github.com/spf13/cobra"

	"imdbexp/cmd/exp/internal/cli"
	"imdbexp/cmd/exp/internal/web"
)

type options struct {
	addr   string
	public bool
	hosts  []string
	train  bool
}

// New returns exp serve.
func New(a *cli.App) *cobra.Command {
	var o options
	cmd := &cobra.Command{
		Use:     "serve",
		Short:   "Show the runs in a browser, and ask them about texts",
		Example: "  exp serve\n  exp serve --addr 127.0.0.1:0\n  exp serve --addr :8080 --public --host lab.example.org",
		Long: `Show the runs of a folder in a browser, until Ctrl-C: answers to your own texts, the
table of runs, curves and comparisons (docs/serve.md). You can train an experiment of
TME 9 on the sample there.

Only this machine may open the page. With --public others on the network may, too.
There is no password and no encryption: they can read every run and ask its model.
They cannot change anything, and they cannot train unless you add --train.`,
		Args: cli.NoArguments,
		RunE: func(cmd *cobra.Command, _ []string) error { return serve(cmd.Context(), a, o) },
	}
	f := cmd.Flags()
	f.StringVar(&o.addr, "addr", "127.0.0.1:8080", "address and port; port 0 takes a free one")
	f.BoolVar(&o.public, "public", false, "let other machines open the page")
	f.BoolVar(&o.train, "train", false, "with --public: let other machines train on this one")
	f.StringArrayVar(&o.hosts, "host", nil, "with --public: a name of this machine in the address of the page (repeatable)")
	return cmd
}

func serve(ctx context.Context, a *cli.App, o options) error {
	if err := o.check(); err != nil {
		return cli.Usage(err)
	}
	if _, err := os.ReadDir(a.Runs); err != nil && !errors.Is(err, os.ErrNotExist) {
		return fmt.Errorf("cannot read the folder of runs: %w", err)
	}
	for i, h := range o.hosts {
		o.hosts[i] = strings.ToLower(h)
	}
	if name, err := os.Hostname(); err == nil && o.public {
		o.hosts = append(o.hosts, strings.ToLower(name))
	}
	data, err := a.Installed()
	a.Warn(err) // the page works without it
	s, err := web.New(web.Options{
		Dir: a.Runs, Data: data, Public: o.public, Hosts: o.hosts,
		Train: o.train || !o.public, Workers: a.Workers,
		Log: func(format string, args ...any) { a.Warn(fmt.Errorf(format, args...)) },
	})
	if err != nil {
		return err
	}
	defer s.Close()
	l, err := new(net.ListenConfig).Listen(ctx, "tcp", o.addr)
	if err != nil {
		return fmt.Errorf("%w; --addr 127.0.0.1:0 takes a free port", err)
	}
	announce(a, l.Addr(), o)
	return s.Serve(ctx, l)
}

// check refuses an address that other machines can reach, unless --public is given.
func (o options) check() error {
	host, _, err := net.SplitHostPort(o.addr)
	if err != nil {
		return fmt.Errorf("--addr %s: want ADDRESS:PORT, such as 127.0.0.1:8080", o.addr)
	}
	ip, err := netip.ParseAddr(host)
	loopback := host == "localhost" || err == nil && ip.IsLoopback()
	switch {
	case !loopback && !o.public:
		return fmt.Errorf("--addr %s: other machines could open the page there; add --public if they may", o.addr)
	case (o.train || len(o.hosts) > 0) && !o.public:
		return errors.New("--train and --host are for other machines and need --public")
	}
	return nil
}

// announce prints the address of the page.
func announce(a *cli.App, addr net.Addr, o options) {
	a.Printf("runs in %s: http://%s/ (Ctrl-C stops)\n", a.Runs, strings.Replace(addr.String(), "[::]", "localhost", 1))
	if o.public {
		a.Warn(fmt.Errorf("other machines can read the runs and ask their models%s: there is no password and no encryption",
			map[bool]string{true: ", and train"}[o.train]))
	}
}
