import { createHash } from 'node:crypto';
import { type HttpResponse, jsonOf, send } from './http.ts';

/** A service behind the gateway. Its secret is as long as a real one. */
export const APPOINTMENTS = { id: 'appointments', secret: 'appointments-secret-of-forty-characters-' };

/** The entry of a service in INTROSPECTION_CLIENTS. */
export const clientEntry = ({ id, secret }: { id: string; secret: string }): string =>
  `${id}:${createHash('sha256').update(secret).digest('hex')}`;

/** The setting that lets a service ask. */
export const SERVICES = { INTROSPECTION_CLIENTS: clientEntry(APPOINTMENTS) };

/** The header of a service, without the form encoding of OAuth. */
export const basic = (id: string, secret: string) => ({
  Authorization: `Basic ${Buffer.from(`${id}:${secret}`).toString('base64')}`,
});

/** Sends a question; `body` is a form as text. */
export const ask = (
  url: string,
  body: string,
  headers: Record<string, string> = basic(APPOINTMENTS.id, APPOINTMENTS.secret),
): Promise<HttpResponse> =>
  send(`${url}/oauth/introspect`, {
    method: 'POST',
    headers: { 'Content-Type': 'application/x-www-form-urlencoded', ...headers },
    body,
  });

/** The answer about a token. */
export async function introspect(url: string, token: string): Promise<Record<string, unknown>> {
  const http = await ask(url, new URLSearchParams({ token }).toString());
  expect(http.status).toBe(200);
  return jsonOf(http);
}
