// Shows the OpenAPI document beside this page.
SwaggerUIBundle({
  url: new URL('openapi.json', location.href).href,
  dom_id: '#page',
  deepLinking: true,
  tryItOutEnabled: true,
  validatorUrl: null,
});
