// validatorUrl: null, because Swagger UI would else send the description's address to a validator on the internet.
SwaggerUIBundle({
  url: "/openapi.json",
  dom_id: "#api",
  deepLinking: true,
  validatorUrl: null,
});
