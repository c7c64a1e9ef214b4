import { createReadStream } from 'node:fs';
import { createInterface } from 'node:readline';
import { messageOf } from '../../system/system-errors.ts';

/** What a login with a token has shown. It never has the token. */
export interface TokenCheck {
  /** The number of its line, from 1. */
  line: number;
  /** Why the token is not accepted; undefined if it is. */
  reason: string | undefined;
}

/** Longer than the gateway takes to answer when it is overloaded. */
const TIMEOUT_MILLIS = 30_000;

/**
 * Presents tokens to the gateway's GraphQL API, as their owners do.
 * @param file has one plain token in each line; empty lines are left out
 * @param url the address of the gateway
 */
export async function* checkTokens(file: string, url: string): AsyncGenerator<TokenCheck> {
  let line = 0;
  for await (const text of createInterface({ input: createReadStream(file) })) {
    line += 1;
    const token = text.trim();
    if (token !== '') {
      yield { line, reason: await whyRefused(token, url) };
    }
  }
}

async function whyRefused(token: string, url: string): Promise<string | undefined> {
  try {
    const response = await fetch(`${url.replace(/\/$/, '')}/graphql`, {
      method: 'POST',
      headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json' },
      body: JSON.stringify({ query: '{ me { id } }' }),
      signal: AbortSignal.timeout(TIMEOUT_MILLIS),
    });
    const { data, errors } = (await response.json()) as Answer;
    return data?.me?.id
      ? undefined
      : `the gateway answers ${errors?.[0]?.extensions?.code ?? response.status}`;
  } catch (error) {
    // A token with characters that no header can have is part of that error's text.
    return error instanceof TypeError && error.cause === undefined
      ? 'it has characters that no token has'
      : `the gateway does not answer: ${messageOf(error)}`;
  }
}

interface Answer {
  data?: { me?: { id?: string } };
  errors?: { extensions?: { code?: string } }[];
}
