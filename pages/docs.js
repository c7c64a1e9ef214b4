SwaggerUIBundle({
  url: 'openapi.yaml',
  domNode: document.getElementById('docs'),
  tryItOutEnabled: true,
  persistAuthorization: false,
  // The validator's badge is a picture of another host.
  validatorUrl: null,
});
