import type { Logger } from '../../system/log.ts';
import type { RequestObserver } from './request-record.ts';

/** Machines ask for these every few seconds. Such lines would only hide the others. */
const PROBED_PATHS = new Set(['/healthz', '/readyz']);
/** Longer than any of ours, those of documents included. */
const MAX_PATH_CHARACTERS = 256;

/**
 * Writes one line for every request when it has ended (OWASP ASVS 5.0 16.2.1), and at `info` whatever its status: what
 * went wrong has a line of its own, with the cause and the same request id.
 *
 * The fields are chosen one by one, and none is a secret: never the query, which has the signatures of documents and
 * the variables of GraphQL in it, nor a header but the request id. So the line needs no redaction, which would cost ten times
 * as much as the line itself.
 */
export function logRequests(log: Logger): RequestObserver {
  const lines = log.child({}, { redact: [] });
  return (record, { status, durationMillis, isAborted }, { method, originalUrl }) => {
    const path = pathOf(originalUrl);
    const level = PROBED_PATHS.has(path) ? 'debug' : 'info';
    if (!lines.isLevelEnabled(level)) {
      return;
    }
    const { id, door, operation, operationName, accountId, ip, uploadBytes } = record;
    const line = {
      requestId: id,
      method,
      path,
      door,
      operation,
      operationName,
      status,
      durationMillis: Math.round(durationMillis * 10) / 10,
      accountId,
      ip,
      uploadBytes: uploadBytes || undefined,
      aborted: isAborted || undefined,
    };
    lines[level](line, 'request');
  };
}

/** As a proxy is asked (RFC 9112 section 3.2.2): the authority may have a password in it. */
const AUTHORITY = /^[a-z][a-z\d+.-]*:\/\/[^/?#]*/i;

function pathOf(url: string): string {
  const own = url.startsWith('/') ? url : url.replace(AUTHORITY, '');
  const [path = ''] = own.split('?', 1);
  return withoutDocumentName(path).slice(0, MAX_PATH_CHARACTERS);
}

/** What follows the group contains the name, or a misspelt form of it. */
const BELOW_STORAGE = /^(\/+storage\/+[^/]*\/+.{0,6})(.*)$/is;
/** The random name of a document anywhere in a path: below another prefix, behind a wrong address. */
const DOCUMENT_NAME = /(?<=^|[^0-9A-Za-z]|%[0-9A-Fa-f]{2})([0-9A-Za-z]{6})[0-9A-Za-z]{34}(?![0-9A-Za-z])/g;

/**
 * The path of a public document is enough to read it, and readers of the log must not. The first characters are enough to
 * find it.
 */
const withoutDocumentName = (path: string): string =>
  path
    .replace(BELOW_STORAGE, (_, start: string, rest: string) => (rest === '' ? start : `${start}…`))
    .replace(DOCUMENT_NAME, '$1…');
