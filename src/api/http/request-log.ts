import type { Logger } from '../../system/log.ts';
import type { RequestObserver } from './request-record.ts';

/** Probes ask for these every few seconds. Their lines would only hide the others. */
const PROBED_PATHS = new Set(['/healthz', '/readyz']);
/** What the pages load. A page has a line of its own. */
const ASSETS = '/assets/';

/** True for the paths of health probes. */
export const isProbe = (path: string): boolean => PROBED_PATHS.has(path);

const isUninteresting = (path: string, status: number): boolean =>
  isProbe(path) || (path.startsWith(ASSETS) && status < 400);

/** Longer than any path of the gateway, including those of documents. */
const MAX_PATH_CHARACTERS = 256;

/**
 * Writes one line for every request when it has ended (OWASP ASVS 5.0 16.2.1). The level is `info` for every status: an
 * error has its own line, with the cause and the same request id.
 *
 * No field is a secret. The line never has the query, because that contains signatures of documents and GraphQL variables,
 * and no header except the request id. So the line needs no redaction, which would cost ten times as much as the line.
 */
export function logRequests(log: Logger): RequestObserver {
  const lines = log.child({}, { redact: [] });
  return (record, { status, durationMillis, isAborted }, { method, originalUrl }) => {
    const path = pathOf(originalUrl);
    const level = isUninteresting(path, status) ? 'debug' : 'info';
    if (!lines.isLevelEnabled(level)) {
      return;
    }
    const { id, channel, operation, operationName, accountId, service, ip, uploadBytes, trace } = record;
    const line = {
      requestId: id,
      method,
      path,
      channel,
      operation,
      operationName,
      status,
      durationMillis: Math.round(durationMillis * 10) / 10,
      accountId,
      service,
      ip,
      uploadBytes: uploadBytes || undefined,
      aborted: isAborted || undefined,
      ...trace,
    };
    lines[level](line, 'request');
  };
}

/** The start of a URL in absolute form (RFC 9112 section 3.2.2). The authority may contain a password. */
const AUTHORITY = /^[a-z][a-z\d+.-]*:\/\/[^/?#]*/i;

function pathOf(url: string): string {
  const own = url.startsWith('/') ? url : url.replace(AUTHORITY, '');
  const [path = ''] = own.split('?', 1);
  return withoutDocumentName(path).slice(0, MAX_PATH_CHARACTERS);
}

/** The text after the first group contains the name of a document, or a misspelt form of it. */
const BELOW_STORAGE = /^(\/+storage\/+[^/]*\/+.{0,6})(.*)$/is;
/** The random name of a document anywhere in a path, for example below another prefix or after a wrong address. */
const DOCUMENT_NAME = /(?<=^|[^0-9A-Za-z]|%[0-9A-Fa-f]{2})([0-9A-Za-z]{6})[0-9A-Za-z]{34}(?![0-9A-Za-z])/g;

/**
 * Shortens the name of a document. The path of a public document is enough to read it, and readers of the log must not be
 * able to. The first characters are enough to find it.
 */
const withoutDocumentName = (path: string): string =>
  path
    .replace(BELOW_STORAGE, (_, start: string, rest: string) => (rest === '' ? start : `${start}…`))
    .replace(DOCUMENT_NAME, '$1…');
