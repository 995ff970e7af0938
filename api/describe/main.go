// Command describe prints what the description of the API has to know from the program itself, as JSON: each type of event
// with what its data looks like, and each code of problems. `make generate` puts them into the document.
package main

import (
	"encoding/json"
	"fmt"
	"maps"
	"os"

	"mago/api"
	"mago/domain/game"
)

func main() {
	facts, err := registries()
	if err == nil {
		err = json.NewEncoder(os.Stdout).Encode(facts)
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, "describe:", err)
		os.Exit(1)
	}
}

// facts are the program's registries.
type facts struct {
	Events   map[string]schema `json:"events"` // what the data of each type looks like
	Problems []api.Kind        `json:"problems"`
}

// schema is a schema object of OpenAPI 3.0.
type schema map[string]any

func registries() (facts, error) {
	out := facts{Events: map[string]schema{}, Problems: api.Kinds()}
	for _, name := range game.Types() {
		data, err := game.Describe(name)
		if err != nil {
			return out, err
		}
		out.Events[name] = schemaOf(data)
	}
	return out, nil
}

func schemaOf(s *game.Schema) schema {
	out := schema{"type": s.Type}
	if s.Nullable {
		out["nullable"] = true
	}
	switch s.Type {
	case game.JSONObject:
		maps.Copy(out, membersOf(s.Members))
	case game.JSONArray:
		out["items"], out["maxItems"] = schemaOf(s.Items), s.MostItems
	case game.JSONInteger:
		out["minimum"], out["maximum"] = s.Least, s.Most
	case game.JSONString:
		if s.Values != nil {
			out["enum"] = s.Values
		}
		if s.Pattern != "" {
			out["pattern"], out["example"] = s.Pattern, s.Example
		}
	case game.JSONBoolean:
	}
	return out
}

// membersOf requires all members but the optional ones.
func membersOf(members []game.Member) schema {
	properties, required := map[string]schema{}, []string{}
	for _, m := range members {
		properties[m.Name] = schemaOf(m.Schema)
		if !m.Optional {
			required = append(required, m.Name)
		}
	}
	return schema{"properties": properties, "required": required}
}
