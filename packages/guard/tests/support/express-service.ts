import { once } from 'node:events';
import { createServer, type IncomingMessage, request } from 'node:http';
import { json } from 'node:stream/consumers';
import express, { type RequestHandler } from 'express';
import { listenOnFreePort } from '../../../../tests/support/listen.ts';
import { BEARER } from './fake-gateway.ts';

/** Sends a request to an Express service with these handlers. */
export async function answerOf(
  handlers: RequestHandler[],
  headers: Record<string, string | string[]> = BEARER,
): Promise<{ status: number | undefined; headers: IncomingMessage['headers']; body: unknown }> {
  const server = createServer(express().get('/', ...handlers));
  const port = await listenOnFreePort(server);
  const [response] = (await once(request({ port, headers, agent: false }).end(), 'response')) as [
    IncomingMessage,
  ];
  const body = await json(response);
  server.close();
  await once(server, 'close');
  return { status: response.statusCode, headers: response.headers, body };
}

export const ok: RequestHandler = (_req, res) => void res.json('passed');
