// Command patch applies patches with Talos' own code. It reads one JSON object per line (base, patches) and writes
// one per line: result, or error.
package main

import (
	"bufio"
	"encoding/json"
	"fmt"
	"os"

	"github.com/siderolabs/talos/pkg/machinery/config/configpatcher"
)

type input struct {
	Base    string   `json:"base"`
	Patches []string `json:"patches"`
}

type output struct {
	Result string `json:"result,omitempty"`
	Error  string `json:"error,omitempty"`
}

func apply(in input) (result output) {
	defer func() {
		if panicked := recover(); panicked != nil {
			result = output{Error: fmt.Sprintf("panic: %v", panicked)}
		}
	}()

	var patches []configpatcher.Patch

	for _, text := range in.Patches {
		patch, err := configpatcher.LoadPatch([]byte(text))
		if err != nil {
			return output{Error: err.Error()}
		}

		patches = append(patches, patch)
	}

	patched, err := configpatcher.Apply(configpatcher.WithBytes([]byte(in.Base)), patches)
	if err != nil {
		return output{Error: err.Error()}
	}

	// Through the documents: this is where missing values are written and wrong ones show.
	bytes, err := patched.Bytes()
	if err != nil {
		return output{Error: err.Error()}
	}

	return output{Result: string(bytes)}
}

func main() {
	lines := bufio.NewScanner(os.Stdin)
	lines.Buffer(nil, 1<<26)

	encoder := json.NewEncoder(os.Stdout)

	for lines.Scan() {
		var in input

		if err := json.Unmarshal(lines.Bytes(), &in); err != nil {
			fmt.Fprintln(os.Stderr, err)
			os.Exit(2)
		}

		if err := encoder.Encode(apply(in)); err != nil {
			fmt.Fprintln(os.Stderr, err)
			os.Exit(2)
		}
	}
}
