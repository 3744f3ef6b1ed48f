// Command shapes prints the fields of every machine-config document that Talos knows, as JSON:
// which keys a mapping may have, which kind of value each takes, and how a patch merges it.
//
// Kinds are read from the arguments; the types come from Talos' own loader by reflection.
package main

import (
	"encoding"
	"encoding/json"
	"fmt"
	"os"
	"reflect"
	"strings"
	"time"

	"github.com/siderolabs/talos/pkg/machinery/config/configloader"
	"go.yaml.in/yaml/v4"
)

type merger interface{ Merge(other any) error }

var (
	yamlUnmarshaler = reflect.TypeFor[yaml.Unmarshaler]()
	textUnmarshaler = reflect.TypeFor[encoding.TextUnmarshaler]()
	oldUnmarshaler  = reflect.TypeFor[interface{ UnmarshalYAML(func(any) error) error }]()
	durationType    = reflect.TypeFor[time.Duration]()
	mergerType      = reflect.TypeFor[merger]()
)

type dump struct {
	Kinds   map[string]string            `json:"kinds"`
	Structs map[string]map[string]string `json:"structs"`
}

var out = dump{Kinds: map[string]string{}, Structs: map[string]map[string]string{}}

func nameOf(t reflect.Type) string {
	parts := strings.Split(t.PkgPath(), "/")

	return parts[len(parts)-1] + "." + t.Name()
}

// expr writes a type: s string, b bool, d duration, i integer, u unsigned, f float, any, *T optional (overwritten even
// by zero), [T list, {T map, name a struct, x:name a type that parses itself, ~T one that merges itself.
func expr(t reflect.Type) string {
	if t == durationType {
		return "d"
	}

	prefix := ""
	if t.Kind() != reflect.Pointer && reflect.PointerTo(t).Implements(mergerType) {
		prefix = "~"
	}

	if t.Name() != "" && t.Kind() != reflect.Pointer {
		p := reflect.PointerTo(t)
		if p.Implements(yamlUnmarshaler) || p.Implements(oldUnmarshaler) || p.Implements(textUnmarshaler) {
			return prefix + "x:" + nameOf(t) + ":" + base(t)
		}
	}

	return prefix + base(t)
}

func base(t reflect.Type) string {
	switch t.Kind() {
	case reflect.Pointer:
		return "*" + expr(t.Elem())
	case reflect.Slice, reflect.Array:
		if t.Elem().Kind() == reflect.Uint8 {
			return "bytes"
		}

		return "[" + expr(t.Elem())
	case reflect.Map:
		return "{" + expr(t.Elem())
	case reflect.Struct:
		structure(t)

		return nameOf(t)
	case reflect.String:
		return "s"
	case reflect.Bool:
		return "b"
	case reflect.Int, reflect.Int8, reflect.Int16, reflect.Int32, reflect.Int64:
		return "i"
	case reflect.Uint, reflect.Uint8, reflect.Uint16, reflect.Uint32, reflect.Uint64:
		return "u"
	case reflect.Float32, reflect.Float64:
		return "f"
	default:
		return "any"
	}
}

func structure(t reflect.Type) map[string]string {
	name := nameOf(t)
	if fields, done := out.Structs[name]; done {
		return fields
	}

	fields := map[string]string{}
	out.Structs[name] = fields

	for i := range t.NumField() {
		field := t.Field(i)
		tag := field.Tag.Get("yaml")
		options := strings.Split(tag, ",")

		if len(options) > 1 && options[0] == "" && options[1] == "inline" {
			inner := field.Type
			for inner.Kind() == reflect.Pointer {
				inner = inner.Elem()
			}

			if inner.Kind() == reflect.Map {
				fields["*"] = "any" // free-form: any other key

				continue
			}

			for key, value := range structure(inner) {
				fields[key] = value
			}

			continue
		}

		if tag == "" || options[0] == "-" || !field.IsExported() {
			continue
		}

		value := expr(field.Type)
		if strings.Contains(field.Tag.Get("merge"), "replace") {
			value = "=" + value
		}

		if !strings.Contains(tag, "omitempty") {
			value = "!" + value // written even when it is empty
		}

		fields[options[0]] = value
	}

	return fields
}

func main() {
	for _, kind := range os.Args[1:] {
		text := "apiVersion: v1alpha1\nkind: " + kind + "\nname: x\n"
		if kind == "v1alpha1" {
			text = "version: v1alpha1\nmachine: {}\n"
		}

		provider, err := configloader.NewFromBytes([]byte(text))
		if err != nil && strings.Contains(err.Error(), "unknown keys") {
			provider, err = configloader.NewFromBytes([]byte(strings.Replace(text, "name: x\n", "", 1)))
		}

		if err != nil {
			fmt.Fprintf(os.Stderr, "%s: %v\n", kind, err)

			continue
		}

		t := reflect.TypeOf(provider.Documents()[0]).Elem()
		structure(t)
		out.Kinds[kind] = nameOf(t)
	}

	encoder := json.NewEncoder(os.Stdout)
	encoder.SetIndent("", " ")

	if err := encoder.Encode(out); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}
