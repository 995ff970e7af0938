package api

import (
	"errors"

	"github.com/go-json-experiment/json"
	"github.com/labstack/echo/v4"
)

// encode is how every answer becomes JSON: nothing escaped without need, an empty list is [] even when nil.
func encode(v any) ([]byte, error) { return json.Marshal(v) }

// serializer makes c.JSON use encode.
type serializer struct{}

func (serializer) Serialize(c echo.Context, v any, _ string) error {
	body, err := encode(v)
	if err != nil {
		return err
	}
	_, err = c.Response().Write(body)
	return err
}

// Deserialize refuses: bind is the one way in.
func (serializer) Deserialize(echo.Context, any) error {
	return errors.New("bodies are read by bind")
}
