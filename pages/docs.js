// Swagger UI has dark colours, but the page must switch them on.
const dark = matchMedia('(prefers-color-scheme: dark)');
const followScheme = () => document.documentElement.classList.toggle('dark-mode', dark.matches);
dark.addEventListener('change', followScheme);
followScheme();

SwaggerUIBundle({
  url: 'openapi.yaml',
  domNode: document.getElementById('docs'),
  tryItOutEnabled: true,
  persistAuthorization: false,
  // The validator's badge would load a picture from another host.
  validatorUrl: null,
});
