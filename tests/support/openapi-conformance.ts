import { type HeaderRule, openApiDocument, problemWith, type ResponseRule, resolved } from './openapi.ts';

/** A request, as far as the document describes it, and the whole response. */
export interface Exchange {
  method: string;
  /** The path as sent, with the query. */
  path: string;
  status: number;
  headers: Headers;
  text: string;
}

const DOCUMENTED = /^\/(?:api\/v1\/(?:auth|user)|storage|oauth\/introspect|forward-auth(?!\/))(?:[/?]|$)/;

/** True if the document describes a path. It does not describe /graphql, and what Envoy asks only in words. */
export const isDocumented = ({ path }: Exchange): boolean => DOCUMENTED.test(path);

/**
 * Compares a response with the document.
 * @returns a line for each problem; none if the response is as documented
 */
export function problemsOf(exchange: Exchange): string[] {
  const rule = ruleFor(exchange);
  const name = `${exchange.method} ${exchange.path}: ${exchange.status}`;
  const problems = rule
    ? [...headerProblems(rule, exchange), ...bodyProblems(rule, exchange)]
    : ['undocumented'];
  return problems.map((problem) => `${name}: ${problem}`);
}

/**
 * The documented response for an exchange. OpenAPI has no place for answers to paths and methods that it does not list. They
 * are among its components, and apply to all such paths and methods.
 */
function ruleFor({ method, path, status }: Exchange): ResponseRule | undefined {
  const { responses } = openApiDocument().components;
  const item = pathItemOf(path);
  if (!item) {
    return status === 404 ? responses.NotFound : general(method, status);
  }
  const operation = item[method === 'HEAD' ? 'get' : method.toLowerCase()];
  if (!operation) {
    return general(method, status);
  }
  const rule = operation.responses[status];
  return rule && resolved(rule);
}

function general(method: string, status: number): ResponseRule | undefined {
  const { responses } = openApiDocument().components;
  if (method === 'OPTIONS' && status !== 405) {
    return status === 200 || status === 204 ? responses.AllowedMethods : undefined;
  }
  return status === 405 ? responses.MethodNotAllowed : undefined;
}

/** OpenAPI has no parameter with slashes in it: the document says in words that this one may have them. */
const WITH_SLASHES = '/storage/doctor_profiles/{path}';

/** The entry of `paths` for a path. Like the router, it allows one slash at the end. */
function pathItemOf(path: string) {
  const [bare = ''] = path.split('?');
  const entries = Object.entries(openApiDocument().paths);
  return entries.find(([template]) => {
    const part = template === WITH_SLASHES ? '.+' : '[^/]+';
    return new RegExp(`^${template.replace(/\{\w+\}/g, part)}/?$`).test(bare);
  })?.[1];
}

function headerProblems({ headers = {} }: ResponseRule, exchange: Exchange): string[] {
  return Object.entries(headers).flatMap(([name, reference]) => {
    const { required, schema } = resolved<HeaderRule>(reference);
    const value = exchange.headers.get(name);
    if (value === null) {
      return required ? [`no ${name}`] : [];
    }
    const problem = problemWith(
      `#/components/headers/${name}/schema`,
      schema.type === 'integer' ? Number(value) : value,
    );
    return problem === undefined ? [] : [`${name}: ${problem}`];
  });
}

function bodyProblems({ content }: ResponseRule, { method, headers, text }: Exchange): string[] {
  if (method === 'HEAD') {
    return [];
  }
  if (!content) {
    return text === '' ? [] : ['a body where there is none'];
  }
  const type = headers.get('content-type')?.split(';')[0] ?? '';
  if (type === 'application/problem+json') {
    // In words, as the form of every error for a request that names it.
    const problem = problemWith('#/components/schemas/Problem', JSON.parse(text));
    return problem === undefined ? [] : [problem];
  }
  const media = content[type] ?? content[type.replace(/\/.*/, '/*')];
  if (!media) {
    return [`a body of type "${type}"`];
  }
  if (!media.schema) {
    return [];
  }
  const problem = problemWith(media.schema.$ref, JSON.parse(text));
  return problem === undefined ? [] : [problem];
}
