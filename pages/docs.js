// Swagger UI has dark colours, and leaves it to the page when to use them.
const dark = matchMedia('(prefers-color-scheme: dark)');
const followScheme = () => document.documentElement.classList.toggle('dark-mode', dark.matches);
dark.addEventListener('change', followScheme);
followScheme();

SwaggerUIBundle({
  url: 'openapi.yaml',
  domNode: document.getElementById('docs'),
  tryItOutEnabled: true,
  persistAuthorization: false,
  // The validator's badge is a picture of another host.
  validatorUrl: null,
});
