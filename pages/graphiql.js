const settings = JSON.parse(document.getElementById('settings').textContent);
// GraphiQL reads the nonce for its style elements from here.
globalThis.__webpack_nonce__ = settings.styleNonce;
const panel = document.getElementById('files');
const authorization = document.getElementById('authorization');
const sendsToken = authorization.querySelector('input');

/** The chosen files, by the path of their variable. */
const files = new Map();

/** The paths of all nulls in the variables. GraphQL multipart requests put files there. */
function nullPaths(value, path) {
  if (value === null) {
    return [path];
  }
  if (typeof value !== 'object') {
    return [];
  }
  return Object.entries(value).flatMap(([key, inner]) => nullPaths(inner, `${path}.${key}`));
}

function pathsOf(variables) {
  try {
    return nullPaths(JSON.parse(variables || '{}') ?? {}, 'variables');
  } catch {
    // The JSON is incomplete while the user types. The last file inputs stay.
    return undefined;
  }
}

function fileInput(path) {
  const label = document.createElement('label');
  const input = document.createElement('input');
  input.type = 'file';
  input.name = path;
  input.addEventListener('change', () => {
    if (input.files[0]) {
      files.set(path, input.files[0]);
    } else {
      files.delete(path);
    }
  });
  label.append(`${path.replace(/^variables\.(input\.)?/, '')} `, input);
  return label;
}

/** Shows a file input for every null in the variables. */
function offerFiles(variables) {
  const paths = pathsOf(variables);
  if (!paths || paths.join() === panel.dataset.paths) {
    return;
  }
  panel.dataset.paths = paths.join();
  panel.hidden = paths.length === 0;
  files.clear();
  const title = document.createElement('strong');
  title.textContent = 'Files for this operation, one for each null among its variables';
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

/** The access token of the last registration or login. */
let token;

/** The headers of the Headers editor. If the user wants it, the token replaces the "Bearer" of the template. */
function headersFor(isMultipart, edited) {
  const headers = new Headers({ Accept: 'application/json', 'Apollo-Require-Preflight': 'true' });
  if (!isMultipart) {
    headers.set('Content-Type', 'application/json');
  }
  for (const [name, value] of Object.entries(edited ?? {})) {
    headers.set(name, value);
  }
  if (/^(?:Bearer)?$/i.test(headers.get('Authorization') ?? '')) {
    headers.delete('Authorization');
  }
  if (sendsToken.checked && !headers.has('Authorization')) {
    headers.set('Authorization', `Bearer ${token}`);
  }
  return headers;
}

/** Offers to use a new token, and forgets a revoked one. */
function followToken({ data }, sent) {
  const issued = Object.values(data ?? {}).find((field) => typeof field?.token === 'string');
  if (issued) {
    token = issued.token;
  } else if (!data?.logout || sent.get('Authorization') !== `Bearer ${token}`) {
    return;
  } else {
    sendsToken.checked = false;
  }
  authorization.hidden = !issued;
}

async function fetcher(request, { headers } = {}) {
  const wanted = nullPaths(request.variables ?? {}, 'variables');
  const picked = [...files].filter(([path]) => wanted.includes(path));
  const isMultipart = picked.length > 0;
  const sent = headersFor(isMultipart, headers);
  const response = await fetch('graphql', {
    method: 'POST',
    headers: sent,
    body: isMultipart ? multipartBody(request, picked) : JSON.stringify(request),
  });
  const answer = await response.json();
  followToken(answer, sent);
  return answer;
}

const memory = new Map();
// Variables may contain passwords, and headers tokens, so they are not stored after the page is closed.
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
