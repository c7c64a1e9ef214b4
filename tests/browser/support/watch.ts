import type { BrowserContext, ConsoleMessage, Request } from 'playwright-core';

/** Watches all pages of a profile. */
export interface Watch {
  context: BrowserContext;
  /** Puts the origin of an address under test: requests to any other are problems. */
  permit(url: string): void;
  /** What went wrong since the last call. */
  takeProblems(): Promise<string[]>;
}

/** Records all problems of a page from its first request on. */
export function watchPages(context: BrowserContext): Watch {
  const origins = new Set<string>();
  let problems: string[] = [];
  const note = (problem: string | undefined) => {
    if (problem !== undefined) {
      problems.push(problem);
    }
  };

  context.on('console', (message) => note(consoleProblem(message)));
  context.on('weberror', (error) => note(`uncaught: ${error.error().message}`));
  context.on('requestfailed', (request) => note(failedRequest(request)));
  context.on('request', (request) => note(foreignRequest(request, origins)));
  context.on('page', (page) => page.on('websocket', (socket) => note(`web socket: ${socket.url()}`)));

  return {
    context,
    permit: (url) => void origins.add(new URL(url).origin),
    async takeProblems() {
      // Earlier messages of a page arrive before the answer to a later call.
      await Promise.all(context.pages().map((page) => page.evaluate('0')));
      const taken = problems;
      problems = [];
      return taken;
    },
  };
}

const told = (request: Request): string => `${request.method()} ${request.url()}`;

function consoleProblem(message: ConsoleMessage): string | undefined {
  const isProblem = ['error', 'warning', 'assert'].includes(message.type());
  return isProblem ? `console: ${message.text()} (${message.location().url})` : undefined;
}

/**
 * The browser requests an icon after the page is loaded. If a test leaves the page at once, that request is cancelled; so is
 * the load of a document or a worker when the page shows another one.
 */
function failedRequest(request: Request): string | undefined {
  const reason = request.failure()?.errorText;
  const isLeft =
    reason === 'net::ERR_ABORTED' && ['other', 'fetch', 'script'].includes(request.resourceType());
  return isLeft ? undefined : `failed: ${told(request)}: ${reason}`;
}

/** It goes nowhere. */
const LOCAL_PROTOCOL = 'data:';

/** The origin of a `blob:` is that of the page which made it. */
function foreignRequest(request: Request, origins: ReadonlySet<string>): string | undefined {
  const { protocol, origin } = new URL(request.url());
  return protocol === LOCAL_PROTOCOL || origins.has(origin) ? undefined : `another host: ${told(request)}`;
}
