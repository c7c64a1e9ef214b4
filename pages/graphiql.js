const settings = JSON.parse(document.getElementById('settings').textContent);
// Where GraphiQL's own style elements find it.
globalThis.__webpack_nonce__ = settings.styleNonce;
const panel = document.getElementById('files');

/** The picked files, by the path of the variable that each is for. */
const files = new Map();

/** The paths of all nulls in variables: where GraphQL multipart requests put files. */
function nullPaths(value, path) {
  if (value === null) return [path];
  if (typeof value !== 'object') return [];
  return Object.entries(value).flatMap(([key, inner]) => nullPaths(inner, `${path}.${key}`));
}

function pathsOf(variables) {
  try {
    return nullPaths(JSON.parse(variables || '{}') ?? {}, 'variables');
  } catch {
    // Half-typed JSON: what was offered before stays.
    return undefined;
  }
}

function fileInput(path) {
  const label = document.createElement('label');
  const input = document.createElement('input');
  input.type = 'file';
  input.name = path;
  input.addEventListener('change', () => {
    if (input.files[0]) files.set(path, input.files[0]);
    else files.delete(path);
  });
  label.append(`${path} `, input);
  return label;
}

/** Offers a file for every null among the variables. */
function offerFiles(variables) {
  const paths = pathsOf(variables);
  if (!paths || paths.join() === panel.dataset.paths) return;
  panel.dataset.paths = paths.join();
  panel.hidden = paths.length === 0;
  files.clear();
  const title = document.createElement('strong');
  title.textContent = 'Files for this operation';
  panel.replaceChildren(title, ...paths.map(fileInput));
}

/** The GraphQL multipart request specification: operations, then the map, then the files. */
function multipartBody(request, picked) {
  const form = new FormData();
  form.append('operations', JSON.stringify(request));
  form.append('map', JSON.stringify(Object.fromEntries(picked.map(([path], index) => [index, [path]]))));
  picked.forEach(([, file], index) => {
    form.append(String(index), file);
  });
  return form;
}

async function fetcher(request, { headers } = {}) {
  const wanted = nullPaths(request.variables ?? {}, 'variables');
  const picked = [...files].filter(([path]) => wanted.includes(path));
  const isMultipart = picked.length > 0;
  const response = await fetch('graphql', {
    method: 'POST',
    headers: {
      Accept: 'application/json',
      'Apollo-Require-Preflight': 'true',
      ...(!isMultipart && { 'Content-Type': 'application/json' }),
      ...headers,
    },
    body: isMultipart ? multipartBody(request, picked) : JSON.stringify(request),
  });
  return response.json();
}

const memory = new Map();
// Variables hold passwords, headers tokens: nothing of them outlives the page.
const storage = {
  get length() {
    return memory.size;
  },
  getItem: (key) => memory.get(key) ?? null,
  setItem: (key, value) => void memory.set(key, value),
  removeItem: (key) => void memory.delete(key),
  clear: () => memory.clear(),
};

ReactDOM.createRoot(document.getElementById('graphiql')).render(
  React.createElement(GraphiQL, {
    fetcher,
    storage,
    ...(!settings.introspection && { schema: null }),
    defaultTabs: settings.operations,
    defaultHeaders: '{\n  "Authorization": "Bearer "\n}',
    defaultEditorToolsVisibility: 'variables',
    onEditVariables: offerFiles,
    onTabChange: ({ tabs, activeTabIndex }) => offerFiles(tabs[activeTabIndex].variables),
  }),
);
offerFiles(settings.operations[0].variables);
