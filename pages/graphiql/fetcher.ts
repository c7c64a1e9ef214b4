import { Kind, parse } from 'graphql';
import { filesFor, multipartBody } from './files.ts';
import { choicesFor, pageState } from './page-state.ts';
import { follow, type Session } from './session.ts';

/** An operation of GraphiQL. */
interface OperationRequest {
  query: string;
  operationName?: string | null;
  variables?: Record<string, unknown>;
}

/** The names of the operations of a document, none if it is not valid. */
function operationNames(query: string): (string | undefined)[] {
  try {
    return parse(query).definitions.flatMap((definition) =>
      definition.kind === Kind.OPERATION_DEFINITION ? [definition.name?.value] : [],
    );
  } catch {
    return [];
  }
}

/** GraphiQL looks up the name a tenth of a second after a change of the tab, so a fast click would send the last one. */
function withItsName(request: OperationRequest): OperationRequest {
  const [name, ...others] = operationNames(request.query);
  return others.length > 0 ? request : { ...request, operationName: name ?? request.operationName ?? null };
}

/** The headers of the Headers editor. The token replaces the "Bearer" of its template. */
function headersFor(
  isMultipart: boolean,
  edited: Record<string, string>,
  { token, sendsToken }: Session,
): Headers {
  const headers = new Headers({ Accept: 'application/json', 'Apollo-Require-Preflight': 'true' });
  if (!isMultipart) {
    headers.set('Content-Type', 'application/json');
  }
  for (const [name, value] of Object.entries(edited)) {
    headers.set(name, value);
  }
  if (/^(?:Bearer)?$/i.test(headers.get('Authorization') ?? '')) {
    headers.delete('Authorization');
  }
  if (sendsToken && token !== undefined && !headers.has('Authorization')) {
    headers.set('Authorization', `Bearer ${token}`);
  }
  return headers;
}

/** Sends an operation of GraphiQL, with the files of its tab and the latest token, and follows the answer. */
export async function fetcher(
  asked: OperationRequest,
  { headers = {} }: { headers?: Record<string, string> } = {},
) {
  const request = withItsName(asked);
  const state = pageState.get();
  const files = filesFor(request.variables ?? {}, choicesFor(state, request.operationName ?? ''));
  const isMultipart = files.length > 0;
  const sent = headersFor(isMultipart, headers, state.session);
  const response = await fetch('graphql', {
    method: 'POST',
    headers: sent,
    body: isMultipart ? multipartBody(request, files) : JSON.stringify(request),
  });
  const answer = await response.json();
  const sentToken = sent.get('Authorization')?.replace(/^Bearer /i, '');
  const session = follow(pageState.get().session, {
    variables: request.variables,
    sentToken,
    data: answer.data,
  });
  pageState.update({ session });
  return answer;
}
