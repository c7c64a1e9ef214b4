import type { IncomingHttpHeaders, RequestListener } from 'node:http';
import { buffer } from 'node:stream/consumers';
import { sendRaw } from './raw-http.ts';

/** JSON as PHP spells it. */
export const asPhp = (json: string): string =>
  json
    .replaceAll('/', '\\/')
    .replace(/[^\0-\x7f]/g, (letter) => `\\u${letter.charCodeAt(0).toString(16).padStart(4, '0')}`);

type Texts = Partial<Record<'password' | 'password_confirmation' | 'phone' | 'license_number', string>>;

/** The texts of a form or JSON body, as far as the rules of the fake service need them. */
function textsOf(body: Buffer): Texts {
  const text = body.subarray(0, 10_000).toString();
  const inForm = text.matchAll(/name="(\w+)"\r\n\r\n(.*)\r\n/g);
  const inJson = text.matchAll(/"(\w+)":"([^"]*)"/g);
  return Object.fromEntries([...inForm, ...inJson].map(([, name, value]) => [name, value]));
}

/**
 * The legacy service: a gateway behind a few rules and spellings of its own. It has ids that are numbers, unique phones and
 * license numbers, a required password_confirmation, documents below `doctor_profiles`, and JSON as Laravel writes it, with
 * the id of a new account at the end.
 * @param gateway the address of the app that answers
 */
export function legacyListener(gateway: string): RequestListener {
  /** The ids of the gateway; the number of each is its place, and starts at 1. */
  const ids = [''];
  const taken = new Set<string>();
  const numberOf = (id: string) => {
    if (!ids.includes(id)) {
      ids.push(id);
    }
    return ids.indexOf(id);
  };

  /** The first validation error that the gateway does not have. */
  function refusalOf({ password, password_confirmation, phone, license_number }: Texts): string | undefined {
    if (password !== undefined && password_confirmation === undefined) {
      return 'The password field confirmation does not match.';
    }
    if (phone !== undefined && taken.has(phone)) {
      return 'The phone has already been taken.';
    }
    return license_number !== undefined && taken.has(license_number)
      ? 'The license number has already been taken.'
      : undefined;
  }

  const toGateway = (headers: IncomingHttpHeaders) => ({
    ...headers,
    ...(headers.authorization && {
      authorization: headers.authorization.replace(/\d+(?=\|)/, (number) => ids[Number(number)] ?? ''),
    }),
  });
  const toCaller = (json: string) =>
    asPhp(
      json
        .replace(/("token":")(\w+)\|/, (_, key, id) => `${key}${numberOf(id)}|`)
        .replace(/"id":"(\w+)",([^}]*)}/, (_, id, others) => `${others},"id":${numberOf(id)}}`)
        .replaceAll('/storage/', '/storage/doctor_profiles/'),
    );

  return async (req, res) => {
    const { method = '', url = '' } = req;
    const body = await buffer(req);
    const isRegistration = url.includes('/register/');
    const texts = isRegistration ? textsOf(body) : {};
    const refusal = refusalOf(texts);
    const headers = { 'Content-Type': 'application/json' };
    if (refusal !== undefined) {
      res.writeHead(422, headers).end(JSON.stringify({ message: refusal }));
      return;
    }
    const answer = await sendRaw(gateway, { method, path: url, headers: toGateway(req.headers) }, body);
    if (isRegistration && answer.status === 201) {
      for (const value of [texts.phone, texts.license_number]) {
        taken.add(value ?? '');
      }
    }
    answer.headers.delete('content-length');
    res
      .writeHead(answer.status, { ...Object.fromEntries(answer.headers), 'content-type': 'application/json' })
      .end(toCaller(answer.text));
  };
}
