import type { Request, RequestHandler } from 'express';
import { Lexer, Source, type Token, TokenKind } from 'graphql';
import { ServiceError } from '../../../system/errors.ts';
import { searchOf } from '../apollo-path.ts';
import { LIMITS } from './limits.ts';

/** A document that no rule may see. It has the status and code of an operation over a limit. */
class RefusedDocumentError extends ServiceError {
  readonly code = 'GRAPHQL_VALIDATION_FAILED';
  readonly status = 400;
}

const TOO_MANY_LINES = `The document must not have more than ${LIMITS.lines} lines.`;
const TOO_LONG_NAME = `The document must not have a name of more than ${LIMITS.nameCharacters} characters.`;
const NOT_EXECUTABLE = 'The document must have only operations and fragments.';

/**
 * Checks the text of a document before it is parsed, and so before any rule runs. graphql-js reports an unknown name with the
 * names that are like it. That comparison takes the product of two lengths, and the candidates include what the document itself
 * defines: two names of 45 KB in one request took 10 s. So names are short, and there are no definitions of types and directives
 * (GraphQL section 5.1.1).
 *
 * Every document goes through here, whichever path it takes: `refuseDocuments` for JSON, GET and `operations`, and `UploadGuard`,
 * which reads `operations` first. The store of parsed documents has only what was checked.
 * @returns undefined if no limit is exceeded, also for a text that is no GraphQL. The parser reports that, and too many tokens
 */
export function refusalOf(source: string): RefusedDocumentError | undefined {
  const problem = hasManyLines(source) ? TOO_MANY_LINES : problemOfTokens(new Lexer(new Source(source)));
  return problem === undefined ? undefined : new RefusedDocumentError(problem);
}

/** The line breaks that graphql-js counts. */
const LINE_BREAK = /\r\n|[\n\r]/;

/** A short document needs no counting: each line break takes a character. */
const hasManyLines = (source: string): boolean =>
  source.length >= LIMITS.lines && source.split(LINE_BREAK).length > LIMITS.lines;

/** The first words of the definitions and extensions of GraphQL section 3. */
const TYPE_SYSTEM = new Set([
  'schema',
  'scalar',
  'type',
  'interface',
  'union',
  'enum',
  'input',
  'directive',
  'extend',
]);
const OPENING: ReadonlySet<string> = new Set([TokenKind.BRACE_L, TokenKind.PAREN_L, TokenKind.BRACKET_L]);
const CLOSING: ReadonlySet<string> = new Set([TokenKind.BRACE_R, TokenKind.PAREN_R, TokenKind.BRACKET_R]);
const DESCRIPTION: ReadonlySet<string> = new Set([TokenKind.STRING, TokenKind.BLOCK_STRING]);

function problemOfTokens(lexer: Lexer): string | undefined {
  let level = 0;
  // An operation and a fragment end with the brace of their selections.
  let isStart = true;
  for (let count = 0; count < LIMITS.tokens; count += 1) {
    const token = next(lexer);
    if (!token || token.kind === TokenKind.EOF) {
      return undefined;
    }
    if (token.kind === TokenKind.NAME && token.end - token.start > LIMITS.nameCharacters) {
      return TOO_LONG_NAME;
    }
    if (isStart && token.kind === TokenKind.NAME && TYPE_SYSTEM.has(token.value)) {
      return NOT_EXECUTABLE;
    }
    level += Number(OPENING.has(token.kind)) - Number(CLOSING.has(token.kind));
    const isEnd = level === 0 && token.kind === TokenKind.BRACE_R;
    isStart = isEnd || (isStart && DESCRIPTION.has(token.kind));
  }
  return undefined;
}

/** @returns undefined for a text that is no token */
function next(lexer: Lexer): Token | undefined {
  try {
    return lexer.advance();
  } catch {
    return undefined;
  }
}

/** Refuses a request whose document no rule may see. */
export const refuseDocuments: RequestHandler = (req, _res, next) => {
  const query = documentOf(req);
  next(typeof query === 'string' ? refusalOf(query) : undefined);
};

/** As Apollo Server reads it. `req.query` has only the first thousand parameters. */
const documentOf = (req: Request): unknown =>
  req.method === 'GET' ? new URLSearchParams(searchOf(req)).get('query') : req.body.query;
