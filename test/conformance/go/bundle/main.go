// Command bundle lets Talos read secrets bundles: it loads and validates each file named in its arguments and
// issues an admin certificate from it, so that every key is used by the code that will use it.
package main

import (
	"fmt"
	"os"

	"github.com/siderolabs/talos/pkg/machinery/config"
	"github.com/siderolabs/talos/pkg/machinery/config/generate/secrets"
	"github.com/siderolabs/talos/pkg/machinery/role"
)

func check(path string) error {
	bundle, err := secrets.LoadBundle(path)
	if err != nil {
		return err
	}

	if err = bundle.Validate(config.TalosVersionCurrent); err != nil {
		return err
	}

	_, err = bundle.GenerateTalosAPIClientCertificate(role.MakeSet(role.Admin))

	return err
}

func main() {
	for _, path := range os.Args[1:] {
		if err := check(path); err != nil {
			fmt.Fprintf(os.Stderr, "%s: %v\n", path, err)
			os.Exit(1)
		}
	}
}
