package main

import (
	"errors"
	"net/netip"
	"net/url"
	"regexp"

	"mago/api"
)

// caps are what one user may have at once where limits hold; 0 is any number.
type caps struct {
	sessions int
	keys     int // answers kept for requests that are sent again
}

// limits returns what --limits stands for.
func (cmd *serveCommand) limits() (*api.Limits, caps) {
	if cmd.Limits == "off" {
		return nil, caps{}
	}
	return api.DefaultLimits(), caps{sessions: 50, keys: 1000}
}

// network is an address or a range of addresses in CIDR notation.
type network struct{ netip.Prefix }

// UnmarshalText is called by kong.
func (n *network) UnmarshalText(text []byte) (err error) {
	if ip, err := netip.ParseAddr(string(text)); err == nil {
		n.Prefix, err = ip.Prefix(ip.BitLen())
		return err
	}
	if n.Prefix, err = netip.ParsePrefix(string(text)); err != nil {
		return errors.New("must be an address or a network such as 10.0.0.0/8")
	}
	return nil
}

func (cmd *serveCommand) proxies() (out []netip.Prefix) {
	for _, n := range cmd.TrustedProxies {
		out = append(out, n.Prefix)
	}
	return out
}

// origin is where a page comes from, as browsers write it: scheme, host, and a port that is not the scheme's own; or * for everywhere.
type origin string

// originHost is a host in lower case, perhaps with a port.
var originHost = regexp.MustCompile(`^([a-z0-9.-]+|\[[0-9a-f:]+\])(:[0-9]{1,5})?$`)

// UnmarshalText is called by kong. An origin that no browser would send is refused, as it would allow nothing, and so is a pattern.
func (o *origin) UnmarshalText(text []byte) error {
	u, err := url.Parse(string(text))
	plain := err == nil && (u.Scheme == "http" || u.Scheme == "https") && originHost.MatchString(u.Host) && u.Scheme+"://"+u.Host == string(text)
	if !plain && string(text) != "*" {
		return errors.New("must be an origin such as https://example.com, without a path, or *")
	}
	*o = origin(text)
	return nil
}

func (cmd *serveCommand) origins() (out []string) {
	for _, o := range cmd.CORSOrigins {
		out = append(out, string(o))
	}
	return out
}
