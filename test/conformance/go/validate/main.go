// Command validate judges machine configs with Talos' own loader and validator.
//
// It reads one "mode path" pair per line from standard input (mode: metal or cloud) and writes one
// JSON object per line: path, mode, error and warnings.
package main

import (
	"bufio"
	"encoding/json"
	"fmt"
	"os"
	"strings"

	"github.com/siderolabs/talos/pkg/machinery/config/configloader"
)

type mode struct{ name string }

func (m mode) String() string        { return m.name }
func (m mode) RequiresInstall() bool { return m.name == "metal" }
func (m mode) InContainer() bool     { return false }

type verdict struct {
	Path     string   `json:"path"`
	Mode     string   `json:"mode"`
	Error    string   `json:"error,omitempty"`
	Warnings []string `json:"warnings,omitempty"`
}

func judge(name, path string) verdict {
	result := verdict{Path: path, Mode: name}

	text, err := os.ReadFile(path)
	if err != nil {
		result.Error = err.Error()

		return result
	}

	provider, err := configloader.NewFromBytes(text)
	if err != nil {
		result.Error = err.Error()

		return result
	}

	warnings, err := provider.Validate(mode{name})
	result.Warnings = warnings

	if err != nil {
		result.Error = err.Error()
	}

	return result
}

func main() {
	input := bufio.NewScanner(os.Stdin)
	output := json.NewEncoder(os.Stdout)

	for input.Scan() {
		name, path, found := strings.Cut(input.Text(), " ")
		if !found || (name != "metal" && name != "cloud") {
			fmt.Fprintf(os.Stderr, "not a \"mode path\" line: %q\n", input.Text())
			os.Exit(2)
		}

		if err := output.Encode(judge(name, path)); err != nil {
			fmt.Fprintln(os.Stderr, err)
			os.Exit(2)
		}
	}

	if err := input.Err(); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(2)
	}
}
