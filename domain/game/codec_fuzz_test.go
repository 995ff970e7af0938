package game

import (
	"bytes"
	"encoding/json"
	"reflect"
	"slices"
	"testing"

	"github.com/gowebpki/jcs"
)

// FuzzDecode: data from anywhere never panics; what is read is JSON, and written again reads as the same.
func FuzzDecode(f *testing.F) {
	names := Types()
	slices.Sort(names)
	for _, s := range samples {
		f.Add(uint8(slices.Index(names, TypeOf(s.event))), []byte(s.data))
	}
	f.Add(uint8(0), []byte(`{"a":{"b":[1,2]},"seat":1}`))
	f.Fuzz(func(t *testing.T, kind uint8, data []byte) {
		name := names[int(kind)%len(names)]
		e, err := Decode(name, data, nil)
		if err != nil {
			return
		}
		if !json.Valid(data) {
			t.Fatalf("%q is no JSON and reads as %+v", data, e)
		}
		written, secret := Encode(e)
		if lacks(data, written) {
			return // what is missing reads as zero, which need not be a value that is stored
		}
		again, err := Decode(name, written, secret)
		if err != nil || !reflect.DeepEqual(again, e) {
			t.Fatalf("%s reads as %+v, written again %s as %+v, %v", data, e, written, again, err)
		}
		if canonical, err := jcs.Transform(written); err != nil || !bytes.Equal(canonical, written) {
			t.Fatalf("%s is not canonical: %s, %v", written, canonical, err)
		}
	})
}

// lacks tells whether an object lacks members of another.
func lacks(data, whole []byte) bool {
	var has, wants map[string]any
	if json.Unmarshal(data, &has) != nil || json.Unmarshal(whole, &wants) != nil {
		return true
	}
	for name, want := range wants {
		inner, _ := has[name].(map[string]any)
		outer, _ := want.(map[string]any)
		for n := range outer {
			if _, ok := inner[n]; !ok {
				return true
			}
		}
		if _, ok := has[name]; !ok {
			return true
		}
	}
	return false
}
